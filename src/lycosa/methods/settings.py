"""The settings of a strategy: the keyword arguments of its constructor, with type hints as their ranges.

A spec, `--set` and Python constructors are all checked by the hints.
"""

from __future__ import annotations

import inspect
import re
from typing import Any, get_type_hints

from lycosa.errors import SpecError
from lycosa.spec.settings import Setting, complaint_in_python


def settings_of_class(kind: type[Any]) -> dict[str, Setting]:
    """The settings by name. Hints that cannot be resolved, as a stranger's may be, forbid nothing."""
    try:
        hints = get_type_hints(kind.__init__, include_extras=True)
    except (NameError, AttributeError, TypeError):  # such as names that only a type checker imports
        hints = {}
    return {
        key: Setting(None if argument.default is argument.empty else argument.default, hints.get(key))
        for key, argument in inspect.signature(kind).parameters.items()
        if argument.kind not in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD)
    }


def check_settings(strategy: object) -> None:
    """A SpecError for the first setting of a strategy whose value its hint does not allow."""
    values, name = vars(strategy), _in_a_spec(type(strategy).__name__)
    for key, setting in settings_of_class(type(strategy)).items():
        if key in values and (trouble := complaint_in_python(values[key], setting)):
            raise SpecError(f"{name}.{key}: {trouble}. {setting.otherwise}")


def _in_a_spec(name: str) -> str:
    """A class as a spec calls it.

    >>> _in_a_spec("BestFirst")
    'best-first'
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "-", name).lower()
