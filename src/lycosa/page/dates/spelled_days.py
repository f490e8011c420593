"""Read days from URLs and short texts, as people and programs write them.

No day before the Web or after the latest day allowed is returned.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime

FIRST_PAGE = date(1991, 8, 6)
"""The day of the first Web page: nothing was published before."""

TEXT_CHARS = 200
"""A text that names a day is read up to here."""
_URL_CHARS = 2000

_MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan januar jänner janvier janv enero ene gennaio gen janeiro januari stycznia "
            "styczeń ocak января ledna ianuarie január tammikuuta січня ιανουαρίου gener يناير जनवरी",
            "february feb februar feber février fevrier févr fev febrero febbraio fevereiro februari "
            "lutego luty şubat февраля února februarie február helmikuuta лютого φεβρουαρίου febrer "
            "فبراير फरवरी फ़रवरी",
            "march mar märz maerz mär mrz mars marzo março marco maart mrt marca marzec mart марта "
            "března martie március maaliskuuta березня μαρτίου març marts maret مارس मार्च",
            "april apr avril avr abril abr aprile kwietnia kwiecień nisan апреля dubna aprilie április "
            "huhtikuuta квітня απριλίου أبريل अप्रैल",
            "may mai mayo maggio mag maio mei maja maj mayıs мая května május toukokuuta травня μαΐου "
            "maig مايو मई",
            "june jun juni juin junio giugno giu junho czerwca czerwiec haziran июня června iunie "
            "június kesäkuuta червня ιουνίου juny يونيو जून",
            "july jul juli juillet juil julio luglio lug julho lipca lipiec temmuz июля července iulie "
            "július heinäkuuta липня ιουλίου juliol يوليو जुलाई",
            "august aug août aout agosto ago augustus augusti sierpnia sierpień ağustos августа srpna "
            "augusztus elokuuta серпня αυγούστου agost agustus avgust أغسطس अगस्त",
            "september sep sept septembre septiembre settembre set setembro września wrzesień eylül "
            "сентября září septembrie szeptember syyskuuta вересня σεπτεμβρίου setembre سبتمبر सितंबर सितम्बर",
            "october oct oktober okt octobre octubre ottobre ott outubro października październik ekim "
            "октября října octombrie október lokakuuta жовтня οκτωβρίου أكتوبر अक्टूबर अक्तूबर",
            "november nov novembre noviembre novembro listopada listopad kasım ноября listopadu "
            "noiembrie marraskuuta листопада νοεμβρίου نوفمبر नवंबर नवम्बर",
            "december dec dezember dez décembre decembre déc diciembre dic dicembre dezembro grudnia "
            "grudzień aralık декабря prosince decembrie joulukuuta грудня δεκεμβρίου desembre desember "
            "ديسمبر दिसंबर दिसम्बर",
        ),
        start=1,
    )
    for name in names.split()
}
_MONTH = "|".join(sorted(_MONTHS, key=len, reverse=True))
_URL_MONTH_NAME = (
    "january|february|march|april|may|june|july|august|september|october|november|december|"
    "jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec"
)
_YEAR = r"(?P<y>199\d|20\d\d)"
_KEY = r"[?&](?:date|day|datum|fecha|data|dt|pubdate)="
_SLASH = r"(?:/|%2f)"

_URL_PATTERNS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        # /2016/07/10/  /2016/7/1/  /2016/jul/10/. Not /2016/07/10-tips: a list, not a day.
        rf"/{_YEAR}/(?P<m>\d\d?|{_URL_MONTH_NAME})/(?P<d>\d\d?)(?=[/?&#_.]|$)",
        rf"/{_YEAR}/?(?P<m>0\d|1[0-2])(?P<d>[0-3]\d)(?=[/?&#]|$)",
        rf"/{_YEAR}[-_.](?P<m>0\d|1[0-2])/(?P<d>[0-3]\d)(?=\D|$)",
        # 2016-07-10  2016_07_10  2016.07.10
        rf"(?<!\d)(?<!\d[-_.]){_YEAR}(?P<s>[-_.])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?)(?!\d)(?![-_.]\d{{5}})",
        # 10-jul-2016, jul-10-2016
        rf"(?<!\d)(?P<d>[0-3]?\d)(?P<s>[-_.])(?P<m>{_URL_MONTH_NAME})(?P=s){_YEAR}(?!\d)",
        rf"(?<![a-z0-9])(?P<m>{_URL_MONTH_NAME})(?P<s>[-_.])(?P<d>[0-3]?\d)(?P=s){_YEAR}(?!\d)",
        # 30-07-2016; of 10-07-2016 nobody knows the month
        rf"(?<!\d)(?<!\d[-_.])(?P<d>1[3-9]|2\d|3[01])(?P<s>[-_.])(?P<m>[01]\d)(?P=s){_YEAR}(?!\d)",
        rf"(?<!\d)(?<!\d[-_.])(?P<m>[01]\d)(?P<s>[-_.])(?P<d>1[3-9]|2\d|3[01])(?P=s){_YEAR}(?!\d)",
        rf"{_KEY}(?P<d>[0-3]?\d)(?P<s>{_SLASH}|[-.])(?P<m>[01]?\d)(?P=s){_YEAR}(?!\d)",
        rf"{_KEY}{_YEAR}{_SLASH}(?P<m>[01]?\d){_SLASH}(?P<d>[0-3]?\d)(?!\d)",
        rf"[?&]y(?:ear)?={_YEAR}&m(?:onth)?=(?P<m>[01]?\d)&d(?:ay)?=(?P<d>[0-3]?\d)(?!\d)",
        # 20160710 without a digit or letter next to it
        rf"(?<![a-z0-9%]){_YEAR}(?P<m>[01]\d)(?P<d>[0-3]\d)(?:t?\d{{4}}(?:\d\d)?z?)?(?![a-z0-9%])",
    )
)
_NUMBER_OF_A_THING = re.compile(
    r"(?:\b|_)(?:id|[a-z]{1,9}_?id|no|nr|num|number|item|items|sku|isbn|product|products|produkt|model|part|p|pid|tid|"
    r"node|dp|ref|order|patent|user|users|u|profile|thread|topic|phone|tel|zip)[=/\-_.]$",
    re.IGNORECASE,
)
_HAS_YEAR = re.compile(r"199\d|20\d\d")
_MONTH_OF_URL = re.compile(rf"/{_YEAR}[/-](?P<m>0\d|1[0-2]|{_URL_MONTH_NAME})(?=/)", re.IGNORECASE)
_ARCHIVED = re.compile(r"/(?:19|20)\d{12}(?:[a-z]{2}_)?/(?=\w)", re.IGNORECASE)

_SPELLINGS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<!\d){_YEAR}(?P<s>[-/.])(?P<m>\d\d?)(?P=s)(?P<d>\d\d?)(?!\d)",
        rf"{_YEAR}\s?[年년]\s?(?P<m>\d\d?)\s?[月월]\s?(?P<d>\d\d?)\s?[日일]",
        rf"(?<!\d)(?P<d>[0-3]?\d)(?:st|nd|rd|th|er|º)?\.?[\s\-/]{{0,3}}(?:of |de |d['’])?(?P<m>{_MONTH})(?!\w)\.?,?"
        rf"(?: del?| do|,)?[\s\-/]{{0,3}}{_YEAR}(?!\d)",
        rf"\b(?P<m>{_MONTH})(?!\w)\.?\s{{0,2}}(?P<d>[0-3]?\d)(?:st|nd|rd|th)?\s?,?\s{{0,2}}{_YEAR}(?!\d)",
        # 2016. július 10.  2016 July 10  2016-Jul-10
        rf"(?<!\d){_YEAR}[\s.,\-]{{1,3}}(?P<m>{_MONTH})(?!\w)\.?[\s\-]{{1,2}}(?P<d>[0-3]?\d)(?!\d)",
        r"(?<!\d)(?P<d>[0-3]?\d)\.\s?(?P<m>[01]?\d)\.\s?(?P<y>199\d|20\d\d|[0-3]\d)(?![\d.])",
        rf"(?<!\d){_YEAR}(?P<m>[01]\d)(?P<d>[0-3]\d)(?=\D|\d{{4}}(?:\d\d)?(?:\D|$)|$)",
    )
)
_SLASHED = re.compile(rf"(?<!\d)(?P<a>[0-3]?\d)(?P<s>[/-])(?P<b>[0-3]?\d)(?P=s){_YEAR}(?!\d)")
_EPOCH = re.compile(r"\s*(\d{9,10})(?:\d{3})?\s*$")


def date_of_url(url: str, today: date | None = None) -> date | None:
    """The day that a URL names, or None; never one in the future or before the Web.

    >>> date_of_url("http://cnn.example/2016/07/10/us/protests/index.html")
    datetime.date(2016, 7, 10)
    >>> date_of_url("http://a.example/world/2016/jul/10/nice"), date_of_url("http://a.example/item/20160710")
    (datetime.date(2016, 7, 10), None)
    """
    path = _own_part(url)
    if _HAS_YEAR.search(path) is None:
        return None
    latest = today or datetime.now(UTC).date()
    for pattern in _URL_PATTERNS:
        for match in pattern.finditer(path):
            if _NUMBER_OF_A_THING.search(path, max(0, match.start() - 20), match.start("y")):
                continue
            if found := _day(match["y"], match["m"], match["d"], latest):
                return found
    return None


def month_of_url(url: str) -> tuple[int, int] | None:
    """Year and month of paths like /2016/07/some-title.

    >>> month_of_url("http://a.example/2016/07/10-tips"), month_of_url("http://a.example/2016/")
    ((2016, 7), None)
    """
    match = _MONTH_OF_URL.search(_own_part(url))
    return (int(match["y"]), _month_number(match["m"])) if match else None


def _own_part(url: str) -> str:
    """Path and query, capped; of an archive's URL only those of the page that it keeps."""
    url = url[:_URL_CHARS]
    if archived := _ARCHIVED.search(url):
        url = url[archived.end() :]
    start = url.find("/", url.find("//") + 2 if "//" in url[:10] else 0)
    return url[start:] if start >= 0 else ""


