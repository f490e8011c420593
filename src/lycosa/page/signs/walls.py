"""Recognise walls: challenges, captchas, blocks, consent pages and log-ins served instead of a page.

A wall shows in headers, markup and words, and has hardly any other text. Nothing here tries to get past one.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from lycosa.page.document import Document
from lycosa.page.text.layout import one_line
from lycosa.urls import host_of
from lycosa.values import Fetched

LOOKED_AT = frozenset((200, 202, 401, 403, 405, 406, 429, 451, 503))
"""Statuses under which walls stand."""
FEW_WORDS, SOME_WORDS, MANY_WORDS = 60, 150, 400
MARKUP_CHARS, TEXT_CHARS = 300_000, 5_000
BESIDE_LOG_IN = 15
"""Words beside its form that a page may have which is nothing but a log-in, in whatever language."""
_WRITTEN_WITH = "textarea,form input[type=email i]"

CHALLENGE, CAPTCHA, BLOCK, CONSENT, LOG_IN = "challenge", "captcha", "block", "consent", "log-in"

# Scripts that stand on nothing but challenges, and some of which honest pages of the same hosts load too.
_CHALLENGE_SCRIPTS = re.compile(
    r"/cdn-cgi/challenge-platform/|_cf_chl_opt|cf-turnstile|challenge-form|_Incapsula_Resource|\.awswaf\.com/"
    r"|/x/cmd/anubis|ddos-guard\.net|sucuri_cloudproxy|/vercel/security/|vercel\.link/security-checkpoint"
    r"|\bKPSDK\b|/_fs-ch-|/go-away/|sec-if-cpt|[?&]bm-verify=|/rbzns/|/sd/punish/",
    re.IGNORECASE,
)
_CAPTCHA_MARKUP = re.compile(
    r"captcha-delivery\.com|px-captcha|g-recaptcha|recaptcha/api\.js|h-captcha|hcaptcha\.com|frc-captcha|geetest"
    r"|validateCaptcha|captchacharacters|arkoselabs|\b(?:id|name|class|src|action)=[\"']?[^\"'>\s]{0,60}captcha",
    re.IGNORECASE,
)
# Sentences that are said to a visitor, and hardly ever of one.
_CHALLENGE_WORDS = re.compile(
    r"""
    verif(?:y(?:ing)?|ies)\s+(?:that\s+)?you(?:\s+are|['’]re)\s+(?:a\s+)?(?:human|not\s+a\s+(?:ro)?bot)
    | enable\s+javascript\s+and\s+cookies\s+to\s+continue | please\s+enable\s+js\s+and
    | (?:checking|check|verifying|validating)\s+(?:if\s+the\s+site|your)\s+(?:browser|connection)(?!\w|['’])
    | review\s+the\s+security\s+of\s+your\s+connection | making\s+sure\s+you['’]re\s+not\s+a\s+bot
    | javascript\s+is\s+required\.\s+please\s+enable | complete\s+the\s+security\s+check\s+(?:to\s+access|before)
    | ihr\s+browser\s+wird\s+überprüft | prüfen,\s+ob\s+sie\s+ein\s+mensch
    | vérification\s+de\s+votre\s+navigateur | nous\s+vérifions\s+que\s+vous
    | verific(?:a|ando)\s+(?:que\s+eres|su\s+navegador|se\s+você\s+é\s+humano) | verifica\s+del\s+browser
    | проверк\w+\s+(?:вашего\s+)?браузера | controleren\s+of\s+(?:uw|je)\s+verbinding
    | 验证您是真人 | 检查您的(?:连接|浏览器) | 人間であることを確認 | sprawdzamy\s+(?:twoją|państwa)\s+przeglądarkę
    | verificando\s+(?:o\s+)?seu\s+navegador
    """,
    re.IGNORECASE | re.VERBOSE,
)
_CAPTCHA_WORDS = re.compile(
    r"""
    (?:make\s+sure|confirm|know|verify|verifying|prove)\s+(?:that\s+)?you(?:\s+are|['’]re)\s+(?:a\s+human|human|not\s+a\s+(?:ro)?bot|a\s+(?:real\s+)?person)
    | (?:complete|solve)\s+the\s+captcha | enter\s+the\s+characters\s+you\s+see
    | press\s+(?:&|and)\s+hold\s+(?:the\s+button\s+)?to\s+(?:confirm|verify|prove)
    | (?:unusual\s+(?:traffic|activity)|automated\s+queries)\s.{0,40}\b(?:your\s+(?:computer|network|ip)|computer\s+or\s+network)
    | your\s+computer\s+or\s+network\s+may\s+be\s+sending\s+automated\s+queries
    | slider\s+to\s+complete\s+the\s+puzzle
    | dass\s+sie\s+kein\s+roboter\s+sind | lösen\s+sie\s+bitte\s+das\s+captcha
    | (?:que\s+no\s+(?:es|eres)|que\s+vous\s+n['’]êtes\s+pas|di\s+non\s+essere|que\s+não\s+é)\s+un[ao]?\s+robot
    | отправляли\s+вы,\s+а\s+не\s+робот | подтвердите,\s+что\s+вы\s+не\s+робот | nie\s+jeste\w+\s+robotem
    | dat\s+(?:u|je)\s+geen\s+robot | que\s+você\s+não\s+é\s+um\s+robô
    | ロボットでは(?:ない|ありません) | 请?完成(?:下列|以下)?(?:安全)?验证
    """,
    re.IGNORECASE | re.VERBOSE,
)
_BLOCK_WORDS = re.compile(
    r"""
    you\s+(?:have\s+been|are(?:\s+being)?)\s+(?:rate[\s-]limited|blocked|banned) | (?:has|have)\s+banned\s+you
    | (?:your|this|the)\s+(?:ip|address|access|request|connection|browser|network)\b.{0,40}?
      \s(?:is|was|has\s+been|have\s+been)\s+(?:\w+\s+){0,2}(?:blocked|banned|limited|restricted|denied|rejected|flagged|paused)
    | (?:ip|access|address)\s+(?:address\s+)?has\s+been\s+(?:blocked|restricted|banned)
    | your\s+(?:browsing\s+)?activity\s+has\s+been\s+paused | your\s+ip\s+(?:address\s+)?is\s+on | request\s+blocked\. | request\s+could\s+not\s+be\s+satisfied
    | made\s+us\s+think\s+(?:that\s+)?you\s+(?:were|are|might\s+be)\s+a\s+bot | came\s+from\s+an\s+automated
    | you(?:\s+don['’]t\s+have\s+permission|(?:\s+are|['’]re)\s+not\s+allowed)\s+to\s+access
    | the\s+requested\s+url\s+was\s+rejected | generated\s+by\s+mod_?security | \battack\s+id:\s*\d
    | request\s+unsuccessful\.\s+incapsula | access\s+to\s+this\s+page\s+has\s+been\s+denied
    | website\s+firewall | you\s+have\s+made\s+too\s+many\s+requests
    | automated\s+access\s.{0,60}\b(?:not\s+(?:permitted|allowed)|prohibited|forbidden|blocked)
    | (?:content|site|website|page)\s+is\s+(?:not|un)\s?available\s+in\s+your\s+(?:region|country|location)
    | access\s+cannot\s+be\s+granted | ihr\s+zugriff\s+wurde | activité\s+inhabituelle\s+depuis\s+votre
    | actividad\s+inusual\s+desde\s+su | su\s+acceso\s+ha\s+sido
    | ваш\s+ip\S*\s+(?:\w+\s+)?заблокирован | 您的(?:访问|请求|ip).{0,10}(?:阻断|拒绝|限制|封禁)
    | (?:접속|접근)이\s*(?:차단|거부|제한)되었습니다
    | アクセス(?:が|は).{0,10}(?:拒否|制限|ブロック) | (?:uw|je)\s+(?:ip-adres|toegang)\s+is\s+geblokkeerd
    | (?:twój|państwa)\s+(?:adres\s+ip|dostęp)\s+został\s+zablokowany | seu\s+acesso\s+foi\s+bloqueado
    """,
    re.IGNORECASE | re.VERBOSE,
)
_WALL_TITLES = (
    (
        CHALLENGE,
        r"just a moment\W*|attention required!.*|one more step|you are being redirected\W*|security checkpoint|.* security checkpoint"
        r"|ddos-guard|einen moment bitte\W*|un instant\W*|un? momento\W*|um momento\W*|checking your browser.*|client challenge",
    ),
    (
        CAPTCHA,
        r"robot check|are you a robot\W*|human verification|bot verification|security verification|h?captcha"
        r"|sicherheitsabfrage|verificación|.{0,6}安全验证",
    ),
    (
        BLOCK,
        r"access denied\W*|access denied - .*|blocked|too many requests|rate limit exceeded|request rejected|pardon our interruption\W*"
        r"|(?:403 )?forbidden|zugriff verweigert|accès refusé|acceso denegado|accesso negato|not available in your (?:region|country)"
        r"|(?:the )?request is blocked\W*|(?:web )?page blocked\W*|not acceptable\W*|доступ (?:ограничен|запрещ[её]н)|访问被拒绝",
    ),
)
_TITLES = [(kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _WALL_TITLES]
# A page that only has such a title may be a song or a novel: one that speaks to a visitor, or gives the number of a case, is none.
_SPEAKS_TO_VISITOR = re.compile(
    r"\b(?:your?|you['’]\w+|sie|ihre?[mnr]?|vous|votre|usted|su|tu[oa]?|uw|je|вы|ваш\w*|вас|twoj\w*|você|seu)\b|您|お客様|あなた"
    r"|\b(?:ray|support|incident|reference|request|event|block|attack)[\s-](?:id\b|number|code|#)",
    re.IGNORECASE,
)
_CONSENT_TITLE = re.compile(
    r"before you continue|bevor sie fortfahren|avant de continuer|antes de continuar|prima di continuare|voordat (?:je|u) verdergaat"
    r"|\bconsent\b|\bzustimmung\b|\bzgod\w+|privacy|cookies?\b|mit werbung weiterlesen|vie privée|privacidade?|integritet\b|súkromi\w+|soukromí|weiterlesen mit werbung|prywatno\w+|datenschutz"
    r"|^terms of access|accept the (?:terms|cookies) to continue",
    re.IGNORECASE,
)
_DATA = re.compile(
    r"cookie|partner|personal data|personalised|tracking|terms of use|persönlich|données|datos|dati personali|dane|dados|gegevens|данны",
    re.IGNORECASE,
)
_AGE_TITLE = re.compile(
    r"age verification|\bover (?:18|21)\b|\b(?:18|21)(?: years)? (?:or|and) (?:older|over)\b|of legal (?:drinking )?age|adults only",
    re.IGNORECASE,
)
_ACCEPT = re.compile(
    r"\b(?:accept\w*|agree|i agree|consent|yes|akzeptier\w*|zustimmen|einwilligen|j['’]accepte|acept\w+|accett\w+|aceitar|accepteren|zgadzam|godkänn\w*|souhlas\w*|súhlas\w*)\b",
    re.IGNORECASE,
)
_ENTER = re.compile(r"\b(?:yes|enter|i am|i['’]m|ja|oui|s[ií])\b", re.IGNORECASE)
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
    # A form that somebody may write to people with is guarded by a captcha, and is not behind one.
    widget = _CAPTCHA_MARKUP.search(markup) is not None and not document.tree.css_first(_WRITTEN_WITH)
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
        speaks = is_error or widget or _SPEAKS_TO_VISITOR.search(text) or document.tree.css_first("noscript")
        for kind, pattern in _TITLES:
            if speaks and any(pattern.fullmatch(line.strip()) for line in said):
                return CAPTCHA if widget else kind
    return CAPTCHA if widget and words <= FEW_WORDS // 2 else ""


def _gate(document: Document, said: Sequence[str], status: int) -> str:
    """A wall that a person could pass: by consenting, or with an account."""
    if status == 401:
        return LOG_IN
    if document.words > SOME_WORDS:
        return ""
    buttons = [
        node.text()[:200] or node.attributes.get("value") or ""
        for node in document.tree.css("button,input[type=submit]")[:50]
    ]
    if any(map(_AGE_TITLE.search, said)) and any(map(_ENTER.search, buttons)):
        return CONSENT
    # Not any heading: a banner above a page may have one too.
    asked = [document.title, *(node.text()[:500] for node in document.tree.css("h1")[:1])]
    is_asked = host_of(document.url).startswith("consent.") or any(map(_CONSENT_TITLE.search, asked))
    if is_asked and any(map(_ACCEPT.search, buttons)) and _DATA.search(document.html[:MARKUP_CHARS]):
        return CONSENT
    asks_password = document.tree.css_first("input[type=password i]") is not None
    if not asks_password or document.words > FEW_WORDS:
        return ""
    return LOG_IN if any(map(_LOG_IN.search, said)) or _beside_forms(document) <= BESIDE_LOG_IN else ""


def _beside_forms(document: Document) -> int:
    """How many words a page has beside those of its forms; two characters of a script without spaces are one."""
    body = document.tree.body
    inside = sum(_length(form.text(separator=" ")) for form in document.tree.css("form")[:20])
    return _length(body.text(separator=" ")[:TEXT_CHARS]) - inside if body else 0


def _length(text: str) -> int:
    return len(text.split()) + sum(char > "\u2e7f" for char in text) // 2
