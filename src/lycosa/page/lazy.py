"""Parts of an object that are made once and only if somebody asks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class lazy(Generic[T]):
    """A property that is computed when it is first asked for, and then an attribute.

    What `functools.cached_property` is from Python 3.12 on: before, it takes a lock each time, and a page has fifty parts.

    >>> class Page:
    ...     @lazy
    ...     def words(self) -> int:
    ...         print("counted")
    ...         return 3
    >>> page = Page()
    >>> page.words + page.words
    counted
    6
    """

    def __init__(self, func: Callable[[Any], T]) -> None:
        self.func = func
        self.__doc__ = func.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, instance: None, owner: type) -> Self: ...

    @overload
    def __get__(self, instance: object, owner: type) -> T: ...

    def __get__(self, instance: object, owner: type) -> Self | T:
        if instance is None:
            return self
        value = instance.__dict__[self._name] = self.func(instance)
        return value
