"""Recognise error pages that are sent with status 200."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborHTMLParser

from lycosa.page.text.layout import one_line

MAX_WORDS = 250

_ERROR = re.compile(
    r"""
    \b(?:error|fehler|erreur|errore|erro|fout|http)\W{0,3}(?:404|410)\b | ^(?:404|410)\W*$
    | ^(?:404|410)\W{1,4}(?:(?:page|file|seite|página|pagina)\s+)?(?:error|fehler|erreur|not|nicht|non|no|não|niet)\b
    | ^(?:404|410)\s*[-–—|:•]
    | \b(?:page|file|document|url|site|article|resource|object)\s+(?:was\s+|is\s+|could\s+|can)?\s*
      (?:not\s+(?:be\s+)?found|not\s+available|no\s+longer\s+(?:exists?|available)|does\s?n[o']t\s+exist|unavailable)
    | ^(?:not\s+found|page\s+missing|nothing\s+found|oops)\W*$
    | \bseite\s+(?:wurde\s+)?(?:leider\s+)?nicht\s+(?:gefunden|verfügbar|vorhanden) | \bseite\s+existiert\s+nicht
    | \bpage\s+(?:introuvable|non\s+trouvée|inexistante) | \bn[’']existe\s+(?:pas|plus)\b
    | \bpágina\s+(?:no\s+(?:encontrada|existe|disponible)|não\s+(?:encontrada|existe)) | \bno\s+se\s+(?:ha\s+)?encontr(?:ó|ado)\s+la\s+página
    | \bpagina\s+(?:non\s+(?:trovata|esiste|disponibile)|niet\s+(?:gevonden|beschikbaar)|bestaat\s+niet)
    | ページが見つかりません | 页面不存在 | 找不到页面 | 页面未找到
    """,
    re.IGNORECASE | re.VERBOSE,
)


def is_soft_404(tree: LexborHTMLParser, title: str, words: int) -> bool:
    """Whether a page's title or headings speak of a missing page, and it has hardly any other text.

    >>> tree = LexborHTMLParser("<h1>Route 404</h1>")
    >>> is_soft_404(tree, "Page not found", 40), is_soft_404(tree, "How to fix 'page not found'", 900)
    (True, False)
    >>> is_soft_404(tree, "Bus 404 to Wembley", 120)
    False
    """
    if words > MAX_WORDS:
        return False
    headings = [one_line(node.text()[:1000]) for node in tree.css("h1,h2")[:3]]
    return any(_ERROR.search(text) for text in (title, *headings))
