"""Validate arguments and the fields of settings dataclasses."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from functools import cache
from numbers import Integral, Real
from typing import TYPE_CHECKING, Final, Generic, TypeVar, get_type_hints

from docxchunk.errors import UsageError

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

_T = TypeVar("_T")
_E = TypeVar("_E", bound=StrEnum)
_W = TypeVar("_W", bound=str)

if TYPE_CHECKING:

    class OneOf(Generic[_E, _W]):
        """The annotation of a field of an enumeration. The field accepts a member or one of its
        values, and stores the member: `OneOf[Convert, Literal["none", "libreoffice"]]`.

        Type checkers see a descriptor
        (https://typing.python.org/en/latest/spec/dataclasses.html#field-descriptors), and
        `check_fields` the enumeration.
        """

        def __get__(self, settings: object, owner: type | None = None) -> _E: ...
        def __set__(self, settings: object, value: _E | _W) -> None: ...

else:

    class OneOf:
        def __class_getitem__(cls, kinds: tuple[type, object]) -> type:
            return kinds[0]


def check_fields(settings: DataclassInstance) -> None:
    """Check each field of a dataclass against its annotation. Call it in `__post_init__`; it works
    for frozen classes, too.

    A string is converted to the member of an annotated enumeration, and an integer to an annotated
    float. Fields annotated with a union are not checked. Raise UsageError, whose message names the
    field, its value and the accepted values.
    """
    for name, kind in _kinds(type(settings)).items():
        value = getattr(settings, name)
        if type(value) is not kind or value != value:  # noqa: PLR0124 - NaN is not equal to itself
            object.__setattr__(settings, name, _converted(name, value, kind))


def expect(name: str, value: object, kind: type[_T]) -> _T:
    """Return the value if it is an instance of `kind`. Raise UsageError otherwise; the message
    names the argument and the class.
    """
    if not isinstance(value, kind):
        raise UsageError(
            f"{name} is {brief(value)}; it must be "
            f"{_WORDS.get(kind) or f'an object of the class {kind.__name__}'}."
        )
    return value


def whole(name: str, value: object, least: int = 0) -> int:
    """Return a whole number. Raise UsageError if the value is not one, or if it is less than
    `least`; the message names the argument.
    """
    try:
        number = _whole_number(value)
    except TypeError:
        raise UsageError(f"{name} is {brief(value)}; it must be {_WORDS[int]}.") from None
    if number < least:
        raise UsageError(f"{name} is {number}; it must be {least} or more.")
    return number


def either(words: Sequence[str]) -> str:
    """Return a list of alternatives as text: "final, original or all"."""
    return " or ".join(filter(None, (", ".join(words[:-1]), words[-1])))


def check_word(name: str, value: object, words: Sequence[str]) -> None:
    """Raise UsageError if the value of an argument is none of some words."""
    if value not in words:
        raise UsageError(f"{name} is {value!r}; it must be {either(words)}.")


def nearest(word: str, known: Iterable[str], others: Mapping[str, str] = {}) -> str:
    """Return the name in `known` that an unknown word is probably meant for; "" if none is similar.

    `others` are names that other programs use, in lower case, each with the known name. Case does
    not matter.
    """
    from difflib import get_close_matches  # slow to import

    names = {name.lower(): name for name in known}
    spelled = {**others, **names}
    close = get_close_matches(word.lower(), spelled, n=1)
    return spelled[close[0]] if close else ""


@cache
def _kinds(owner: type[DataclassInstance]) -> Mapping[str, type]:
    """Return the annotated class of each field whose annotation is a class."""
    hints = get_type_hints(owner)
    return {
        field.name: hints[field.name]
        for field in fields(owner)
        if isinstance(hints[field.name], type)
    }


def _converted(name: str, value: object, kind: type) -> object:
    if issubclass(kind, StrEnum):
        return member(name, value, kind)
    if kind not in _RULES:
        return expect(name, value, kind)
    try:
        return _RULES[kind](value)
    except (TypeError, OverflowError):
        raise UsageError(f"{name} is {brief(value)}; it must be {_WORDS[kind]}.") from None


def member(name: str, value: object, kind: type[_E]) -> _E:
    """Return the member of an enumeration with that value. Raise UsageError otherwise; the message
    names the argument and lists the values.
    """
    try:
        return kind(value if isinstance(value, str) else "")
    except ValueError:
        raise UsageError(
            f"{name} is {brief(value)}; it must be {either([member.value for member in kind])}."
        ) from None


def _whole_number(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise TypeError
    return int(value)


def _number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, Real) or math.isnan(value):
        raise TypeError
    return float(value)


_WORDS: Final[Mapping[type, str]] = {
    bool: "True or False",
    int: "a whole number",
    float: "a number",
    str: "text",
    Mapping: "a mapping, such as a dict",
}
_RULES: Final[Mapping[type, Callable[[object], object]]] = {
    int: _whole_number,
    float: _number,
}


def brief(value: object) -> str:
    """Return a value as error messages show it; only its type if the value is long."""
    return f"{value!r}" if len(repr(value)) <= 60 else f"a {type(value).__name__}"
