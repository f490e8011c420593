"""Templates of sharing sites: tables, bare elements, figures, class names of all kinds, addresses of all kinds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from tests.methods.profile.sites import NAMES, PAGE_SIZE, Item, Person, Template


class Tables(Template):
    """Tables in tables, colours and sizes, no class anywhere; names stand a row below their pictures."""

    def frame(self, title: str, body: str, number: int) -> str:
        return (
            f'<html><head><title>{title}</title></head><body bgcolor="#ffffff"><table width="100%" bgcolor="#eeeeee"><tr>'
            '<td align="left"><a href="/">Share</a></td><td align="right"><a href="/recent">Recent</a></td></tr></table>'
            f'{body}<hr><center><font size="1"><a href="/about">About</a></font></center></body></html>'
        )

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        rows = ""
        for start in range(0, len(items), 3):
            row = items[start : start + 3]
            rows += "<tr>" + "".join(f'<td align="center">{self.thumb(i)}</td>' for i in row) + "</tr>"
            rows += "<tr>" + "".join(f'<td align="center">{self.by(i)}</td>' for i in row) + "</tr>"
        pages = "".join(f'<td><a href="{url}">{text}</a></td>' for text, url in turns)
        return (
            f'<font size="5"><b>{title}</b></font><table border="1">{rows}</table>'
            f'<table align="center"><tr>{pages}</tr></table>'
        )

    def by(self, item: Item) -> str:
        return f'<font size="2"><a href="{self.profile(item.owner)}">{item.owner}</a></font>'

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = ", ".join(f'<a href="/tag.cgi?{t}">{t}</a>' for t in item.tags)
        return (
            f'<table width="80%"><tr><td colspan="2"><font size="6">{item.title}</font></td></tr>'
            f'<tr><td><img src="/o/{item.number}.jpg"></td><td valign="top">'
            f'<font color="gray">From</font> <a href="{self.profile(item.owner)}">{item.owner}</a><br>'
            f'<font size="2">Tags: {tags}</font></td></tr></table>'
        )

    def person(self, person: Person) -> str:
        tags = "".join(f'<tr><td bgcolor="#ddddff">{t}</td></tr>' for t in person.tags)
        friends = "".join(
            f'<tr><td><font size="2"><a href="{self.profile(n)}">{n}</a></font></td></tr>'
            for n in person.contacts
        )
        return (
            f'<font size="7">{person.name}</font><table width="90%"><tr><td valign="top"><b>Tags</b><table>{tags}'
            f'</table></td><td valign="top"><b>Friends</b><table border="0">{friends}</table></td></tr></table>'
        )


class Soup(Template):
    """Divs and spans without a single class: only the nesting tells."""

    def frame(self, title: str, body: str, number: int) -> str:
        return (
            f'<html><head><title>{title}</title></head><body><div><a href="/">Share</a></div><div>{body}</div>'
            '<div><span><a href="/about">About</a></span></div></body></html>'
        )

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        cells = "".join(f"<div><div>{self.thumb(i)}</div><div>{self.by(i)}</div></div>" for i in items)
        pages = "".join(f'<span><a href="{url}">{text}</a></span>' for text, url in turns)
        return f"<div>{title}</div><div>{cells}</div><div>{pages}</div>"

    def by(self, item: Item) -> str:
        return f'<span><a href="{self.profile(item.owner)}">{item.owner}</a></span>'

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = "".join(f'<div><a href="/tag/{t}">{t}</a></div>' for t in item.tags)
        return (
            f'<div><div><div><b>{item.title}</b></div></div><div><img src="/o/{item.number}.jpg"></div>'
            f'<div><i>shared by <a href="{self.profile(item.owner)}">{item.owner}</a></i></div>'
            f"<div><div><div>{tags}</div></div></div></div>"
        )

    def person(self, person: Person) -> str:
        tags = "".join(f'<div><em><a href="/tag/{t}">{t}</a></em></div>' for t in person.tags)
        friends = "".join(
            f'<div><div><a href="{self.profile(n)}">{n}</a></div></div>' for n in person.contacts
        )
        return f"<div><div><h2>{person.name}</h2></div><div>{tags}</div><div><div>{friends}</div></div></div>"


class Figures(Template):
    """Thumbnails in figures: the name first, with an avatar, and the title as a second link to the item."""

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        cells = "".join(
            f'<figure class="card"><header><a class="av" href="{self.profile(i.owner)}"><img src="/a/{i.owner}.png"></a>'
            f'<a class="nick" href="{self.profile(i.owner)}">{i.owner}</a></header>{self.thumb(i)}'
            f'<figcaption><a href="{self.detail(i)}">{i.title}</a></figcaption></figure>'
            for i in items
        )
        pages = "".join(f'<li><a href="{url}">{text}</a></li>' for text, url in turns)
        return f'<section><h2>{title}</h2>{cells}</section><nav><ul class="pager">{pages}</ul></nav>'


class Sidebar(Template):
    """Profiles with contacts in a sidebar as pictures with names, a guest book, and the person's own items."""

    def person(self, person: Person) -> str:
        tags = "".join(f'<a class="chip" href="/t/{t}">{t}</a> ' for t in person.tags)
        friends = "".join(
            f'<li class="pal"><a href="{self.profile(n)}"><img src="/a/{n}.png"><span>{n}</span></a></li>'
            for n in person.contacts
        )
        guests = "".join(
            f'<div class="note"><a href="{self.profile(n)}">{n}</a> says <q>nice {person.name}, {k}!</q></div>'
            for k, n in enumerate(NAMES[:2])
        )
        return (
            f'<div class="main"><h1>{person.name}</h1><p class="cloud">{tags}</p>'
            f'<div class="shelf">{"".join(map(self.thumb, person.items[:3]))}</div><div class="book">{guests}</div></div>'
            f'<div class="side"><h3>Contacts</h3><ul>{friends}</ul></div>'
        )

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = "".join(f'<a class="chip" href="/t/{t}">{t}</a> ' for t in item.tags)
        said = "".join(
            f'<div class="comment"><a href="{self.profile(n)}">{n}</a><p>I like {item.title}, says {n}.</p></div>'
            for n in NAMES[3:5]
        )
        return (
            f'<div class="main"><h1>{item.title}</h1><div class="stage"><img src="/o/{item.number}.jpg"></div>'
            f'<div class="credit"><a href="{self.profile(item.owner)}"><img src="/a/{item.owner}.png"></a>'
            f'<b><a href="{self.profile(item.owner)}">{item.owner}</a></b></div><p class="cloud">{tags}</p>{said}</div>'
            f'<div class="side"><h3>Related</h3>{"".join(self.thumb(i) + self.by(i) for i in others)}</div>'
        )