def _month_number(month: str) -> int:
    return int(month) if month.isdigit() else _MONTHS.get(month.lower(), 0)


def _day(year: str, month: str, day: str, latest: date) -> date | None:
    """The day of these parts if it exists and is plausible."""
    try:
        found = date(int(year) if len(year) == 4 else 2000 + int(year), _month_number(month), int(day))
    except ValueError:
        return None
    return found if FIRST_PAGE <= found <= latest else None


def date_in(text: str, latest: date, *, month_first: bool = False) -> date | None:
    """The first plausible day that a short text names, in the common spellings of two dozen languages.

    >>> date_in("Published: 3. November 2023, 10:15", date(2024, 1, 1))
    datetime.date(2023, 11, 3)
    >>> date_in("3/11/2023", date(2024, 1, 1)), date_in("3/11/2023", date(2024, 1, 1), month_first=True)
    (datetime.date(2023, 11, 3), datetime.date(2023, 3, 11))
    """
    text = text[:TEXT_CHARS]
    for spelling in _SPELLINGS:
        for match in spelling.finditer(text):
            if found := _day(match["y"], match["m"], match["d"], latest):
                return found
    for match in _SLASHED.finditer(text):
        month, day = (match["a"], match["b"]) if month_first else (match["b"], match["a"])
        if found := _day(match["y"], month, day, latest) or _day(match["y"], day, month, latest):
            return found
    return _day_of_epoch(text, latest)


def _day_of_epoch(text: str, latest: date) -> date | None:
    """Seconds or milliseconds since 1970, as in data attributes."""
    match = _EPOCH.match(text)
    if match is None:
        return None
    found = date.fromordinal(date(1970, 1, 1).toordinal() + int(match[1]) // 86_400)
    return found if FIRST_PAGE <= found <= latest else None
