"""The settings of a strategy: its constructor's keyword arguments, with their type hints as the ranges.

In: a class. Out: its settings; a SpecError for a value that its hint does not allow. There is no second way:
a spec, `--set` and the constructor in Python are all checked by the hints.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, get_type_hints

from lycosa.errors import SpecError
from lycosa.spec.settings import Setting, complaint_in_python


def settings_of_class(kind: type[Any]) -> dict[str, Setting]:
    """The settings by name. Hints that cannot be resolved, as a stranger's may be, forbid nothing."""
    try:
        hints = get_type_hints(kind.__init__, include_extras=True)
    except (NameError, AttributeError, TypeError):  # names that only a type checker imports, and the like
        hints = {}
    return {
        key: Setting(None if argument.default is argument.empty else argument.default, hints.get(key))
        for key, argument in inspect.signature(kind).parameters.items()
        if argument.kind not in (argument.VAR_POSITIONAL, argument.VAR_KEYWORD)
    }


def check_settings(kind: type[Any], name: str, values: Mapping[str, Any]) -> None:
    """A SpecError for the first value that its hint does not allow."""
    for key, setting in settings_of_class(kind).items():
        if key in values and (trouble := complaint_in_python(values[key], setting)):
            raise SpecError(f"{name}.{key}: {trouble}. {setting.otherwise}")
