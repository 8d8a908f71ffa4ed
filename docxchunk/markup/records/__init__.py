"""Convert values to JSON records and back. Names and order of the fields are those of the JSON
Schemas.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import ItemsView, Iterable, Mapping, Sequence
from typing import Final, TypeVar

import orjson

from docxchunk.errors import SidecarError

Json = str | int | float | bool | None | Sequence["Json"] | Mapping[str, "Json"]
Record = dict[str, Json]

_T = TypeVar("_T")
_WORDS: Mapping[type, str] = {
    str: "text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    list: "a list",
}


_DIGITS = re.compile(r"[0-9]{1,9}")


class Fields:
    """A record from an untrusted file. A missing value has a default; a value of a wrong type
    raises SidecarError, which names `place`.

    With `faults`, a value of a wrong type is replaced by the default, and the message is added to
    `faults`. A string such as "2" becomes a number if a number is expected.
    """

    __slots__ = ("_faults", "_place", "_values")

    def __init__(self, values: object, place: str, faults: list[str] | None = None) -> None:
        self._place = place
        self._faults = faults
        if isinstance(values, (dict, Mapping)):  # the check for a dict is faster
            self._values: Mapping[str, object] = values
        else:
            self._values = {}
            self.fault(f"{place} holds no JSON object.")

    def lenient(self, faults: list[str]) -> Fields:
        """Return the same record with `faults`."""
        return Fields(self._values, self._place, faults)

    def requiring(self, names: Sequence[str]) -> Fields:
        """Return the record if it has all these keys. Raise SidecarError otherwise; the message
        names the missing ones.
        """
        if missing := [name for name in names if name not in self._values]:
            raise SidecarError(f"{self._place} lacks {', '.join(missing)}.")
        return self

    def __contains__(self, name: str) -> bool:
        return self._values.get(name) is not None

    def items(self) -> ItemsView[str, object]:
        """Return the keys and values."""
        return self._values.items()

    def within(self, value: object) -> Fields:
        """Return a value of this record that is a record itself."""
        return Fields(value, self._place, self._faults)

    def as_record(self) -> Record:
        """Return a copy of the values. If `orjson` has read them, it can write them."""
        return dict(self._values)  # type: ignore[arg-type]

    def scalars(self) -> dict[str, str | int | float | None]:
        """Return all values that are strings, numbers, booleans or null."""
        return {
            name: value
            for name, value in self._values.items()
            if value is None or isinstance(value, (str, int, float))
        }

    def equals(self, name: str, value: object) -> bool:
        return self._values.get(name) == value

    def text(self, name: str, default: str = "") -> str:
        return self._value(name, str, default)

    def integer(self, name: str, default: int = 0) -> int:
        return self._value(name, int, default)

    def flag(self, name: str, *, default: bool = False) -> bool:
        return self._value(name, bool, default)

    def record(self, name: str) -> Fields:
        """Return an object; an empty one if it is missing."""
        return self.within(self._values.get(name) or {})

    def _value(self, name: str, kind: type[_T], default: _T) -> _T:
        value = self._values.get(name)
        try:
            return default if value is None else self.checked(name, value, kind)
        except SidecarError as error:
            self.fault(str(error))
            return default

    def checked(self, name: str, value: object, kind: type[_T]) -> _T:
        """Return the value of a key if it has the type. Raise SidecarError otherwise."""
        if isinstance(value, kind) and not (kind is int and isinstance(value, bool)):
            return value
        sentence = f'{self._place}: "{name}" must be {_WORDS[kind]}.'
        if kind is int and isinstance(value, str) and _DIGITS.fullmatch(value):
            self.fault(sentence)
            return kind(value)  # type: ignore[call-arg]
        raise SidecarError(sentence)

    def missing(self, name: str) -> None:
        """Add a fault: a value is not there, or null."""
        self.fault(f'{self._place}: "{name}" is missing or null.')

    def fault(self, sentence: str) -> None:
        """Add a sentence to `faults`. Without `faults`, raise SidecarError."""
        if self._faults is None:
            raise SidecarError(sentence)
        self._faults.append(sentence)


def line(record: Record) -> bytes:
    """Return a record as one line of JSON."""
    return orjson.dumps(record, option=orjson.OPT_APPEND_NEWLINE)


CONTENTS: Final = "contents_sha256"


def with_contents_hash(first: Record, others: Iterable[bytes]) -> Record:
    """Return the first record of a file with the SHA-256 of itself and of the bytes that follow, as
    `contents_sha256`.
    """
    digest = hashlib.sha256(line(first))
    for data in others:
        digest.update(data)
    return {**first, CONTENTS: digest.hexdigest()}


def is_altered(first: Fields, others: Iterable[bytes]) -> bool:
    """Return whether the first record of a file or the bytes that follow differ from those that
    were hashed. Without a hash they count as unaltered.
    """
    record = first.as_record()
    expected = record.pop(CONTENTS, None)
    return expected is not None and with_contents_hash(record, others)[CONTENTS] != expected


def plain(record: Mapping[str, Json]) -> Record:
    """Return a record as `json.loads` would: lists instead of tuples, and strings instead of
    members of enumerations.
    """
    return {name: _plain(value) for name, value in record.items()}


def _plain(value: Json) -> Json:
    if isinstance(value, str):
        return str(value)
    if isinstance(value, Mapping):
        return plain(value)
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value
