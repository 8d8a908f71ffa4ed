"""Convert values to JSON records and back. Names and order of the fields are those of the JSON
Schemas.

A layout is one declaration of a record, from which it is written, read and described. It lists the
keys of the record in order. Each has a kind, which says how a value is written, read and described.
The records, their JSON Schemas, the columns of Parquet and the tables of docs/reference/files.md
come from it. A key that is missing when a record is read gives the default of the field; see
`Fields` for values of a wrong type.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, ItemsView, Iterable, Mapping, Sequence
from enum import StrEnum
from functools import partial
from operator import attrgetter, not_
from typing import Any, Final, Generic, TypeVar

import orjson

from docxchunk.errors import SidecarError
from docxchunk.language.patterns import pattern

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


_DIGITS = pattern(r"[0-9]{1,9}")


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


def with_contents_hash(first: Record, lines: Iterable[bytes]) -> Record:
    """Return the first record of a file with the SHA-256 of itself and of the bytes that follow, as
    `contents_sha256`.
    """
    digest = hashlib.sha256(line(first))
    for data in lines:
        digest.update(data)
    return {**first, CONTENTS: digest.hexdigest()}


def is_altered(first: Fields, lines: Iterable[bytes]) -> bool:
    """Return whether the first record of a file or the bytes that follow differ from those that
    were hashed. Without a hash they count as unaltered.
    """
    record = first.as_record()
    expected = record.pop(CONTENTS, None)
    return expected is not None and with_contents_hash(record, lines)[CONTENTS] != expected


# -- layouts

Schema = dict[str, Json]
Write = Callable[[Any], Json]


class ValueKind:
    """How a value is written, read and described.

    - `plain`: the type of values that are read unchanged.
    - `empty`: the value that is read if the key is missing. It is for keys that are always written.
    - `rules`: those of the JSON Schema of the value, without a description; a rule that is None is
      left out.
    """

    plain: Any = None
    empty: Any = None

    def __init__(self, **rules: Json) -> None:
        self._rules: Schema = {name: rule for name, rule in rules.items() if rule is not None}

    def writer(self) -> Write | None:
        """Return a function from a value to JSON; None if the value is written as it is."""
        return None

    def read(self, fields: Fields, name: str, value: object) -> Any:
        """Return the value of the key `name`, which is `value` in the record."""
        return fields.checked(name, value, self.plain)

    def schema(self) -> Schema:
        """Return the JSON Schema of the value."""
        return self._rules


class String(ValueKind):
    """A string."""

    plain = str
    empty = ""

    def __init__(self, *, least: int | None = None, pattern: str | None = None) -> None:
        super().__init__(type="string", minLength=least, pattern=pattern)


class TextOrNull(ValueKind):
    """A string or null. A value of another type is read as null."""

    plain = str

    def __init__(self) -> None:
        super().__init__(type=["string", "null"])

    def read(self, fields: Fields, name: str, value: object) -> str | None:
        return value if isinstance(value, str) else None


class Integer(ValueKind):
    """A whole number between `least` and `most`, both included."""

    plain: Any = int
    empty: Any = 0

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        super().__init__(type="integer", minimum=least, maximum=most)


class Real(ValueKind):
    """A number between `least` and `most`, both included."""

    plain = float
    empty = 0.0

    def __init__(self, least: int | None = None, most: int | None = None) -> None:
        super().__init__(type="number", minimum=least, maximum=most)

    def read(self, fields: Fields, name: str, value: object) -> Any:
        return float(value) if type(value) is int else super().read(fields, name, value)


class Flag(ValueKind):
    """True or False. With `only`, just this value is written, and the other one is left out."""

    plain = bool
    empty = False

    def __init__(self, *, only: bool | None = None) -> None:
        super().__init__(type="boolean" if only is None else None, const=only)


class Word(ValueKind):
    """A member of an enumeration. An unknown word is read as `default`. With `implied`, the default
    is never written.
    """

    def __init__(
        self, kind: type[StrEnum], default: StrEnum | None = None, *, implied: bool = False
    ) -> None:
        self.empty = default
        self._members = {str(member): member for member in kind}
        super().__init__(enum=[w for w in self._members if not (implied and w == default)])

    def read(self, fields: Fields, name: str, value: object) -> Any:
        return self._members.get(fields.checked(name, value, str), self.empty)


class Unchanged(ValueKind):
    """A value that is written and read as it is."""

    def read(self, fields: Fields, name: str, value: object) -> Any:
        return value


class Several(ValueKind):
    """A list, which is read as a tuple. If the number of items is not `size`, it is read as
    `empty`.
    """

    def __init__(self, items: ValueKind, size: int = 0, empty: Any = ()) -> None:
        self.items = items
        self.empty = empty
        self._size = size

    def writer(self) -> Write | None:
        write = self.items.writer()
        return None if write is None else lambda items: [write(item) for item in items]

    def read(self, fields: Fields, name: str, value: object) -> Any:
        items = value if type(value) is list else fields.checked(name, value, list)
        if self._size and len(items) != self._size:
            return self.empty
        if not items:
            return ()
        plain, read = self.items.plain, self.items.read
        if plain is None:
            return tuple([read(fields, name, item) for item in items])
        return tuple([item if type(item) is plain else read(fields, name, item) for item in items])

    def schema(self) -> Schema:
        size = {"minItems": self._size, "maxItems": self._size} if self._size else {}
        return {"type": "array", "items": self.items.schema(), **size}


class ByName(ValueKind):
    """An object with any keys, which is read as a dict."""

    def __init__(self, values: ValueKind) -> None:
        self.values = values
        self.empty: dict[str, Any] = {}

    def writer(self) -> Write | None:
        return dict

    def read(self, fields: Fields, name: str, value: object) -> Any:
        inner = fields.within(value or {})
        return {key: self.values.read(inner, key, item) for key, item in inner.items()}

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.values.schema()}


TEXT: Final = String()
TEXTS: Final = Several(TEXT)
FLAG: Final = Flag()


class Key:
    """A key of a record.

    - `about`: what its value means.
    - `field`: the name of the field; by default, the name of the key. If there are several names,
      the value is a list of these fields.
    - `get`: returns the value; by default, it is the field. A key with `get` and without `field` is
      written, but not read.
    - `omit`: returns whether a value is left out; by default, none is.
    - `required`: whether the schema requires the key; by default, if it is never left out.
    """

    def __init__(  # noqa: PLR0913 - by keyword
        self,
        name: str,
        kind: ValueKind,
        about: str,
        *,
        field: str | tuple[str, ...] = "",
        get: Callable[[Any], object] | None = None,
        omit: Callable[[object], bool] | None = None,
        required: bool | None = None,
    ) -> None:
        self.name = name
        self.kind = kind
        self.about = about
        self.field = field or name
        self.written_only = get is not None and not field
        self.omit = omit
        self.required = omit is None if required is None else required
        fields = (self.field,) if isinstance(self.field, str) else self.field
        self.get: Callable[[Any], object] = get or attrgetter(*fields)

    def schema(self) -> Schema:
        return {**self.kind.schema(), "description": self.about}


def constant(
    name: str,
    value: str | dict[str, Json],
    about: str,
    *,
    free: bool = False,
    required: bool = True,
) -> Key:
    """Return a key that always has the same value. With `free`, other programs may write other
    values of the same type.
    """
    type_name = "string" if isinstance(value, str) else "object"
    kind = Unchanged(type=type_name) if free else Unchanged(const=value)
    return Key(name, kind, about, get=lambda _: value, required=required)


IfAny: Final = partial(Key, omit=not_)
"""A key that is left out if its value is None, "", (), 0 or False."""
IfKnown: Final = partial(Key, omit=lambda value: value is None)
"""A key that is left out if its value is None."""


class Layout(ValueKind, Generic[_T]):
    """How a record is written and read: its keys, and the function that makes a value from them.

    - `about`: what the record means.
    - `others`: the schema of keys that are not named; False for none, True for any.
    """

    def __init__(
        self, make: Callable[..., _T], *keys: Key, about: str = "", others: Schema | bool = False
    ) -> None:
        self.keys = keys
        self.about = about
        self._make = make
        self._others = others
        self._written = [(key.name, key.get, key.kind.writer(), key.omit) for key in keys]
        read = [key for key in keys if not key.written_only]
        self._read = {key.name: (key.field, key.kind.plain, key.kind.read) for key in read}
        self._empty = {key.field: key.kind.empty for key in read if key.omit is None}
        self._pairs = [key.field for key in read if isinstance(key.field, tuple)]

    def record(self, value: Any) -> Record:
        """Return the record of a value."""
        record: dict[str, Any] = {}
        for name, get, write, omit in self._written:
            item = get(value)
            if omit is None or not omit(item):
                record[name] = item if write is None else write(item)
        return record

    def to_dict(self, value: Any) -> Record:
        """Return the record of a value with lists instead of tuples, and strings instead of members
        of enumerations.
        """
        record: Record = json.loads(json.dumps(self.record(value)))
        return record

    def fields_in(self, fields: Fields) -> dict[str, Any]:
        """Read a record. Return the fields of its value by name."""
        values: dict[Any, Any] = self._empty.copy()
        for name, item in fields.items():
            if item is not None and (key := self._read.get(name)):
                field, plain, read = key
                try:
                    values[field] = item if type(item) is plain else read(fields, name, item)
                except SidecarError as error:
                    fields.fault(str(error))
        for pair in self._pairs:
            values |= zip(pair, values.pop(pair), strict=True)
        return values

    def value(self, fields: Fields) -> _T:
        """Return the value of a record: the inverse of `record`."""
        return self._make(**self.fields_in(fields))

    def writer(self) -> Write:
        return self.record

    def read(self, fields: Fields, name: str, value: object) -> _T:
        return self.value(fields.within(value or {}))

    def schema(self) -> Schema:
        return {
            "type": "object",
            "properties": {key.name: key.schema() for key in self.keys},
            "required": [key.name for key in self.keys if key.required],
            **({} if self._others is True else {"additionalProperties": self._others}),
            **({"description": self.about} if self.about else {}),
        }


class Either(ValueKind):
    """One of several layouts. A value is written by the layout of its class. A record is read by
    the layout whose first key it has, or by the last layout if it has none of these keys.
    """

    def __init__(self, layouts: dict[type, Layout[Any]]) -> None:
        self.layouts = layouts

    def writer(self) -> Write:
        records = {kind: layout.record for kind, layout in self.layouts.items()}
        return lambda value: records[type(value)](value)

    def read(self, fields: Fields, name: str, value: object) -> Any:
        inner = fields.within(value)
        *first, last = self.layouts.values()
        return next((layout for layout in first if layout.keys[0].name in inner), last).value(inner)

    def schema(self) -> Schema:
        return {"anyOf": [layout.schema() for layout in self.layouts.values()]}


VERSION: Final = constant("version", "1.0", "The version of the format.")


def by_id(kind: str, about: str, layout: Layout[Any]) -> Layout[Any]:
    """Return the layout of a file that has records by id."""
    return Layout(
        dict,
        VERSION,
        Key(kind, ByName(layout), f"The {kind} by id."),
        about=about,
    )
