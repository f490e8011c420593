"""Templates of sharing sites: old and new markup, class names of all kinds, addresses of all kinds."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from tests.methods.profile.sites import NAMES, PAGE_SIZE, Item, Template, each


class Tables(Template):
    """Tables in tables, colours and sizes, no class anywhere; names stand a row below their pictures."""

    FRAME = (
        '<html><head><title>{title}</title></head><body bgcolor="#ffffff"><table width="100%" bgcolor="#eeeeee"><tr>'
        '<td align="left"><a href="/">Share</a></td><td align="right"><a href="/recent">Recent</a></td></tr></table>'
        '{body}<hr><center><font size="1"><a href="/about">About</a></font></center></body></html>'
    )
    BY = '<font size="2"><a href="{profile}">{owner}</a></font>'
    TURN = '<td><a href="{url}">{text}</a></td>'
    WALL = (
        '<font size="5"><b>{title}</b></font><table border="1">{cells}</table>'
        '<table align="center"><tr>{pages}</tr></table>'
    )
    TAG = '<a href="/tag.cgi?{t}">{t}</a>, '
    PIECE = (
        '<table width="80%"><tr><td colspan="2"><font size="6">{title}</font></td></tr>'
        '<tr><td><img src="/o/{number}.jpg"></td><td valign="top">'
        '<font color="gray">From</font> <a href="{profile}">{owner}</a><br>'
        '<font size="2">Tags: {tags}</font></td></tr></table>'
    )
    WORD = '<tr><td bgcolor="#ddddff">{t}</td></tr>'
    FRIEND = '<tr><td><font size="2"><a href="{profile}">{n}</a></font></td></tr>'
    PERSON = (
        '<font size="7">{name}</font><table width="90%"><tr><td valign="top"><b>Tags</b><table>{tags}'
        '</table></td><td valign="top"><b>Friends</b><table border="0">{friends}</table></td></tr></table>'
    )

    def wall(self, title: str, items: list[Item], turns: list[tuple[str, str]]) -> str:
        rows = ""
        for start in range(0, len(items), 3):
            for part in ("thumb", "by"):
                row = each(f'<td align="center">{{{part}}}</td>', map(self.shows, items[start : start + 3]))
                rows += f"<tr>{row}</tr>"
        return super().wall(title, [], turns).replace('<table border="1">', f'<table border="1">{rows}')


class Soup(Template):
    """Divs and spans without a single class: only the nesting tells."""

    FRAME = (
        '<html><head><title>{title}</title></head><body><div><a href="/">Share</a></div><div>{body}</div>'
        '<div><span><a href="/about">About</a></span></div></body></html>'
    )
    BY = '<span><a href="{profile}">{owner}</a></span>'
    CELL = "<div><div>{thumb}</div><div>{by}</div></div>"
    TURN = '<span><a href="{url}">{text}</a></span>'
    WALL = "<div>{title}</div><div>{cells}</div><div>{pages}</div>"
    TAG = '<div><a href="/tag/{t}">{t}</a></div>'
    PIECE = (
        '<div><div><div><b>{title}</b></div></div><div><img src="/o/{number}.jpg"></div>'
        '<div><i>shared by <a href="{profile}">{owner}</a></i></div><div><div><div>{tags}</div></div></div></div>'
    )
    WORD = '<div><em><a href="/tag/{t}">{t}</a></em></div>'
    FRIEND = '<div><div><a href="{profile}">{n}</a></div></div>'
    PERSON = "<div><div><h2>{name}</h2></div><div>{tags}</div><div><div>{friends}</div></div></div>"


class Figures(Template):
    """Thumbnails in figures: the name first, with an avatar, and the title as a second link to the item."""

    CELL = (
        '<figure class="card"><header><a class="av" href="{profile}"><img src="/a/{owner}.png"></a>'
        '<a class="nick" href="{profile}">{owner}</a></header>{thumb}'
        '<figcaption><a href="{detail}">{title}</a></figcaption></figure>'
    )
    TURN = '<li><a href="{url}">{text}</a></li>'
    WALL = '<section><h2>{title}</h2>{cells}</section><nav><ul class="pager">{pages}</ul></nav>'


class Sidebar(Template):
    """Profiles with contacts in a sidebar as pictures with names, a guest book, and the person's own items."""

    TAG = WORD = '<a class="chip" href="/t/{t}">{t}</a> '
    OTHER = "{thumb}{by}"
    COMMENT = '<div class="comment"><a href="{profile}">{n}</a><p>I like {title}, says {n}.</p></div>'
    PIECE = (
        '<div class="main"><h1>{title}</h1><div class="stage"><img src="/o/{number}.jpg"></div>'
        '<div class="credit"><a href="{profile}"><img src="/a/{owner}.png"></a><b><a href="{profile}">{owner}</a></b></div>'
        '<p class="cloud">{tags}</p>{comments}</div><div class="side"><h3>Related</h3>{others}</div>'
    )
    FRIEND = '<li class="pal"><a href="{profile}"><img src="/a/{n}.png"><span>{n}</span></a></li>'
    GUEST = '<div class="note"><a href="{profile}">{n}</a> says <q>nice {name}, {k}!</q></div>'
    PERSON = (
        '<div class="main"><h1>{name}</h1><p class="cloud">{tags}</p><div class="shelf">{own}</div>'
        '<div class="book">{guests}</div></div><div class="side"><h3>Contacts</h3><ul>{friends}</ul></div>'
    )

    def commenters(self, item: Item) -> list[str]:
        return NAMES[3:5]


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


