"""Templates of sharing sites: old and new markup, class names of all kinds, addresses of all kinds."""

from __future__ import annotations

from random import Random

from tests.methods.profile.sites import MARKUP, NAMES, PAGE_SIZE, Item, Template, each


class Tables(Template):
    """Tables in tables, colours and sizes, no class anywhere; names stand a row below their pictures."""

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        rows = ""
        for start in range(0, len(items), 3):
            for part in ("thumb", "by"):
                row = each(f'<td align="center">{{{part}}}</td>', map(self.shows, items[start : start + 3]))
                rows += f"<tr>{row}</tr>"
        return super().wall(title, [], turns).replace('<table border="1">', f'<table border="1">{rows}')


class Sidebar(Template):
    """Profiles with contacts in a sidebar as pictures with names, a guest book, and the person's own items."""

    def commenters(self, item: Item) -> list[str]:
        return NAMES[3:5]


CLASSES = "heading tags tag words word albums friends more grid cell pages by from name who top foot".split()


class Hashed(Template):
    """Class names that a build tool made up: the same on all pages, and they mean nothing."""

    def frame(self, title: str, body: str, number: int) -> str:
        page = super().frame(title, body, number)
        for name in CLASSES:
            page = page.replace(f'class="{name}"', f'class="_{Random(name).randrange(16**6):06x}"')
        return page.replace('class="words tags"', 'class="_a1 _b2"')


class HashedPerPage(Template):
    """Class names that are made up anew for each page: only the nesting tells, and the user says where sets are."""

    def frame(self, title: str, body: str, number: int) -> str:
        page = super().frame(title, body, number)
        for name in CLASSES:
            chance = Random(f"{name} {number}")
            made = "".join(chance.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(7))
            page = page.replace(f'class="{name}"', f'class="x{made}"')
        return page.replace('class="words tags"', f'class="xw{number}"')


class PerPage(Template):
    """Classes with values of their page or entry: post-17, tag-kite, odd and even."""

    def frame(self, title: str, body: str, number: int) -> str:
        page = super().frame(title, body, number)
        page = page.replace("<body>", f'<body class="page-id-{number} theme-light" data-n="{number}">')
        for name in ("cell", "tag", "word", "more"):
            head, *rest = page.split(f'class="{name}"')
            page = head + "".join(
                f'class="{name}-{number}{k} {"odd" if k % 2 else "even"} {name}"{part}'
                for k, part in enumerate(rest)
            )
        return page


class Pagers(Template):
    """Pagination nested in lists, by number, by « and », and by words; pages are path segments."""

    def listing(self, what: str, page: int) -> str:
        return f"{self.host}/{what}/page/{page}/" if page > 1 else f"{self.host}/{what}/"


class Queries(Template):
    """One script for everything: only a value of the query tells the types apart."""

    def detail(self, item: Item) -> str:
        return f"{self.host}/index.php?do=show&id={item.number}"

    def profile(self, name: str) -> str:
        return f"{self.host}/index.php?do=user&id={NAMES.index(name)}"

    def listing(self, what: str, page: int) -> str:
        return f"{self.host}/index.php?do=list&of={what.replace('/', '-')}&start={PAGE_SIZE * (page - 1)}"


class Opaque(Template):
    """Addresses of eight letters that tell nothing: only the markup does."""

    def detail(self, item: Item) -> str:
        return f"{self.host}/{Random(f'item {item.number}').randrange(16**8):08x}"

    def profile(self, name: str) -> str:
        return f"{self.host}/{Random(f'person {name}').randrange(16**8):08x}"

    def listing(self, what: str, page: int) -> str:
        return f"{self.host}/{Random(f'list {what} {page}').randrange(16**8):08x}"


class Subdomains(Template):
    """Everybody has a host: ann.share.test is a profile, and her items are below it."""

    def detail(self, item: Item) -> str:
        return f"http://{item.owner}.share.test/{item.number}"

    def profile(self, name: str) -> str:
        return f"http://{name}.share.test/"


