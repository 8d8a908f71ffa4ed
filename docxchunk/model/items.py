"""A sequence whose members can also be looked up by id."""

from __future__ import annotations

from collections.abc import ItemsView, Iterator, KeysView, Mapping, Sequence, ValuesView
from typing import Generic, TypeVar, overload

from docxchunk.model.wording import counted

_T = TypeVar("_T")
_D = TypeVar("_D")


class Items(Sequence[_T], Generic[_T]):
    """A sequence in document order with lookup by id: `tables[0]`, `tables["tb-…-0001"]`, `for
    table in tables`.

    `x in tables` is true for a member and for its id. `keys()` (the ids), `values()`, `items()` and
    `get(id)` work as for a mapping.
    """

    __slots__ = ("_by_id",)

    def __init__(self, by_id: Mapping[str, _T] | Items[_T] = {}) -> None:  # noqa: B006 - copied, never changed
        self._by_id: dict[str, _T] = dict(by_id.items())

    @overload
    def __getitem__(self, key: int | str) -> _T: ...
    @overload
    def __getitem__(self, key: slice) -> tuple[_T, ...]: ...
    def __getitem__(self, key: int | str | slice) -> _T | tuple[_T, ...]:
        """Return a member by index or id, or a tuple for a slice. Raise IndexError or KeyError if
        there is none.
        """
        return self._by_id[key] if isinstance(key, str) else tuple(self._by_id.values())[key]

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[_T]:
        return iter(self._by_id.values())

    def __contains__(self, item: object) -> bool:
        return item in self._by_id if isinstance(item, str) else item in self._by_id.values()

    def __eq__(self, other: object) -> bool:
        return (
            self._by_id == dict(other.items())
            if isinstance(other, (Items, Mapping))
            else NotImplemented
        )

    def __hash__(self) -> int:
        return hash(tuple(self._by_id.values()))

    def __repr__(self) -> str:
        return (
            f"<{counted(len(self), 'item')}: "
            f"{', '.join(map(repr, self[:2]))}{', …' if len(self) > 2 else ''}>"
        )

    def keys(self) -> KeysView[str]:
        return self._by_id.keys()

    def values(self) -> ValuesView[_T]:
        return self._by_id.values()

    def items(self) -> ItemsView[str, _T]:
        return self._by_id.items()

    @overload
    def get(self, key: str) -> _T | None: ...
    @overload
    def get(self, key: str, default: _D) -> _T | _D: ...
    def get(self, key: str, default: _D | None = None) -> _T | _D | None:
        return self._by_id.get(key, default)
