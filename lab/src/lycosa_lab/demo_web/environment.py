"""The environmental part of the demo web: air quality services, weather, news, councils, shops and directories.

Grades follow the multimedia paper: 2 gives measurements or forecasts, 1 is about them, 0 is neither. The part is not
tuned to any strategy.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from lycosa.testing import CannedResponse, data, text
from lycosa_lab.demo_web import maps
from lycosa_lab.demo_web.part import DemoTopic, Part
from lycosa_lab.demo_web.sheets import Sheet, Sheets

TOPIC = "air-quality"


class Builder(Sheets):
    """Makes the sites of one random seed; each `_site` method writes one kind of site."""

    def air_site(self, number: int, region: str) -> None:
        """A service that measures and forecasts: forecasts by pollutant, stations by town, some methods."""
        rng, host = self.rng, f"www.airnet{number}.test"
        title = rng.choice(
            (f"Air quality in {region}", f"{region} air monitoring network", f"Airnet {region}")
        )
        home = self.home("air", self.sheet(host, "/", title, "data", 2, region))
        own = [self.picture(host, f"map{i}", maps.heatmap) for i in range(rng.randint(2, 4))]
        charts = [self.picture(host, f"chart{i}", rng.choice((maps.chart, maps.table))) for i in range(3)]
        photo = self.picture(host, "station", maps.photograph)
        icon = self.picture(host, "arrow", maps.icon)
        home.pictures += [icon, *(rng.sample(own, 1) if rng.random() < 0.75 else [photo])]
        stations = []
        for city in self.words["regions"][region]:
            station = self.sheet(
                host, f"/station/{city.lower()}", f"{city}: measurements", "data", 2, region, city
            )
            station.pictures += [icon, rng.choice((*charts, rng.choice(own)))]
            stations.append(station)
        forecasts = []
        for name in rng.sample(self.words["pollutants"], 3):
            slug = name.lower().replace(" ", "-")
            forecast = self.sheet(
                host, f"/forecast/{slug}.html", f"Forecast of {name} in {region}", "data", 2, region
            )
            forecast.pictures += [rng.choice(own)] if rng.random() < 0.85 else [rng.choice(charts)]
            home.link(
                rng.choice((f"{name} forecast", f"Forecast: {name}", name)),
                forecast,
                rng.choice(("", "maps for today and tomorrow:")),
            )
            forecasts.append(forecast)
        archive = self.sheet(host, "/archive.html", "Data of earlier years", "data", 2, region)
        methods = [
            self.sheet(host, f"/{slug}.html", name, "about", 1, region)
            for slug, name in (
                ("methods", "How we measure"),
                ("limits", "Limit values and indices"),
                ("network", "The network"),
            )
        ]
        methods[2].pictures.append(photo)
        for station in stations:
            if rng.random() < 0.8:  # often the name of the town is all there is
                home.link(station.city, station, rng.choice(("", "", "current values:", "station")))
            for forecast in forecasts:
                if rng.random() < 0.5:
                    forecast.link(station.city, station)
            for other in rng.sample(stations, 3):
                if other is not station:
                    station.link(other.city, other)
            station.link(
                rng.choice(("Back to the map", "All pollutants", "Ozone forecast today")),
                rng.choice(forecasts),
            )
        for forecast in forecasts:
            forecast.link(rng.choice(("Archive", "Earlier data", "Download")), archive)
            for other in forecasts:
                if other is not forecast:
                    forecast.link(rng.choice((other.title, other.title.split()[2], "Next map")), other)
        home.link(rng.choice(("Raw data", "Archive", "Air quality data of past years")), archive)
        for sheet in methods:
            home.link(sheet.title, sheet)
            rng.choice(forecasts).link(sheet.title, sheet)
        self.furniture(host, home, region)

    def weather_site(self, number: int) -> None:
        """Weather for many towns, with maps of temperature that look like any graded map; one page on air."""
        rng, host, region = self.rng, f"www.skies{number}.test", self.regions(1)[0]
        home = self.home("weather", self.sheet(host, "/", f"Weather for {region}", "weather", 0, region))
        own = [self.picture(host, f"temperature{i}", maps.heatmap) for i in range(3)]
        photo = self.picture(host, "sky", maps.photograph)
        home.pictures += [self.picture(host, "ad", maps.banner), rng.choice(own)]
        for city in self.words["regions"][region]:
            page = self.sheet(host, f"/{city.lower()}.html", f"Weather in {city}", "weather", 0, region, city)
            page.pictures += [rng.choice(own)] if rng.random() < 0.5 else [photo]
            home.link(rng.choice((city, f"Forecast for {city}", f"{city} today")), page)
            page.link(rng.choice(("Pollen", "Rain radar", "Snow")), home)
        for slug, name in (
            ("uv", "UV index today"),
            ("pollen", "Pollen forecast"),
            ("sea", "Sea temperatures"),
        ):
            page = self.sheet(host, f"/{slug}.html", name, "weather", 0, region)
            page.pictures.append(rng.choice(own))
            home.link(name, page)
        air = self.sheet(host, "/air.html", f"Air quality in {region} today", "data", 2, region)
        air.pictures.append(self.picture(host, "air", maps.heatmap))
        home.link(rng.choice(("Air", "Air quality today", "Ozone")), air)
        for sheet in rng.sample(self.of_host(host)[1:], 3):
            sheet.link("Air quality", air)
        self.furniture(host, home, region)

    def news_site(self, number: int) -> None:
        """A paper: a section on the environment whose headlines promise more than the articles give."""
        rng, host, region = self.rng, f"www.courier{number}.test", self.regions(1)[0]
        home = self.home("news", self.sheet(host, "/", f"The {region} Courier", "news", 0, region))
        section = self.home(
            "section", self.sheet(host, "/environment/", "Environment", "pollution", 0, region)
        )
        home.link("Environment", section)
        shapes = (
            ("Ozone forecast to rise {day} in {city}", "pollution", 0),
            ("Air quality: {city} worries about {pollutant}", "pollution", 0),
            ("How {pollutant} is measured in {region}", "about", 1),
            ("New air monitoring station for {city}", "about", 1),
            ("Smog in {city}", "pollution", 0),
            ("Limit for {pollutant} exceeded in {city}", "about", 1),
            ("{city} talks about {topic}", "news", 0),
            ("Letters from {city}", "news", 0),
        )
        for index in range(18):
            shape, about, grade = rng.choice(shapes)
            city = rng.choice(self.words["regions"][region])
            title = self.fill(shape, region, city)
            article = self.sheet(host, f"/{2024 + index % 2}/{index}.html", title, about, grade, region, city)
            if rng.random() < 0.6:
                article.pictures.append(
                    self.picture(
                        host, f"photo{index}", rng.choice((maps.photograph, maps.photograph, maps.chart))
                    )
                )
            where = home if about == "news" and rng.random() < 0.7 else section
            where.link(title, article, rng.choice(("", f"{2 + index} May", "Read more:")))
            if index and rng.random() < 0.6:
                earlier = self.sheets[f"http://{host}/{2024 + (index - 1) % 2}/{index - 1}.html"]
                article.link(earlier.title, earlier, "See also")
        self.furniture(host, home, region)

    def council_site(self, number: int) -> None:
        """A town's site: its air data lie behind one or two pages whose links promise nothing."""
        rng, host, region = self.rng, f"www.council{number}.test", self.regions(1)[0]
        home = self.home("council", self.sheet(host, "/", "City council", "office", 0, region))
        city = home.city
        home.title = f"City of {city}"
        photo = self.picture(host, "town", maps.photograph)
        home.pictures.append(photo)
        services = self.sheet(host, "/services.html", f"Services of {city}", "office", 0, region, city)
        home.link(rng.choice(("Services", "For residents", "Departments")), services)
        gate = services
        if number % 2:  # every other trail is blocked twice
            gate = self.sheet(
                host, "/environment.html", f"Environment department of {city}", "office", 0, region, city
            )
            services.link(
                rng.choice(("Environment department", "Department 7", "Environment and roads")), gate
            )
        self.trails.append(gate)
        current = self.sheet(host, "/air/today.html", f"Air quality in {city} today", "data", 2, region, city)
        current.pictures.append(self.picture(host, "today", rng.choice((maps.heatmap, maps.chart))))
        gate.link(
            rng.choice(
                (f"Air quality measurements in {city}", "Ozone and PM10 today", "Current air quality data")
            ),
            current,
            "see also",
        )
        for name in rng.sample(self.words["pollutants"], 3):
            slug = name.lower().replace(" ", "-")
            page = self.sheet(host, f"/air/{slug}.html", f"{name} in {city}", "data", 2, region, city)
            current.link(rng.choice((name, f"{name} today", f"Station {rng.randint(1, 9)}")), page)
            page.link("Air quality today", current)
        plan = self.sheet(host, "/air/plan.html", f"Clean air plan of {city}", "about", 1, region, city)
        current.link("Clean air plan", plan)
        for slug, name in (
            ("waste", "Waste"),
            ("noise", "Noise"),
            ("parks", "Parks"),
            ("museum", "City museum"),
        ):
            page = self.sheet(host, f"/{slug}.html", f"{name} in {city}", "office", 0, region, city)
            rng.choice((home, services)).link(name, page)
        self.furniture(host, home, region)

    def shop_site(self, number: int) -> None:
        """Purifiers and monitors: the words of the topic, and nothing on the air outside."""
        rng, host, region = self.rng, f"www.purebreath{number}.test", self.regions(1)[0]
        home = self.home(
            "shop", self.sheet(host, "/", "Pure Breath: clean air for your home", "shop", 0, region)
        )
        for index in range(9):
            name = rng.choice(
                ("Air quality monitor", "Ozone generator", "PM2.5 sensor", "Air purifier", "Dust filter")
            )
            page = self.sheet(host, f"/item/{index}", f"{name} {rng.randint(100, 900)}", "shop", 0, region)
            page.pictures.append(
                self.picture(host, f"item{index}", rng.choice((maps.banner, maps.photograph)))
            )
            home.link(rng.choice((page.title, f"{name}: order today", name)), page)
        self.furniture(host, home, region)

    def directory(self, number: int) -> None:
        """Link lists: a good one on the air, with descriptions, and a general one with bare names."""
        rng, host, region = self.rng, f"www.linkhouse{number}.test", self.regions(1)[0]
        home = self.home("directory", self.sheet(host, "/", "Link house", "office", 0, region))
        air = self.home("list", self.sheet(host, "/air/", "Sites on air quality", "about", 1, region))
        general = self.sheet(host, "/general/", "Towns, papers and shops", "office", 0, region)
        home.link("Air quality", air)
        home.link("Towns and papers", general)
        for target in self.homes["air"]:
            words = (
                "current ozone and PM10 data:",
                "maps and forecasts:",
                "",
                "measurements of the last days:",
            )
            air.link(rng.choice((target.title, target.region)), target, rng.choice(words))
        for kind in ("council", "weather", "news", "shop"):
            for target in self.homes[kind]:
                listed = rng.choice((air, general))
                listed.link(target.title, target)
        for target in self.trails[::2]:
            air.link(target.title, target)
        self.furniture(host, home, region)

    def cross_links(self) -> None:
        """Links between sites: services name one another, papers name services and councils."""
        rng = self.rng
        for home in self.homes["air"]:
            for other in (
                rng.sample(self.homes["air"], 2)
                + rng.sample(self.homes["council"], 2)
                + rng.sample(self.homes["weather"], 1)
            ):
                if other is not home:
                    home.link(
                        rng.choice((other.title, other.city)),
                        other,
                        rng.choice(("", "neighbours:", "partners:")),
                    )
        for sheet in [*self.sheets.values()]:
            if "courier" in sheet.url and rng.random() < 0.3:
                other = rng.choice(self.homes["air"] + self.homes["council"] + self.homes["shop"])
                sheet.link(other.title, other, rng.choice(("Source:", "", "On the web:")))
        for home in self.homes["council"] + self.homes["weather"]:
            home.link("Neighbours", rng.choice(self.homes["council"]))


