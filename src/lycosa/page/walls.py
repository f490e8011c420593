"""Walls: pages that stand before the page that was asked for. In: a page and its response. Out: which kind of wall it is.

A challenge, a captcha, a block, a wall of consent or a log-in has signs in its headers, its markup and its words; what tells
it from a page on such things is that there is hardly anything else on it. Nothing here tries to get past one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lycosa.page.document import Document
from lycosa.page.layout import one_line
from lycosa.urls import host_of
from lycosa.values import Fetched

LOOKED_AT = frozenset((200, 202, 401, 403, 405, 406, 429, 451, 503))
"""Statuses under which walls stand."""
FEW_WORDS, SOME_WORDS, MANY_WORDS = 60, 150, 400
MARKUP_CHARS, TEXT_CHARS = 300_000, 5_000

CHALLENGE, CAPTCHA, BLOCK, CONSENT, LOG_IN = "challenge", "captcha", "block", "consent", "log-in"

# Scripts that stand on nothing but challenges, and some of which honest pages of the same hosts load too.
_CHALLENGE_SCRIPTS = re.compile(
    r"/cdn-cgi/challenge-platform/|_cf_chl_opt|cf-turnstile|challenge-form|_Incapsula_Resource|\.awswaf\.com/"
    r"|/x/cmd/anubis|ddos-guard\.net|sucuri_cloudproxy|/vercel/security/|vercel\.link/security-checkpoint",
    re.IGNORECASE,
)
_CAPTCHA_MARKUP = re.compile(
    r"captcha-delivery\.com|px-captcha|g-recaptcha|recaptcha/api\.js|h-captcha|hcaptcha\.com|frc-captcha|geetest"
    r"|validateCaptcha|captchacharacters|arkoselabs|\b(?:id|name)=[\"']?captcha\b",
    re.IGNORECASE,
)
# Sentences that are said to a visitor, and hardly ever of one.
_CHALLENGE_WORDS = re.compile(
    r"""
    verif(?:y(?:ing)?|ies)\s+(?:that\s+)?you(?:\s+are|['’]re)\s+(?:a\s+)?(?:human|not\s+a\s+(?:ro)?bot)
    | enable\s+javascript\s+and\s+cookies\s+to\s+continue | please\s+enable\s+js\s+and
    | checking\s+(?:if\s+the\s+site\s+connection|your\s+browser\s+before\s+access) | verifying\s+your\s+browser
    | review\s+the\s+security\s+of\s+your\s+connection | making\s+sure\s+you['’]re\s+not\s+a\s+bot
    | javascript\s+is\s+required\.\s+please\s+enable | complete\s+the\s+security\s+check\s+(?:to\s+access|before)
    | ihr\s+browser\s+wird\s+überprüft | prüfen,\s+ob\s+sie\s+ein\s+mensch
    | vérification\s+de\s+votre\s+navigateur | nous\s+vérifions\s+que\s+vous
    | verificando\s+(?:que\s+eres|su\s+navegador) | verifica\s+del\s+browser
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CAPTCHA_WORDS = re.compile(
    r"""
    (?:make\s+sure|confirm|know|verify|verifying|prove)\s+(?:that\s+)?you(?:\s+are|['’]re)\s+(?:a\s+human|human|not\s+a\s+(?:ro)?bot)
    | (?:complete|solve)\s+the\s+captcha | enter\s+the\s+characters\s+you\s+see | press\s+(?:&|and)\s+hold\s+to
    | (?:unusual\s+(?:traffic|activity)|automated\s+queries)\s.{0,40}\b(?:your\s+(?:computer|network|ip)|computer\s+or\s+network)
    | your\s+computer\s+or\s+network\s+may\s+be\s+sending\s+automated\s+queries
    | slider\s+to\s+complete\s+the\s+puzzle
    | dass\s+sie\s+kein\s+roboter\s+sind | lösen\s+sie\s+bitte\s+das\s+captcha
    | (?:que\s+no\s+(?:es|eres)|que\s+vous\s+n['’]êtes\s+pas|di\s+non\s+essere|que\s+não\s+é)\s+un[ao]?\s+robot
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BLOCK_WORDS = re.compile(
    r"""
    you\s+have\s+been\s+blocked | (?:ip|access|address)\s+(?:address\s+)?has\s+been\s+(?:blocked|restricted|banned)
    | made\s+us\s+think\s+(?:that\s+)?you\s+(?:were|are|might\s+be)\s+a\s+bot
    | you\s+don['’]t\s+have\s+permission\s+to\s+access | the\s+requested\s+url\s+was\s+rejected
    | request\s+unsuccessful\.\s+incapsula | access\s+to\s+this\s+page\s+has\s+been\s+denied
    | website\s+firewall | you\s+have\s+made\s+too\s+many\s+requests | automated\s+access\s+to\s+this
    | (?:content|site|website|page)\s+is\s+(?:not|un)\s?available\s+in\s+your\s+(?:region|country|location)
    | access\s+cannot\s+be\s+granted | ihr\s+zugriff\s+wurde | activité\s+inhabituelle\s+depuis\s+votre
    | actividad\s+inusual\s+desde\s+su | su\s+acceso\s+ha\s+sido
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WALL_TITLES = (
    (
        CHALLENGE,
        r"just a moment\W*|attention required!.*|one more step|you are being redirected\W*|security checkpoint|.* security checkpoint"
        r"|ddos-guard|einen moment bitte\W*|un instant\W*|checking your browser.*",
    ),
    (
        CAPTCHA,
        r"robot check|are you a robot\W*|human verification|bot verification|security verification|h?captcha|sorry\W*"
        r"|sicherheitsabfrage|verificación",
    ),
    (
        BLOCK,
        r"access denied\W*|access denied - .*|blocked|too many requests|rate limit exceeded|request rejected|pardon our interruption\W*"
        r"|forbidden|zugriff verweigert|accès refusé|acceso denegado|accesso negato|not available in your (?:region|country)",
    ),
)
_TITLES = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _WALL_TITLES]
_CONSENT_TITLE = re.compile(
    r"before you continue|bevor sie fortfahren|avant de continuer|antes de continuar|prima di continuare|\bconsent\b|^zustimmung\b"
    r"|privacy gate|we value your privacy|cookies on this site|mit werbung weiterlesen|usamos cookies|age verification|^terms of access"
    r"|accept the (?:terms|cookies) to continue",
    re.IGNORECASE,
)
_ACCEPT = re.compile(
    r"\b(?:accept\w*|agree|i agree|consent|yes|akzeptier\w*|zustimmen|j['’]accepte|acept\w+|accett\w+|aceitar)\b",
    re.IGNORECASE,
)
_LOG_IN = re.compile(
    r"\blog[\s-]?in\b|\bsign[\s-]?in\b|\blogin\b|\banmeld(?:en|ung)\b|\bse connecter\b|\bconnexion\b|\bconnectez-vous\b|\biniciar? sesión\b"
    r"|\binicia sesión\b|\baccedi\b|\bentrar\b|members only|authorization required",
    re.IGNORECASE,
)


def wall_of(document: Document, fetched: Fetched) -> str:
    """The kind of wall that a page is; '' if it is none."""
    if fetched.status not in LOOKED_AT:
        return ""
    if fetched.header("cf-mitigated") == "challenge" or fetched.header("x-amzn-waf-action") in (
        CHALLENGE,
        CAPTCHA,
    ):
        return CHALLENGE
    if document.is_all_text or document.words > (SOME_WORDS if fetched.status == 200 else MANY_WORDS):
        return ""
    headings = [one_line(node.text()[:500]) for node in document.tree.css("h1,h2,h4")[:4]]
    said = [document.title, *headings]
    return _challenge_or_block(document, said, fetched.status != 200) or _gate(document, said, fetched.status)


def _challenge_or_block(document: Document, said: Sequence[str], is_error: bool) -> str:
    words, markup = document.words, document.html[:MARKUP_CHARS]
    body = document.tree.body
    text = " ".join(
        [*said, one_line(body.text(separator=" ")[: 4 * TEXT_CHARS])[:TEXT_CHARS] if body else ""]
    )
    few, some = (SOME_WORDS, MANY_WORDS) if is_error else (FEW_WORDS, SOME_WORDS)
    widget = _CAPTCHA_MARKUP.search(markup) is not None
    if words <= some:
        if _CAPTCHA_WORDS.search(text):
            return CAPTCHA
        if _CHALLENGE_WORDS.search(text):
            return CAPTCHA if widget else CHALLENGE
        if _BLOCK_WORDS.search(text):
            return BLOCK
    if words <= few:
        if _CHALLENGE_SCRIPTS.search(markup):
            return CHALLENGE
        for kind, pattern in _TITLES:
            if any(pattern.fullmatch(line.strip()) for line in said):
                return CAPTCHA if widget else kind
    return CAPTCHA if widget and words <= FEW_WORDS // 4 else ""


def _gate(document: Document, said: Sequence[str], status: int) -> str:
    """A wall that a person could pass: by consenting, or with an account."""
    if status == 401:
        return LOG_IN
    if document.words > SOME_WORDS:
        return ""
    buttons = document.tree.css("button,input[type=submit]")[:50]
    is_asked = host_of(document.url).startswith("consent.") or any(map(_CONSENT_TITLE.search, said))
    if is_asked and any(
        _ACCEPT.search(node.text()[:200] or node.attributes.get("value") or "") for node in buttons
    ):
        return CONSENT
    asks_password = document.tree.css_first("input[type=password i]") is not None
    return LOG_IN if asks_password and document.words <= FEW_WORDS and any(map(_LOG_IN.search, said)) else ""
