"""The spec's sections: documented, frozen, closed, and with defaults that hold."""

from __future__ import annotations

import pytest
from pydantic import BaseModel, ValidationError

from lycosa.spec.sections import FetchSpec, LimitsSpec, ScopeSpec, Section, Spec


def sections() -> list[type[BaseModel]]:
    nested = [field.annotation for field in Spec.model_fields.values()]
    return [Spec, *(model for model in nested if isinstance(model, type) and issubclass(model, Section))]


@pytest.mark.parametrize("section", sections(), ids=lambda model: model.__name__)
def test_every_key_is_documented(section):
    """Each key has a sentence, which becomes the documentation; each section too."""
    assert section.__doc__
    for key, field in section.model_fields.items():
        nested = isinstance(field.annotation, type) and issubclass(field.annotation, Section)
        assert nested or (field.description or "").strip().endswith("."), key


@pytest.mark.parametrize("section", sections(), ids=lambda model: model.__name__)
def test_defaults_pass_their_own_checks(section):
    """A spec that says nothing is valid, key by key."""
    defaults = {key: field.get_default() for key, field in section.model_fields.items()}
    assert section(**defaults) == section()


def test_sections_are_frozen_and_closed():
    """What a part received cannot change under it, and a typo is refused."""
    with pytest.raises(ValidationError):
        LimitsSpec().pages = 5
    with pytest.raises(ValidationError):
        LimitsSpec(page=5)  # type: ignore[call-arg]


def test_the_defaults_are_polite():
    """Robots are obeyed, a host gets one request at a time with a rest, nothing private is asked."""
    fetch = FetchSpec()
    assert fetch.obey_robots
    assert fetch.obey_nofollow
    assert fetch.per_host_concurrency == 1
    assert fetch.per_host_delay_s >= 1
    assert fetch.allow_private == ()


@pytest.mark.parametrize(
    "name", ["", "..", "a/b", "../evil", "nul\0", "x" * 300, "new\nline", "a\x1b[2J", "a\u2028b"]
)
def test_a_name_stays_beside_its_spec(name):
    """The name of a crawl becomes a folder, so it cannot be a way out of one."""
    with pytest.raises(ValidationError, match="becomes a folder"):
        Spec(name=name)


def test_languages_are_codes():
    """`english` would match no page at all; capitals are forgiven."""
    assert ScopeSpec(languages=("EN",)).languages == ("en",)
    with pytest.raises(ValidationError, match="two-letter code"):
        ScopeSpec(languages=("english",))
