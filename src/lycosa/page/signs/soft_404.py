"""Error pages that say 200 OK. In: title, headings, number of words. Out: whether it is one."""

from __future__ import annotations

import re
from collections.abc import Sequence

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


def is_soft_404(title: str, headings: Sequence[str], words: int) -> bool:
    """Whether title or headings speak of a missing page, and there is hardly any other text.

    >>> is_soft_404("Page not found", [], 40), is_soft_404("How to fix 'page not found'", [], 900)
    (True, False)
    >>> is_soft_404("Bus 404 to Wembley", ["Route 404"], 120)
    False
    """
    if words > MAX_WORDS:
        return False
    return any(_ERROR.search(text) for text in (title, *headings))