class Themes(Template):
    """Everybody chooses a theme: another class on the body, and at times a banner before everything."""

    def frame(self, title: str, body: str, number: int) -> str:
        theme = ("light", "dark", "sepia", "contrast")[number % 4]
        banner = '<div class="banner"><p>We have <b>new</b> terms.</p></div>' if number % 5 == 0 else ""
        page = super().frame(title, f"{banner}<div class='page'>{body}</div>", number)
        return page.replace("<body>", f'<body class="{theme}">')


class Flickr(Template):
    """Tables with classes and spacers, as in 2008: 'From ann', sizes in attributes, counts of views, a page of sets."""

    def detail(self, item: Item) -> str:
        return f"{self.host}/photos/{item.owner}/{item.number}/"

    def profile(self, name: str) -> str:
        return f"{self.host}/people/{name}/"

    def listing(self, what: str, page: int) -> str:
        what = what.replace("by/", "photos/").replace("of/", "photos/tags/")
        return f"{self.host}/{what}/" + (f"page{page}/" if page > 1 else "")

    def shows(self, item: Item, k: int = 0) -> dict[str, object]:
        return super().shows(item, k) | {"views": len(item.title) * 7, "day": item.number % 28}

    def cell(self, item: Item, k: int) -> str:
        return super().cell(item, k) + ("</tr><tr>" if k % 3 == 2 else "")


class Ads(Template):
    """Between the items stand advertisements with pictures, and in the margin what others like."""

    def cell(self, item: Item, k: int) -> str:
        return super().cell(item, k) + (self.markup["between"].format(number=item.number) if k % 2 else "")


class Articles(Template):
    """Cards as articles with header, time and footer; older and newer in place of numbers."""

    def listing(self, what: str, page: int) -> str:
        return f"{self.host}/{what}" + (f"?before={1000 - page}" if page > 1 else "")

    def turns_by(self, text: str) -> bool:
        return "»" in text or "«" in text

    def turn(self, url: str, text: str) -> str:
        rel, said = ("next", "Older") if "»" in text else ("prev", "Newer")
        return f'<a href="{url}" rel="{rel}">{said}</a>' if self.turns_by(text) else ""

    def shows(self, item: Item, k: int = 0) -> dict[str, object]:
        return super().shows(item, k) | {"size": "small" if k else "wide", "likes": item.number % 9}


class RightToLeft(Template):
    """A site in Hebrew: from right to left, and no word that we know."""

    def turn(self, url: str, text: str) -> str:
        return super().turn(url, {"Next »": "הבא »", "« Previous": "« הקודם"}.get(text, text))


class Videos(Template):
    """Elements of its own making, long lists, counts everywhere, and channels with a handle."""

    def detail(self, item: Item) -> str:
        return f"{self.host}/watch?v=x{item.number:06x}"

    def profile(self, name: str) -> str:
        return f"{self.host}/@{name}"

    def listing(self, what: str, page: int) -> str:
        return f"{self.host}/results?q={what.replace('/', '+')}" + (f"&page={page}" if page > 1 else "")

    def shows(self, item: Item, k: int = 0) -> dict[str, object]:
        return super().shows(item, k) | {"seconds": item.number % 60}


class OpaqueCards(Opaque, Articles):
    """Cards with avatars, and addresses that tell nothing."""


KINDS: dict[str, type[Template]] = {
    "tables": Tables, "sidebar": Sidebar, "hashed": Hashed, "hashed per page": HashedPerPage, "per page": PerPage,
    "pagers": Pagers, "queries": Queries, "opaque": Opaque, "subdomains": Subdomains, "themes": Themes,
    "flickr": Flickr, "ads": Ads, "articles": Articles, "right to left": RightToLeft, "videos": Videos,
    "opaque cards": OpaqueCards,
}  # fmt: skip
"""Templates that differ in more than their markup."""
TEMPLATES = {name: KINDS.get(name, Template)(name) for name in (*MARKUP, *KINDS)}