@cache
def environment_part(random_seed: int) -> Part:
    """All pages, pictures, labels and seeds of this part."""
    builder = Builder(random_seed)
    for number, region in enumerate(builder.regions(7)):
        builder.air_site(number, region)
    for make, count in (
        (builder.weather_site, 3),
        (builder.news_site, 3),
        (builder.council_site, 6),
        (builder.shop_site, 2),
    ):
        for number in range(count):
            make(number)
    for number in range(2):
        builder.directory(number)
    builder.cross_links()
    pages: dict[str, CannedResponse] = {url: builder.render(sheet) for url, sheet in builder.sheets.items()}
    pages |= {url: data(body, "image/png") for url, body in builder.pictures.items()}
    hosts = {url.split("/")[2] for url in builder.sheets}
    pages |= {f"http://{host}/robots.txt": text("User-agent: *\nDisallow:\n") for host in sorted(hosts)}
    labels = tuple((sheet.url, TOPIC, sheet.grade) for sheet in builder.sheets.values())
    start = tuple(sheet.url for sheet in builder.homes["directory"])
    return Part(pages, labels, {TOPIC: _topic(builder.words, builder.homes)}, start)


def _topic(words: Mapping[str, Any], homes: Mapping[str, Sequence[Sheet]]) -> DemoTopic:
    """Seeds of the kinds that the paper started from: link lists, services, a paper's section, weather."""
    seeds = [*homes["list"][:2], *homes["air"][:2], homes["section"][0], homes["weather"][0]]
    return DemoTopic(
        words["title"], tuple(words["keywords"]), words["query"].strip(), tuple(sheet.url for sheet in seeds)
    )