class HashedPerPage(Template):
    """Class names that are made up anew for each page: only the nesting tells, and the user says where sets are."""

    WORD = '<em class="word">{t}</em> '
    FRIEND = '<li class="friends"><a href="{profile}">{n}</a></li>'
    SET = '<li class="albums">{s}</li>'
    PERSON = (
        '<h2 class="who">{name}</h2><p class="words">{tags}</p><ol class="more">{sets}</ol>'
        '<ul class="grid">{friends}</ul>'
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

    TAG = WORD = "{t}, "
    PIECE = (
        "<h1>{title}</h1><img src='/o/{number}.jpg'><p class='meta'>Posted by <a href='{profile}'>{owner}</a></p>"
        "<p class='tags'>Tags: {tags}</p>"
    )
    FRIEND = "<a href='{profile}'>{n}</a>, "
    PERSON = (
        "<h1><b>{name}</b></h1><dl><dt>Tags</dt><dd class='tags'>{tags}</dd>"
        "<dt>Friends</dt><dd class='friends'>{friends}</dd></dl>"
    )


class Pagers(Template):
    """Pagination nested in lists, by number, by « and », and by words; pages are path segments."""

    TURN = '<li><div><a href="{url}"><span>{text}</span></a></div></li>'
    WALL = (
        '<h1 class="heading">{title}</h1><div class="grid">{cells}</div><p class="pages"></p>'
        '<div><nav class="pg"><ol>{pages}</ol></nav></div>'
    )

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


class Gallery(Template):
    """The same cards on all types of page: profiles show their items, details what is like them."""

    CELL = OTHER = OWN = (
        '<div class="card"><a class="pic" href="{detail}"><img src="/t/{number}.jpg"></a>'
        '<div class="under"><a class="by" href="{profile}">{owner}</a></div></div>'
    )
    OWNS = 4
    WALL = '<h1>{title}</h1><div class="cards">{cells}</div><div class="pages">{pages}</div>'
    TAG = WORD = '<a class="tag" href="/of/{t}">{t}</a> '
    PIECE = (
        '<div class="big"><img src="/o/{number}.jpg"></div><h1>{title}</h1><div class="credits">'
        '<a class="owner" href="{profile}">{owner}</a></div><p class="tags">{tags}</p>'
        '<h2>More like this</h2><div class="cards">{others}</div>'
    )
    FRIEND = '<a class="friend" href="{profile}">{n}</a> '
    PERSON = (
        '<div class="cover"><h1>{name}</h1><p class="since">{count} items</p></div>'
        '<p class="tags">{tags}</p><p class="friends">{friends}</p><div class="cards">{own}</div>'
    )


class Themes(Template):
    """Everybody chooses a theme: another class on the body, and at times a banner before everything."""

    def frame(self, title: str, body: str, number: int) -> str:
        theme = ("light", "dark", "sepia", "contrast")[number % 4]
        banner = '<div class="banner"><p>We have <b>new</b> terms.</p></div>' if number % 5 == 0 else ""
        page = super().frame(title, f"{banner}<div class='page'>{body}</div>", number)
        return page.replace("<body>", f'<body class="{theme}">')


class Flickr(Template):
    """Tables with classes and spacers, as in 2008: 'From ann', sizes in attributes, counts of views, a page of sets."""

    FRAME = (
        '<html><head><title>{title}</title></head><body><div id="Main"><table class="Header" cellspacing="0"><tr>'
        '<td width="138"><a href="/"><img src="/logo.gif" width="138"></a></td><td class="Status" align="right">'
        '<a href="/signup">Sign up</a> | <a href="/help">Help</a></td></tr></table>{body}'
        '<p class="Foot"><a href="/about">About</a> <a href="/terms">Terms</a></p></div></body></html>'
    )
    CELL = (
        '<td valign="top" width="33%"><p class="Photo"><span class="photo_container pc_s">{thumb}</span></p>'
        '<p class="Do">{views} views</p><p class="Who">From <a href="{profile}"><b>{owner}</b></a></p></td>'
    )
    TURN = '<a href="{url}" class="{text:.4}">{text}</a>'
    WALL = (
        '<h1 id="Tertiary">{title}</h1><table id="GoodStuff" cellspacing="0"><tr>{cells}</tr></table>'
        '<div class="Pages"><div class="Paginator">{pages}</div><div class="Results">({count} photos)</div></div>'
    )
    TAG = (
        '<div class="Tag"><a href="/photos/{owner}/tags/{t}/" class="Globe"><img src="/globe.gif"></a> '
        '<a href="/photos/tags/{t}/" class="Plain">{t}</a></div>'
    )
    COMMENT = (
        '<tr valign="top"><td class="Who"><a href="{profile}"><img src="/b/{n}.jpg" width="48"></a></td>'
        '<td class="Said"><h4><a href="{profile}">{n}</a> says:</h4><p>Nice {title}, {n} would say.</p></td></tr>'
    )
    PIECE = (
        '<table cellspacing="0"><tr><td class="PhotoSide"><h1 class="title_div">{title}</h1>'
        '<div class="photoImgDiv"><img src="/o/{number}.jpg" width="500" height="{number}"></div>'
        '<h3>Comments</h3><table class="notsowide">{comments}</table></td>'
        '<td class="RHS"><table><tr><td><a href="{profile}"><img src="/b/{owner}.jpg" '
        'width="48" height="48"></a></td><td><p class="Widget">Uploaded on May {day}, 2008 by '
        '<a href="{profile}"><b>{owner}</b></a></p></td></tr></table>'
        '<h4>Tags</h4><div class="TagList">{tags}</div></td></tr></table>'
    )
    WORD = '<a href="/photos/{owner}/tags/{t}/" class="Cloud">{t}</a>&nbsp; '
    FRIEND = (
        '<td class="Buddy"><a href="{profile}"><img src="/b/{n}.jpg" width="48" height="48"></a><br>'
        '<a href="{profile}">{n}</a></td>'
    )
    SET = '<p class="Set"><a href="/sets/{k}/">{s}</a></p>'
    PERSON = (
        '<h1>About {name} <small>/ member</small></h1><table><tr><td class="Sets"><h3>Sets</h3>{sets}</td>'
        '<td><h3>Tags</h3><p id="TagCloud">{tags}</p></td></tr></table>'
        '<h3>Contacts</h3><table><tr>{friends}</tr></table><a href="{listing}">Photos</a>'
    )

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


class Utility(Template):
    """Divs with the utility classes of today: every element has a dozen, and all types of page share them."""

    FRAME = (
        '<html><head><title>{title}</title></head><body class="bg-white text-gray-900 antialiased"><div id="root">'
        '<header class="flex items-center p-4 shadow-sm"><a class="font-bold text-xl" href="/">Share</a>'
        '<a class="text-sm ml-4" href="/recent">Recent</a></header><main class="max-w-6xl mx-auto p-4">{body}</main>'
        '<footer class="p-4 text-sm text-gray-500"><a href="/about">About</a></footer></div></body></html>'
    )
    CELL = (
        '<div class="rounded-lg overflow-hidden shadow-sm"><a class="block" href="{detail}">'
        '<img class="w-full" src="/t/{number}.jpg"></a><div class="flex items-center p-2">'
        '<div class="text-sm font-medium truncate">{title}</div>'
        '<a class="text-sm text-gray-500 ml-auto" href="{profile}">{owner}</a></div></div>'
    )
    TURN = '<a class="px-3 py-1 rounded" href="{url}">{text}</a>'
    WALL = (
        '<h1 class="text-2xl font-bold mb-4">{title}</h1><div class="grid grid-cols-3 gap-4">{cells}</div>'
        '<div class="flex justify-center mt-4">{pages}</div>'
    )
    TAG = WORD = '<a class="px-2 py-1 rounded-full bg-gray-100 text-xs" href="/of/{t}">{t}</a>'
    PIECE = (
        '<div class="flex gap-4"><div class="flex-1"><img class="w-full" src="/o/{number}.jpg"></div>'
        '<div class="w-80"><h1 class="text-2xl font-bold">{title}</h1>'
        '<div class="flex items-center mt-2"><a class="flex items-center" href="{profile}">'
        '<img class="rounded-full w-8" src="/a/{owner}.png"><span class="text-sm ml-2">{owner}</span></a></div>'
        '<div class="flex flex-wrap gap-2 mt-4">{tags}</div></div></div>'
    )
    FRIEND = (
        '<a class="flex items-center" href="{profile}"><img class="rounded-full w-8" src="/a/{n}.png">'
        '<span class="text-sm ml-2">{n}</span></a>'
    )
    PERSON = (
        '<div class="text-center"><img class="rounded-full w-32 mx-auto" src="/a/{name}.png">'
        '<h1 class="text-3xl font-bold">{name}</h1><div class="flex flex-wrap gap-2 mt-4">{tags}</div></div>'
        '<div class="mt-8"><h2 class="font-medium">Following</h2><div class="grid grid-cols-2 gap-2">{friends}</div></div>'
    )


class Ads(Template):
    """Between the items stand advertisements with pictures, and in the margin what others like."""

    CELL = (
        '<li class="item">{thumb}<div class="meta"><a href="{detail}">{title}</a>'
        '<span class="author">by <a href="{profile}">{owner}</a></span></div></li>'
    )
    BETWEEN = (
        '<li class="item ad"><a href="http://ads.test/click?to={number}" rel="sponsored"><img src="/ad.gif">'
        '</a><div class="meta"><a href="http://ads.test/click?to={number}">Buy {number} now</a></div></li>'
    )
    TURN = '<a class="p" href="{url}">{text}</a> '
    LIKED = "".join(f'<li><a href="http://ads.test/liked/{k}">Best of {k}</a></li>' for k in range(4))
    WALL = (
        '<div class="left"><h1>{title}</h1><ul class="items">{cells}</ul><div class="pager">{pages}</div></div>'
        f'<div class="right"><h3>Sponsored</h3><ul>{LIKED}</ul><img src="/ad2.gif"></div>'
    )
    AD = '<div class="ad"><a href="http://ads.test/click?to={number}"><img src="/ad.gif"></a></div>'
    PIECE = AD + Template.PIECE + AD

    def cell(self, item: Item, k: int) -> str:
        return super().cell(item, k) + (self.BETWEEN.format(number=item.number) if k % 2 else "")


class Definitions(Template):
    """Definition lists everywhere; what a value is, only the term before it says."""

    CELL = (
        '<dl><dt>{thumb}</dt><dd><a href="{detail}">{title}</a></dd>'
        '<dd class="maker"><a href="{profile}">{owner}</a></dd></dl>'
    )
    TURN = '<dd><a href="{url}">{text}</a></dd>'
    WALL = '<h2>{title}</h2>{cells}<dl class="turn"><dt>Pages</dt>{pages}</dl>'
    TAG = WORD = '<dd class="t"><a href="/word/{t}">{t}</a></dd>'
    PIECE = (
        '<h3>{title}</h3><p><img src="/o/{number}.jpg"></p><dl class="facts"><dt>Artist</dt>'
        '<dd class="m"><a href="{profile}">{owner}</a></dd><dt>Keywords</dt>{tags}'
        '<dt>Added</dt><dd class="d">{number} days ago</dd></dl>'
    )
    SET = '<dd class="s">{s}</dd>'
    FRIEND = '<dd class="f"><a href="{profile}">{n}</a></dd>'
    PERSON = (
        '<h3><i>{name}</i></h3><dl class="card"><dt>Joined</dt><dd class="j">{letters} years ago</dd>'
        "<dt>Keywords</dt>{tags}<dt>Albums</dt>{sets}<dt>Friends</dt>{friends}</dl>"
    )


class Articles(Template):
    """Cards as articles with header, time and footer; older and newer in place of numbers."""

    CELL = (
        '<article class="card card--{size}"><header><a href="{profile}" '
        'class="card__author"><img src="/a/{owner}.png"> {owner}</a> <time datetime="2024-01-0{day}">'
        '{day} days ago</time></header><a href="{detail}" class="card__media"><picture>'
        '<source srcset="/t/{number}.webp"><img src="/t/{number}.jpg"></picture></a>'
        '<footer><span class="likes">{likes} likes</span></footer></article>'
    )
    WALL = '<h1 class="page-title">{title}</h1><section class="feed">{cells}</section><nav class="nav">{pages}</nav>'
    TAG = '<li><a href="/of/{t}" rel="tag">#{t}</a></li>'
    PIECE = (
        '<article class="item"><header class="item__head"><a href="{profile}" class="item__author">'
        '<img src="/a/{owner}.png"> {owner}</a></header><figure><img src="/o/{number}.jpg"><figcaption>'
        '{title}</figcaption></figure><ul class="item__tags">{tags}</ul></article><aside><h2>More</h2>{others}</aside>'
    )

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

    FRAME = (
        '<html dir="rtl" lang="he"><head><title>{title}</title></head><body><nav class="rosh"><a href="/">שיתוף</a> '
        '<a href="/recent">חדש</a></nav>{body}<p class="sof"><a href="/about">אודות</a></p></body></html>'
    )
    CELL = '<div class="kubia">{thumb}<p>מאת <a href="{profile}">{owner}</a></p></div>'
    WALL = '<h1 class="kot">{title}</h1><div class="kir">{cells}</div><p class="dapim">{pages}</p>'
    TAG = WORD = '<a class="milah" href="/of/{t}">{t}</a> '
    PIECE = (
        '<h1 class="shem">{title}</h1><img src="/o/{number}.jpg"><p class="mi">הועלה על ידי '
        '<a href="{profile}">{owner}</a></p><p class="milim">{tags}</p>'
    )
    PERSON = '<h2 class="ish">{name}</h2><p class="milim">{tags}</p><ul class="haverim">{friends}</ul>'

    def turn(self, url: str, text: str) -> str:
        return super().turn(url, {"Next »": "הבא »", "« Previous": "« הקודם"}.get(text, text))


class Videos(Template):
    """Elements of its own making, long lists, counts everywhere, and channels with a handle."""

    CELL = (
        '<v-item><a class="thumb" href="{detail}"><img src="/t/{number}.jpg"><span class="long">3:{seconds:02}'
        '</span></a><h3><a class="title" href="{detail}">{title}</a></h3><v-meta><a class="channel" '
        'href="{profile}">{owner}</a><span>{views} views</span></v-meta></v-item>'
    )
    TURN = '<a class="pg" href="{url}">{text}</a>'
    WALL = "<v-results><p class='about'>{title}</p>{cells}</v-results><v-pages>{pages}</v-pages>"
    TAG = WORD = '<a class="hash" href="/hashtag/{t}">#{t}</a> '
    OTHER = (
        '<v-item><a class="thumb" href="{detail}"><img src="/t/{number}.jpg"></a><h3><a class="title" '
        'href="{detail}">{title}</a></h3><v-meta><a class="channel" href="{profile}">{owner}</a>'
        "<span>{views} views</span></v-meta></v-item>"
    )
    COMMENT = Flickr.COMMENT
    PIECE = (
        '<v-player><video src="/v/{number}.mp4"></video></v-player><h1 class="watch">{title}</h1><v-owner>'
        '<a href="{profile}"><img src="/a/{owner}.png"></a><a class="name" '
        'href="{profile}">{owner}</a> <b>{number} subscribers</b></v-owner>'
        "<v-tags>{tags}</v-tags><v-comments>{comments}</v-comments><v-next>{others}</v-next>"
    )
    FRIEND = '<v-mini><a href="{profile}"><img src="/a/{n}.png"></a><a class="name" href="{profile}">{n}</a></v-mini>'
    PERSON = (
        "<v-banner><h1>{name}</h1><span>{count} videos</span></v-banner><v-about>{tags}</v-about>"
        "<v-subscriptions><h2>Subscriptions</h2>{friends}</v-subscriptions>"
    )

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


TEMPLATES: dict[str, Callable[[], Template]] = {
    "plain": Template, "tables": Tables, "soup": Soup, "figures": Figures, "sidebar": Sidebar, "hashed": Hashed,
    "per page": PerPage, "commas": Commas, "pagers": Pagers, "queries": Queries, "opaque": Opaque,
    "subdomains": Subdomains, "gallery": Gallery, "themes": Themes, "flickr": Flickr, "utility": Utility,
    "hashed per page": HashedPerPage, "ads": Ads, "definitions": Definitions, "articles": Articles,
    "right to left": RightToLeft, "videos": Videos, "opaque cards": OpaqueCards,
}  # fmt: skip
