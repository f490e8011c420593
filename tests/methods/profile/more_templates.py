"""More templates of sharing sites: of 2008, of today, with ads, from right to left, with class names that a build made."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.methods.profile.sites import NAMES, Item, Person, Template


class Flickr(Template):
    """Tables with classes and spacers, as in 2008: 'From ann', sizes in attributes, counts of views, a page of sets."""

    def detail(self, item: Item) -> str:
        return f"{self.host}/photos/{item.owner}/{item.number}/"

    def profile(self, name: str) -> str:
        return f"{self.host}/people/{name}/"

    def listing(self, what: str, page: int) -> str:
        what = what.replace("by/", "photos/").replace("of/", "photos/tags/")
        return f"{self.host}/{what}/" + (f"page{page}/" if page > 1 else "")

    def frame(self, title: str, body: str, number: int) -> str:
        return (
            f'<html><head><title>{title}</title></head><body><div id="Main"><table class="Header" cellspacing="0"><tr>'
            '<td width="138"><a href="/"><img src="/logo.gif" width="138"></a></td><td class="Status" align="right">'
            f'<a href="/signup">Sign up</a> | <a href="/help">Help</a></td></tr></table>{body}'
            '<p class="Foot"><a href="/about">About</a> <a href="/terms">Terms</a></p></div></body></html>'
        )

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        cells = "".join(
            f'<td valign="top" width="33%"><p class="Photo"><span class="photo_container pc_s">{self.thumb(i)}</span></p>'
            f'<p class="Do">{len(i.title) * 7} views</p>'
            f'<p class="Who">From <a href="{self.profile(i.owner)}"><b>{i.owner}</b></a></p></td>'
            f"{'</tr><tr>' if k % 3 == 2 else ''}"
            for k, i in enumerate(items)
        )
        pages = "".join(f'<a href="{url}" class="{text[:4]}">{text}</a>' for text, url in turns)
        return (
            f'<h1 id="Tertiary">{title}</h1><table id="GoodStuff" cellspacing="0"><tr>{cells}</tr></table>'
            f'<div class="Pages"><div class="Paginator">{pages}</div><div class="Results">({len(items)} photos)</div></div>'
        )

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = "".join(
            f'<div class="Tag"><a href="/photos/{item.owner}/tags/{t}/" class="Globe"><img src="/globe.gif"></a> '
            f'<a href="/photos/tags/{t}/" class="Plain">{t}</a></div>'
            for t in item.tags
        )
        return (
            f'<table cellspacing="0"><tr><td class="PhotoSide"><h1 class="title_div">{item.title}</h1>'
            f'<div class="photoImgDiv"><img src="/o/{item.number}.jpg" width="500" height="{item.number}"></div>'
            f'<h3>Comments</h3><table class="notsowide">{_comments(self, item)}</table></td>'
            f'<td class="RHS"><table><tr><td><a href="{self.profile(item.owner)}"><img src="/b/{item.owner}.jpg" '
            f'width="48" height="48"></a></td><td><p class="Widget">Uploaded on May {item.number % 28}, 2008 by '
            f'<a href="{self.profile(item.owner)}"><b>{item.owner}</b></a></p></td></tr></table>'
            f'<h4>Tags</h4><div class="TagList">{tags}</div></td></tr></table>'
        )

    def person(self, person: Person) -> str:
        tags = "".join(
            f'<a href="/photos/{person.name}/tags/{t}/" class="Cloud">{t}</a>&nbsp; ' for t in person.tags
        )
        friends = "".join(
            f'<td class="Buddy"><a href="{self.profile(n)}"><img src="/b/{n}.jpg" width="48" height="48"></a><br>'
            f'<a href="{self.profile(n)}">{n}</a></td>'
            for n in person.contacts
        )
        sets = "".join(f'<p class="Set"><a href="/sets/{k}/">{s}</a></p>' for k, s in enumerate(person.sets))
        return (
            f'<h1>About {person.name} <small>/ member</small></h1><table><tr><td class="Sets"><h3>Sets</h3>{sets}</td>'
            f'<td><h3>Tags</h3><p id="TagCloud">{tags}</p></td></tr></table>'
            f'<h3>Contacts</h3><table><tr>{friends}</tr></table><a href="{self.listing(f"by/{person.name}", 1)}">Photos</a>'
        )


def _comments(site: Template, item: Item) -> str:
    return "".join(
        f'<tr valign="top"><td class="Who"><a href="{site.profile(n)}"><img src="/b/{n}.jpg" width="48"></a></td>'
        f'<td class="Said"><h4><a href="{site.profile(n)}">{n}</a> says:</h4><p>Nice {item.title}, {n} would say.</p></td></tr>'
        for n in Random(item.number).sample(NAMES, item.number % 3)
    )


class Utility(Template):
    """Divs with the utility classes of today: every element has a dozen, and all types of page share them."""

    def frame(self, title: str, body: str, number: int) -> str:
        return (
            f'<html><head><title>{title}</title></head><body class="bg-white text-gray-900 antialiased"><div id="root">'
            '<header class="flex items-center p-4 shadow-sm"><a class="font-bold text-xl" href="/">Share</a>'
            '<a class="text-sm ml-4" href="/recent">Recent</a></header>'
            f'<main class="max-w-6xl mx-auto p-4">{body}</main>'
            '<footer class="p-4 text-sm text-gray-500"><a href="/about">About</a></footer></div></body></html>'
        )

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        cells = "".join(
            f'<div class="rounded-lg overflow-hidden shadow-sm"><a class="block" href="{self.detail(i)}">'
            f'<img class="w-full" src="/t/{i.number}.jpg"></a><div class="flex items-center p-2">'
            f'<div class="text-sm font-medium truncate">{i.title}</div>'
            f'<a class="text-sm text-gray-500 ml-auto" href="{self.profile(i.owner)}">{i.owner}</a></div></div>'
            for i in items
        )
        pages = "".join(f'<a class="px-3 py-1 rounded" href="{url}">{text}</a>' for text, url in turns)
        return (
            f'<h1 class="text-2xl font-bold mb-4">{title}</h1><div class="grid grid-cols-3 gap-4">{cells}</div>'
            f'<div class="flex justify-center mt-4">{pages}</div>'
        )

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = "".join(
            f'<a class="px-2 py-1 rounded-full bg-gray-100 text-xs" href="/of/{t}">{t}</a>' for t in item.tags
        )
        return (
            f'<div class="flex gap-4"><div class="flex-1"><img class="w-full" src="/o/{item.number}.jpg"></div>'
            f'<div class="w-80"><h1 class="text-2xl font-bold">{item.title}</h1>'
            f'<div class="flex items-center mt-2"><a class="flex items-center" href="{self.profile(item.owner)}">'
            f'<img class="rounded-full w-8" src="/a/{item.owner}.png"><span class="text-sm ml-2">{item.owner}</span></a></div>'
            f'<div class="flex flex-wrap gap-2 mt-4">{tags}</div></div></div>'
        )

    def person(self, person: Person) -> str:
        tags = "".join(
            f'<a class="px-2 py-1 rounded-full bg-gray-100 text-xs" href="/of/{t}">{t}</a>'
            for t in person.tags
        )
        friends = "".join(
            f'<a class="flex items-center" href="{self.profile(n)}"><img class="rounded-full w-8" src="/a/{n}.png">'
            f'<span class="text-sm ml-2">{n}</span></a>'
            for n in person.contacts
        )
        return (
            f'<div class="text-center"><img class="rounded-full w-32 mx-auto" src="/a/{person.name}.png">'
            f'<h1 class="text-3xl font-bold">{person.name}</h1><div class="flex flex-wrap gap-2 mt-4">{tags}</div></div>'
            f'<div class="mt-8"><h2 class="font-medium">Following</h2><div class="grid grid-cols-2 gap-2">{friends}</div></div>'
        )


class HashedPerPage(Template):
    """Class names that are made up anew for each page: only the nesting tells, and the user says where sets are."""

    def person(self, person: Person) -> str:
        tags = " ".join(f'<em class="word">{t}</em>' for t in person.tags)
        friends = "".join(
            f'<li class="friends"><a href="{self.profile(n)}">{n}</a></li>' for n in person.contacts
        )
        sets = "".join(f'<li class="albums">{name}</li>' for name in person.sets)
        return (
            f'<h2 class="who">{person.name}</h2><p class="words">{tags}</p><ol class="more">{sets}</ol>'
            f'<ul class="grid">{friends}</ul>'
        )

    def frame(self, title: str, body: str, number: int) -> str:
        page = super().frame(title, body, number)
        for name in (
            "heading tags tag words word albums friends more grid cell pages by from name who top foot"
        ).split():
            chance = Random(f"{name} {number}")
            made = "".join(chance.choice("abcdefghijklmnopqrstuvwxyz0123456789") for _ in range(7))
            page = page.replace(f'class="{name}"', f'class="x{made}"')
        return page.replace('class="words tags"', f'class="xw{number}"')


class Ads(Template):
    """Between the items stand advertisements with pictures, and in the margin what others like."""

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        cells = ""
        for number, item in enumerate(items):
            cells += f'<li class="item">{self.thumb(item)}<div class="meta"><a href="{self.detail(item)}">{item.title}</a>'
            cells += f'<span class="author">by <a href="{self.profile(item.owner)}">{item.owner}</a></span></div></li>'
            if number % 2:
                cells += (
                    f'<li class="item ad"><a href="http://ads.test/click?to={item.number}" rel="sponsored"><img src="/ad.gif">'
                    f'</a><div class="meta"><a href="http://ads.test/click?to={item.number}">Buy {item.number} now</a></div></li>'
                )
        pages = "".join(f'<a class="p" href="{url}">{text}</a> ' for text, url in turns)
        liked = "".join(f'<li><a href="http://ads.test/liked/{k}">Best of {k}</a></li>' for k in range(4))
        return (
            f'<div class="left"><h1>{title}</h1><ul class="items">{cells}</ul><div class="pager">{pages}</div></div>'
            f'<div class="right"><h3>Sponsored</h3><ul>{liked}</ul><img src="/ad2.gif"></div>'
        )

    def piece(self, item: Item, others: list[Item]) -> str:
        ad = f'<div class="ad"><a href="http://ads.test/click?to={item.number}"><img src="/ad.gif"></a></div>'
        return ad + super().piece(item, others) + ad


class Definitions(Template):
    """Definition lists everywhere; what a value is, only the term before it says."""

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        cells = "".join(
            f'<dl><dt>{self.thumb(i)}</dt><dd><a href="{self.detail(i)}">{i.title}</a></dd>'
            f'<dd class="maker"><a href="{self.profile(i.owner)}">{i.owner}</a></dd></dl>'
            for i in items
        )
        pages = "".join(f'<dd><a href="{url}">{text}</a></dd>' for text, url in turns)
        return f'<h2>{title}</h2>{cells}<dl class="turn"><dt>Pages</dt>{pages}</dl>'

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = "".join(f'<dd class="t"><a href="/word/{t}">{t}</a></dd>' for t in item.tags)
        return (
            f'<h3>{item.title}</h3><p><img src="/o/{item.number}.jpg"></p><dl class="facts"><dt>Artist</dt>'
            f'<dd class="m"><a href="{self.profile(item.owner)}">{item.owner}</a></dd><dt>Keywords</dt>{tags}'
            f'<dt>Added</dt><dd class="d">{item.number} days ago</dd></dl>'
        )

    def person(self, person: Person) -> str:
        tags = "".join(f'<dd class="t"><a href="/word/{t}">{t}</a></dd>' for t in person.tags)
        sets = "".join(f'<dd class="s">{name}</dd>' for name in person.sets)
        friends = "".join(f'<dd class="f"><a href="{self.profile(n)}">{n}</a></dd>' for n in person.contacts)
        return (
            f'<h3><i>{person.name}</i></h3><dl class="card"><dt>Joined</dt><dd class="j">{len(person.name)} years ago</dd>'
            f"<dt>Keywords</dt>{tags}<dt>Albums</dt>{sets}<dt>Friends</dt>{friends}</dl>"
        )


class Articles(Template):
    """Cards as articles with header, time and footer; older and newer in place of numbers."""

    def listing(self, what: str, page: int) -> str:
        return f"{self.host}/{what}" + (f"?before={1000 - page}" if page > 1 else "")

    def turns_by(self, text: str) -> bool:
        return "»" in text or "«" in text

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        cards = "".join(
            f'<article class="card card--{"wide" if k == 0 else "small"}"><header><a href="{self.profile(i.owner)}" '
            f'class="card__author"><img src="/a/{i.owner}.png"> {i.owner}</a> <time datetime="2024-01-0{k + 1}">'
            f'{k + 1} days ago</time></header><a href="{self.detail(i)}" class="card__media"><picture>'
            f'<source srcset="/t/{i.number}.webp"><img src="/t/{i.number}.jpg"></picture></a>'
            f'<footer><span class="likes">{i.number % 9} likes</span></footer></article>'
            for k, i in enumerate(items)
        )
        pages = "".join(
            f'<a href="{url}" rel="{"next" if "»" in text else "prev"}">{"Older" if "»" in text else "Newer"}</a>'
            for text, url in turns
            if self.turns_by(text)
        )
        return f'<h1 class="page-title">{title}</h1><section class="feed">{cards}</section><nav class="nav">{pages}</nav>'

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = "".join(f'<li><a href="/of/{t}" rel="tag">#{t}</a></li>' for t in item.tags)
        return (
            f'<article class="item"><header class="item__head"><a href="{self.profile(item.owner)}" class="item__author">'
            f'<img src="/a/{item.owner}.png"> {item.owner}</a></header><figure><img src="/o/{item.number}.jpg"><figcaption>'
            f'{item.title}</figcaption></figure><ul class="item__tags">{tags}</ul></article>'
            f"<aside><h2>More</h2>{''.join(map(self.thumb, others))}</aside>"
        )


class RightToLeft(Template):
    """A site in Hebrew: from right to left, and no word that we know."""

    def frame(self, title: str, body: str, number: int) -> str:
        return (
            f'<html dir="rtl" lang="he"><head><title>{title}</title></head><body><nav class="rosh"><a href="/">שיתוף</a> '
            f'<a href="/recent">חדש</a></nav>{body}<p class="sof"><a href="/about">אודות</a></p></body></html>'
        )

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        cells = "".join(
            f'<div class="kubia">{self.thumb(i)}<p>מאת <a href="{self.profile(i.owner)}">{i.owner}</a></p></div>'
            for i in items
        )
        words = {"Next »": "הבא »", "« Previous": "« הקודם"}
        pages = "".join(f'<a href="{url}">{words.get(text, text)}</a> ' for text, url in turns)
        return f'<h1 class="kot">{title}</h1><div class="kir">{cells}</div><p class="dapim">{pages}</p>'

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = "".join(f'<a class="milah" href="/of/{t}">{t}</a> ' for t in item.tags)
        return (
            f'<h1 class="shem">{item.title}</h1><img src="/o/{item.number}.jpg"><p class="mi">הועלה על ידי '
            f'<a href="{self.profile(item.owner)}">{item.owner}</a></p><p class="milim">{tags}</p>'
        )

    def person(self, person: Person) -> str:
        tags = "".join(f'<a class="milah" href="/of/{t}">{t}</a> ' for t in person.tags)
        friends = "".join(f'<li><a href="{self.profile(n)}">{n}</a></li>' for n in person.contacts)
        return (
            f'<h2 class="ish">{person.name}</h2><p class="milim">{tags}</p><ul class="haverim">{friends}</ul>'
        )


class Videos(Template):
    """Elements of its own making, long lists, counts everywhere, and channels with a handle."""

    def detail(self, item: Item) -> str:
        return f"{self.host}/watch?v=x{item.number:06x}"

    def profile(self, name: str) -> str:
        return f"{self.host}/@{name}"

    def listing(self, what: str, page: int) -> str:
        return f"{self.host}/results?q={what.replace('/', '+')}" + (f"&page={page}" if page > 1 else "")

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        cells = "".join(
            f'<v-item><a class="thumb" href="{self.detail(i)}"><img src="/t/{i.number}.jpg"><span class="long">3:{i.number % 60:02}'
            f'</span></a><h3><a class="title" href="{self.detail(i)}">{i.title}</a></h3><v-meta><a class="channel" '
            f'href="{self.profile(i.owner)}">{i.owner}</a><span>{i.number * 13} views</span></v-meta></v-item>'
            for i in items
        )
        pages = "".join(f'<a class="pg" href="{url}">{text}</a>' for text, url in turns)
        return f"<v-results><p class='about'>{title}</p>{cells}</v-results><v-pages>{pages}</v-pages>"

    def piece(self, item: Item, others: list[Item]) -> str:
        tags = " ".join(f'<a class="hash" href="/hashtag/{t}">#{t}</a>' for t in item.tags)
        beside = "".join(
            f'<v-item><a class="thumb" href="{self.detail(i)}"><img src="/t/{i.number}.jpg"></a><h3><a class="title" '
            f'href="{self.detail(i)}">{i.title}</a></h3><v-meta><a class="channel" href="{self.profile(i.owner)}">{i.owner}</a>'
            f"<span>{i.number * 13} views</span></v-meta></v-item>"
            for i in others
        )
        return (
            f'<v-player><video src="/v/{item.number}.mp4"></video></v-player><h1 class="watch">{item.title}</h1><v-owner>'
            f'<a href="{self.profile(item.owner)}"><img src="/a/{item.owner}.png"></a><a class="name" '
            f'href="{self.profile(item.owner)}">{item.owner}</a> <b>{item.number} subscribers</b></v-owner>'
            f"<v-tags>{tags}</v-tags><v-comments>{_comments(self, item)}</v-comments><v-next>{beside}</v-next>"
        )

    def person(self, person: Person) -> str:
        tags = " ".join(f'<a class="hash" href="/hashtag/{t}">#{t}</a>' for t in person.tags)
        friends = "".join(
            f'<v-mini><a href="{self.profile(n)}"><img src="/a/{n}.png"></a><a class="name" href="{self.profile(n)}">{n}</a></v-mini>'
            for n in person.contacts
        )
        return (
            f"<v-banner><h1>{person.name}</h1><span>{len(person.items)} videos</span></v-banner><v-about>{tags}</v-about>"
            f"<v-subscriptions><h2>Subscriptions</h2>{friends}</v-subscriptions>"
        )


class OpaqueCards(Articles):
    """Cards with avatars, and addresses that tell nothing."""

    def detail(self, item: Item) -> str:
        return f"{self.host}/{Random(f'item {item.number}').randrange(16**8):08x}"

    def profile(self, name: str) -> str:
        return f"{self.host}/{Random(f'person {name}').randrange(16**8):08x}"

    def listing(self, what: str, page: int) -> str:
        return f"{self.host}/{Random(f'list {what} {page}').randrange(16**8):08x}"


MORE: dict[str, Callable[[], Template]] = {
    "flickr": Flickr,
    "utility": Utility,
    "hashed per page": HashedPerPage,
    "ads": Ads,
    "definitions": Definitions,
    "articles": Articles,
    "right to left": RightToLeft,
    "videos": Videos,
    "opaque cards": OpaqueCards,
}
