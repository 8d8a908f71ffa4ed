"""Checks of the values that a caller gives: one rule for every public dataclass of settings."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Final, TypeVar, get_type_hints

from docxchunk.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_T = TypeVar("_T")
_E = TypeVar("_E", bound=StrEnum)


def check_fields(settings: DataclassInstance) -> None:
    """Checks each field of a dataclass against its annotation; to be called in `__post_init__`, also of a frozen class.

    The word of an enumeration becomes its member, and a whole number a float where a float is wanted. Fields annotated with a union are not checked.
    Raises UsageError, one sentence that names the field, its value and what is accepted.
    """
    for name, kind in _kinds(type(settings)).items():
        value = getattr(settings, name)
        if type(value) is not kind or value != value:  # noqa: PLR0124 - NaN is not equal to itself
            object.__setattr__(settings, name, _converted(name, value, kind))


def expect(name: str, value: object, kind: type[_T]) -> _T:
    """The value, where it is of that class. Raises UsageError that names the argument and what is accepted."""
    if not isinstance(value, kind):
        raise UsageError(f"{name} is {_shown(value)}; it must be an object of the class {kind.__name__}.")
    return value


def either(words: Sequence[str]) -> str:
    """final, original or all"""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


@cache
def _kinds(owner: type[DataclassInstance]) -> Mapping[str, type]:
    """The class that each field must be of, where its annotation is a class."""
    hints = get_type_hints(owner)
    return {field.name: hints[field.name] for field in fields(owner) if isinstance(hints[field.name], type)}


def _converted(name: str, value: object, kind: type) -> object:
    if issubclass(kind, StrEnum):
        return member(name, value, kind)
    if kind not in _RULES:
        return expect(name, value, kind)
    convert, wanted = _RULES[kind]
    try:
        return convert(value)
    except (TypeError, OverflowError):
        raise UsageError(f"{name} is {_shown(value)}; it must be {wanted}.") from None


def member(name: str, value: object, kind: type[_E]) -> _E:
    """The member of an enumeration that a word stands for. Raises UsageError that names the argument and lists the words."""
    try:
        return kind(value if isinstance(value, str) else "")
    except ValueError:
        raise UsageError(f"{name} is {_shown(value)}; it must be {either([member.value for member in kind])}.") from None


def _whole_number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError
    return int(value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise TypeError
    return float(value)


def _of(kind: type) -> Callable[[object], object]:
    def checked(value: object) -> object:
        if isinstance(value, kind):
            return value
        raise TypeError

    return checked


_RULES: Final[Mapping[type, tuple[Callable[[object], object], str]]] = {
    bool: (_of(bool), "True or False"),
    int: (_whole_number, "a whole number"),
    float: (_number, "a number"),
    str: (_of(str), "text"),
}


def _shown(value: object) -> str:
    return f"{value!r}" if len(repr(value)) <= 60 else f"a {type(value).__name__}"
