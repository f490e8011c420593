"""Render drafts as HTML in the style of real sites: blog, paper, old, wiki, forum, shop."""

from __future__ import annotations

import json
from collections.abc import Sequence
from html import escape
from random import Random

from lycosa_lab.demo_web.linking import Links, Out
from lycosa_lab.demo_web.plan import Draft

STYLE = b"body{font-family:Georgia,serif;max-width:60em;margin:auto}nav li{display:inline;margin:.4em}\n"
FOOTER = "Made by hand in Aldermouth. All rights reserved, none enforced."


def page(draft: Draft, links: Links, rng: Random) -> bytes:
    """The page as HTML."""
    write = _old if draft.site.look == "old" else _modern
    return write(draft, links, rng).encode()


def printed(draft: Draft) -> bytes:
    """The print version: the same text without navigation."""
    return (
        f'<!DOCTYPE html><html lang="{draft.language}"><head><title>{escape(draft.text.title)} (print)</title>'
        f'<link rel="canonical" href="{draft.url}"></head><body><h1>{escape(draft.text.title)}</h1>'
        f'{_paragraphs(draft, ())}<p><a href="{draft.url}">Back to the article</a></p></body></html>'
    ).encode()


def _modern(draft: Draft, links: Links, rng: Random) -> str:
    site = draft.site
    tag = {"forum": "section", "shop": "div"}.get(site.look, "article")
    body = _paragraphs(draft, _spread(draft, links.inline, rng))
    return f"""<!DOCTYPE html>
<html lang="{draft.language}">
<head>
<meta charset="utf-8">
<title>{escape(draft.text.title)} | {escape(site.title)}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="stylesheet" href="/style.css">
{_date_in_head(draft)}</head>
<body class="{site.look}">
<header><a href="/"><img src="/logo.svg" alt="" width="48" height="48"></a> <b>{escape(site.title)}</b></header>
<nav><ul>
<li><a href="/">Home</a></li>
{_items(links.menu)}
</ul></nav>
<main><{tag}>
<h1>{escape(draft.text.title)}</h1>
{_date_in_body(draft)}{_picture(draft)}{body}
</{tag}></main>
<aside><h2>{"Contents" if draft.hub else "Related"}</h2><ul>
{_items(links.related)}
</ul></aside>
<footer><p>{FOOTER} <a href="/">{escape(site.title)}</a></p></footer>
</body>
</html>
"""


def _old(draft: Draft, links: Links, rng: Random) -> str:
    """Tables, capitals and missing end tags, as people wrote pages by hand."""
    menu = "<BR>\n".join(f'<A HREF="{out.target}">{escape(out.anchor)}</A>' for out in links.menu)
    body = _paragraphs(draft, _spread(draft, links.inline, rng)).replace("</p>", "").replace("<p>", "<P>")
    related = "\n".join(f"<LI>{_link(out)}" for out in links.related)
    return f"""<HTML LANG={draft.language}><HEAD><META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=utf-8">
<TITLE>{escape(site_title(draft))}</TITLE></HEAD>
<BODY BGCOLOR=#FFFFF0>
<TABLE BORDER=0 WIDTH=100%><TR><TD COLSPAN=2><FONT SIZE=+2><A HREF="/">{escape(draft.site.title)}</A></FONT>
<TR><TD WIDTH=160 VALIGN=TOP>
{menu}
<TD><H2>{escape(draft.text.title)}</H2>
{_date_in_body(draft)}{_picture(draft)}{body}
<UL>
{related}
</UL>
</TABLE>
<HR><I>{FOOTER}</I>
</BODY></HTML>
"""


def site_title(draft: Draft) -> str:
    """The title element of a page, as old sites write it."""
    return f"{draft.site.title}: {draft.text.title}"


def _spread(draft: Draft, outs: Sequence[Out], rng: Random) -> tuple[tuple[int, Out], ...]:
    """Each inline link with the number of the paragraph that it ends."""
    return tuple((rng.randrange(len(draft.text.paragraphs)), out) for out in outs)


def _paragraphs(draft: Draft, placed: Sequence[tuple[int, Out]]) -> str:
    return "\n".join(
        f"<p>{escape(paragraph, quote=False)}{''.join(f' {_link(out)}.' for at, out in placed if at == number)}</p>"
        for number, paragraph in enumerate(draft.text.paragraphs)
    )


def _items(outs: Sequence[Out]) -> str:
    return "\n".join(f"<li>{_link(out)}</li>" for out in outs)


def _link(out: Out) -> str:
    before = f"{escape(out.before, quote=False)} " if out.before else ""
    return f'{before}<a href="{escape(out.target)}">{escape(out.anchor, quote=False)}</a>'


def _picture(draft: Draft) -> str:
    if not draft.picture:
        return ""
    alt = escape(draft.text.subject)
    return f'<p><img src="{draft.picture}" alt="{alt}" width="160" height="120"></p>\n'


def _date_in_head(draft: Draft) -> str:
    if not draft.date or draft.site.dated not in ("meta", "jsonld"):
        return ""
    if draft.site.dated == "meta":
        return f'<meta property="article:published_time" content="{draft.date}T08:00:00+00:00">\n'
    facts = {"@context": "https://schema.org", "@type": "NewsArticle", "headline": draft.text.title}
    facts["datePublished"] = str(draft.date)
    return f'<script type="application/ld+json">{json.dumps(facts)}</script>\n'


def _date_in_body(draft: Draft) -> str:
    if not draft.date or draft.site.dated not in ("time", "text"):
        return ""
    if draft.site.dated == "time":
        return f'<p><time datetime="{draft.date}">{draft.date:%d.%m.%Y}</time></p>\n'
    return f"<p>Posted on {draft.date.day} {draft.date:%B %Y}</p>\n"