class Hashed(Template):
    """Class names that a build tool made up: the same on all pages, and they mean nothing."""

    def frame(self, title: str, body: str, number: int) -> str:
        page = super().frame(title, body, number)
        for name in (
            "heading tags tag words word albums friends more grid cell pages by from name who top foot"
        ).split():
            made = f"_{Random(name).randrange(16**6):06x}"
            page = page.replace(f'class="{name}"', f'class="{made}"')
        return page.replace('class="words tags"', 'class="_a1 _b2"')


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


class Commas(Template):
    """Tags as one text with commas, here with a label and there without."""

    def piece(self, item: Item, others: list[Item]) -> str:
        return (
            f"<h1>{item.title}</h1><img src='/o/{item.number}.jpg'><p class='meta'>Posted by "
            f"<a href='{self.profile(item.owner)}'>{item.owner}</a></p><p class='tags'>Tags: {', '.join(item.tags)}</p>"
        )

    def person(self, person: Person) -> str:
        friends = ", ".join(f"<a href='{self.profile(n)}'>{n}</a>" for n in person.contacts)
        return (
            f"<h1><b>{person.name}</b></h1><dl><dt>Tags</dt><dd class='tags'>{', '.join(person.tags)}</dd>"
            f"<dt>Friends</dt><dd class='friends'>{friends}</dd></dl>"
        )


class Pagers(Template):
    """Pagination nested in lists, by number, by « and », and by words; pages are path segments."""

    def listing(self, what: str, page: int) -> str:
        return f"{self.host}/{what}/page/{page}/" if page > 1 else f"{self.host}/{what}/"

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        numbers = "".join(
            f'<li><div><a href="{url}"><span>{text}</span></a></div></li>' for text, url in turns
        )
        return super().wall(title, items, []) + f'<div><nav class="pg"><ol>{numbers}</ol></nav></div>'


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


class Gallery(Template):
    """The same cards on all types of page: profiles show their items, details what is like them."""

    def cards(self, items: Sequence[Item]) -> str:
        """A grid as lists have it."""
        cells = "".join(
            f'<div class="card"><a class="pic" href="{self.detail(i)}"><img src="/t/{i.number}.jpg"></a>'
            f'<div class="under"><a class="by" href="{self.profile(i.owner)}">{i.owner}</a></div></div>'
            for i in items
        )
        return f'<div class="cards">{cells}</div>'

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        pages = "".join(f'<a href="{url}">{text}</a> ' for text, url in turns)
        return f'<h1>{title}</h1>{self.cards(items)}<div class="pages">{pages}</div>'

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = "".join(f'<a class="tag" href="/of/{t}">{t}</a> ' for t in item.tags)
        return (
            f'<div class="big"><img src="/o/{item.number}.jpg"></div><h1>{item.title}</h1><div class="credits">'
            f'<a class="owner" href="{self.profile(item.owner)}">{item.owner}</a></div><p class="tags">{tags}</p>'
            f"<h2>More like this</h2>{self.cards(others)}"
        )

    def person(self, person: Person) -> str:
        tags = "".join(f'<a class="tag" href="/of/{t}">{t}</a> ' for t in person.tags)
        friends = "".join(f'<a class="friend" href="{self.profile(n)}">{n}</a> ' for n in person.contacts)
        return (
            f'<div class="cover"><h1>{person.name}</h1><p class="since">{len(person.items)} items</p></div>'
            f'<p class="tags">{tags}</p><p class="friends">{friends}</p>{self.cards(person.items[:4])}'
        )


class Themes(Template):
    """Everybody chooses a theme: another class on the body, and at times a banner before everything."""

    def frame(self, title: str, body: str, number: int) -> str:
        theme = ("light", "dark", "sepia", "contrast")[number % 4]
        banner = '<div class="banner"><p>We have <b>new</b> terms.</p></div>' if number % 5 == 0 else ""
        page = super().frame(title, f"{banner}<div class='page'>{body}</div>", number)
        return page.replace("<body>", f'<body class="{theme}">')


TEMPLATES: dict[str, Callable[[], Template]] = {
    "plain": Template,
    "tables": Tables,
    "soup": Soup,
    "figures": Figures,
    "sidebar": Sidebar,
    "hashed": Hashed,
    "per page": PerPage,
    "commas": Commas,
    "pagers": Pagers,
    "queries": Queries,
    "opaque": Opaque,
    "subdomains": Subdomains,
    "gallery": Gallery,
    "themes": Themes,
}
