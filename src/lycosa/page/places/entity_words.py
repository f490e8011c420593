"""Words that tell people and organisations from other names. In: words of a name. Out: what they say of it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files

from lycosa.page.places.gazetteer import gazetteer
from lycosa.page.text.stop_words import STOP_WORDS

ORGANISATION_WORDS = 8

_SUFFIXES = frozenset("jr sr ii iii iv".split())
_ROYAL = frozenset("king queen prince princess pope emperor empress lord lady sir dame sultan".split())
_BEFORE_PEOPLE = frozenset(
    "suspect victim defendant police acting vice former late commissioner undersheriff trooper investigator spokesperson councilman councilwoman alderman ceo cfo cmdr supt prof sheriff's".split()
)
_NUMERAL = re.compile(r"[IVX]{1,5}")
_MORE_OPENERS = frozenset(
    "according although despite inside outside later earlier meanwhile please today tonight yesterday tomorrow update "
    "watch see read photo photos video breaking related officers authorities investigators witnesses neighbors".split()
)
_ACRONYMS = frozenset(
    "FBI CIA NATO NASA NYPD LAPD BBC CNN NBC ABC CBS NPR MSNBC FEMA ATF DEA NRA NAACP ACLU UNESCO UNICEF NSA TSA EPA "
    "FDA CDC IRS ISIS OPEC IMF NHS NFL NBA MLB NHL FIFA UEFA IOC UCLA MIT IBM BMW HSBC RSPB WWF AFP UPI".split()
)
_MORE_ORGANISATIONS = frozenset(
    "Alliance Archive Archives Airways Associates Brigade Brothers Caucus Centers Chamber Charity Coalition "
    "Colleges Coroner Cross Elementary Enterprises Front Headquarters Holdings Hospitals Industries Infirmary Insurance "
    "Medical Militia Motors Movement Nations Observatory Partners Patrol Pictures Polytechnic Records Schools Seminary "
    "Solutions Squad Studios Systems Technologies Universities Watch".split()
)
_NOT_ORGANISATIONS = frozenset(
    "Airport Arena Cemetery Center Centre Championship Chapel Co Community Courthouse Cup Daily Division Express Festival "
    "Fire Force Games Globe Hall High Hotel House Initiative Jail Limited Market Marshal Marshals Olympics Open Prison Program "
    "Project Reporter Republican Review Sheriff Stadium Star State Station Store Summit Sun Supreme Team Temple Tower Towers "
    "Treaty TV Unit United Warehouse".split()
)
_NOT_IN_NAMES = frozenset(
    "Act Amendment American Avenue Alert Award Awards Band Casino Championship Cup Cups Design Festival Fleet Fort Hotel HMS Plate Prize Radio USS Rink Stadium Bill Boulevard Breaking Click Comments Copyright County Day Deputies Detectives Division Drive Facebook First Fourth Google "
    "Instagram Lane Law Morning National New Night Officers Photo Photos Posted Published Read Related Road Second Share Story "
    "Street Subscribe Third Twitter Updated Video War Week World Year YouTube Credit Courtesy Getty "
    # What is given the names of people, and is none.
    "Hurricane Typhoon Cyclone Tropical Storm Operation Panhandle".split()
)
_GENERIC = frozenset(
    "Action Breaking Children's Circuit City Civil County Criminal Daily District Eyewitness Family Federal Fire Flood General Health "
    "High Highway Hurricane Juvenile Local Medical Center Middle Municipal Probate Public Regional Sheriff's State Storm Superior Tornado".split()
)
"""With these alone, as in Highway Patrol or State Police, it is one of many."""
_NO_ORGANISATIONS = frozenset(
    ("Soviet Union", "Act of Parliament", "Head of Government", "Heads of Government")
)


class EntityWords:
    """First names, titles, words of organisations, and words that have capitals for other reasons."""

    small = frozenset("of for and the de del la van von der den bin al &".split())

    def __init__(self) -> None:
        text = files(__package__).joinpath("data", "person_names.txt").read_text("utf-8")
        names, _, titles = text.partition("# titles")
        lines = (line for line in names.splitlines() if not line.startswith("#"))
        self.first_names = frozenset(word for line in lines for word in line.split())
        self.titles = frozenset(titles.split()) - {"saint"}
        self.never = gazetteer().never
        self.organisations = (gazetteer().organisations | _MORE_ORGANISATIONS) - _NOT_ORGANISATIONS
        self._heads = frozenset(gazetteer().heads)
        self._openers = (STOP_WORDS["english"] | _MORE_OPENERS) - self.first_names

    def opens(self, word: str) -> bool:
        """Whether a word has a capital only because a sentence, or a name like The Times, begins with it."""
        return word.lower() in self._openers

    def is_title(self, words: Sequence[str]) -> bool:
        """Whether one of the words is a title, such as Sgt. or President."""
        return any(word.rstrip(".").lower() in self.titles for word in words if word)

    def title_in(self, words: Sequence[str]) -> int | None:
        """Where the last title, rank or role stands before a name; what is before it, as in Acme CEO Ann Lee, is none."""
        if self.is_royal(words):
            return None
        before = [at for at, word in enumerate(words[:-1]) if self._may_stand_before(word)]
        return before[-1] if before else None

    def _may_stand_before(self, word: str) -> bool:
        return self.is_title([word]) or word.rstrip(".").lower() in _BEFORE_PEOPLE

    def is_royal(self, words: Sequence[str]) -> bool:
        """Whether these are a title and one name: Queen Victoria is known by both."""
        if len(words) == 3 and _NUMERAL.fullmatch(words[2]):
            words = words[:2]
        return len(words) == 2 and words[0].lower() in _ROYAL and words[1].lower() in self.first_names

    def is_organisation(self, words: Sequence[str]) -> bool:
        """Whether a name has the word of an organisation, and more than it; or is a known acronym."""
        if len(words) < 2:
            return bool(words) and words[0] in _ACRONYMS
        own = [word for word in words if word not in self.organisations and word not in self.small]
        has_one = any(word in self.organisations for word in words)
        if not has_one or not own or len(words) > ORGANISATION_WORDS or words[-1] in self.small:
            return False
        if all(word in _GENERIC or self.is_title([word]) for word in own):
            return False
        telling = words[-1] in self.organisations or (words[0] in self.organisations and "of" in words)
        return (telling or "for" in words or "Medical" in words) and " ".join(words) not in _NO_ORGANISATIONS

    def may_be_a_person(self, words: Sequence[str]) -> bool:
        """Whether nothing in a name speaks against a person."""
        plain = words[:-1] if len(words) > 1 and _NUMERAL.fullmatch(words[-1]) else words
        return plain[-1].rstrip(".")[-1:].islower() and not (
            self.is_organisation(words) or any(map(self._is_of_no_person, plain))
        )

    def _is_of_no_person(self, word: str) -> bool:
        plain = word.rstrip(".").lower()
        return (
            (word.isupper() and len(word) > 3 and "." not in word)
            or word in self.never
            or word in self._heads
            or word in self.organisations
            or word in _NOT_IN_NAMES
            or word in ("of", "for", "and", "&", "St.", "Mt.", "Ft.")
            or (plain in self.titles and plain not in _ROYAL)
            or plain in self._openers
        )

    def without_suffix(self, words: Sequence[str]) -> Sequence[str]:
        """A name without endings such as Jr."""
        return words[:-1] if words[-1].rstrip(".").lower() in _SUFFIXES else words


@lru_cache(maxsize=1)
def entity_words() -> EntityWords:
    """All words, read once."""
    return EntityWords()
