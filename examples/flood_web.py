"""A made-up web to practise on: a river floods Marlow on 2 May 2024, and four sites write about that, and about much else.

Run it with: python examples/flood_web.py    It writes flood-web/pages.warc.gz, for `lycosa crawl SPEC --web flood-web`.
"""

import gzip
import io
import random
from pathlib import Path

from fastwarc.warc import WarcRecord, WarcRecordType

SITES = {
    "www.marlow-gazette.test": "The Marlow Gazette",
    "www.rivernews.test": "River News",
    "www.county-council.test": "County Council",
    "www.thames-notes.test": "Thames Notes",
}
FLOOD = [
    "River Thames bursts its banks in Marlow",
    "Two hundred homes evacuated as the flood reaches the High Street",
    "Marlow bridge closed: how high the water stands",
    "Firefighters row along Mill Lane",
    "Where to find shelter and sandbags",
    "Flood warning for Marlow stays in force",
    "Water falls by a metre overnight",
    "What the flood has cost the shops of Marlow",
    "Volunteers clean the church after the flood",
    "Why the gauge at Marlow weir gave no warning",
    "Schools open again in Marlow",
    "The flood of Marlow in pictures",
]
OTHER = [
    "Cricket season opens in Henley",
    "A recipe for rhubarb crumble",
    "New timetable for the railway to Oxford",
    "Council votes on parking fees",
    "Art exhibition in Reading",
    "Old bakery gets a new owner",
    "How to prune an apple tree",
    "Rowing club elects its chair",
    "A history of the county's clock towers",
    "Library extends its hours",
    "Brass band plays in Windsor",
    "Football: a goalless draw in Slough",
]
ABOUT_FLOOD = (
    "The flood of the River Thames in Marlow began in the night of 2 May 2024, when water rose over the banks at the weir. "
    "Residents of Marlow were evacuated, and firefighters pumped flooded cellars. The Environment Agency kept its flood "
    "warning for the river in force."
)
ABOUT_OTHER = (
    "Readers told us what they think of it, and we shall follow what comes of it in the weeks ahead."
)


def page(site: str, title: str, date: str, text: str, links: list[tuple[str, str]]) -> str:
    """One page as HTML."""
    items = "".join(f'<li><a href="{url}">{words}</a></li>' for url, words in links)
    meta = f'<meta property="article:published_time" content="{date}T08:00:00Z">' if date else ""
    body = f"<h1>{title}</h1><p>{text}</p><ul>{items}</ul>"
    return (
        f"<html lang=en><head><title>{title} | {SITES[site]}</title>{meta}</head><body>{body}</body></html>"
    )


def pages() -> dict[str, str]:
    """All pages by their URLs; the same at every run."""
    chance, made = random.Random(1), dict[str, str]()
    articles: dict[str, tuple[str, str, str]] = {}
    for number, title in enumerate(FLOOD):
        for site in chance.sample(sorted(SITES), 2):
            day = f"2024-05-{2 + number:02}"
            articles[f"http://{site}/news/{day}-{number}"] = (title, day, f"{title}. {ABOUT_FLOOD}")
    for number, title in enumerate(OTHER):
        for site in sorted(SITES):
            day = f"{chance.choice((2021, 2022, 2023, 2024))}-{chance.randint(1, 12):02}-{chance.randint(1, 28):02}"
            articles[f"http://{site}/other/{number}"] = (title, day, f"{title}. {ABOUT_OTHER}")
    for url, (title, day, text) in articles.items():
        site = url.split("/")[2]
        near = [one for one in articles if ("/news/" in one) == ("/news/" in url) and one != url]
        links = [(one, articles[one][0]) for one in chance.sample(near, 3)]
        made[url] = page(site, title, day, text, [(f"http://{site}/", "Home"), *links])
    for site, name in SITES.items():
        own = [(url, about[0]) for url, about in articles.items() if url.split("/")[2] == site]
        made[f"http://{site}/"] = page(site, name, "", f"News from {name}.", chance.sample(own, len(own)))
    return made


def main() -> None:
    """Write them as an archive."""
    folder, made = Path("flood-web"), pages()
    folder.mkdir(exist_ok=True)
    with (folder / "pages.warc.gz").open("wb") as file:
        for url, html in made.items():
            record, out = WarcRecord(), io.BytesIO()
            record.init_headers(record_type=WarcRecordType.response)
            record.headers["WARC-Target-URI"] = url
            record.headers["WARC-Date"] = "2024-06-01T00:00:00Z"
            record.headers["Content-Type"] = "application/http; msgtype=response"
            body = html.encode()
            head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {len(body)}\r\n\r\n"
            record.set_bytes_content(head.encode() + body)
            record.write(out, checksum_data=True)
            file.write(gzip.compress(out.getvalue(), mtime=0))
    print(f"{len(made)} pages in {folder}, {sum('/news/' in url for url in made)} of them about the flood")


if __name__ == "__main__":
    main()
