"""Give inputs the metadata that users keep of their documents."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, TypeVar

from docxchunk.batch.inputs import Input, ScannedItem
from docxchunk.errors import InputError
from docxchunk.model.metadata import Rows
from docxchunk.model.wording import counted

_FEW: Final = 3  # names in a message

_I = TypeVar("_I", bound=ScannedItem)


def with_metadata(
    items: Iterable[_I], rows: Rows | None, tell: Callable[[str], object] = lambda _: None
) -> list[_I]:
    """Return the inputs with their metadata, if any are given. The row of a document is the one
    with the longest end of its path. `tell` is called with a sentence about rows without a
    document, and about documents without a row. Raise InputError if a row fits several documents.
    """
    if rows is None:
        return list(items)
    owners: dict[str, Input] = {}

    def with_row(item: _I) -> _I:
        if not isinstance(item, Input):
            return item
        path = _row_of(item, rows)
        owner = owners.setdefault(path, item)
        if path and owner is not item:
            raise InputError(
                f"The metadata of {path} may be those of {owner.document} and of "
                f"{item.document}: give more of the path."
            )
        return item._replace(metadata=rows.get(path, {}))

    result = list(map(with_row, items))
    unused = [path for path in rows if path not in owners]
    if unused:
        listed = ", ".join(unused[:_FEW]) + (", …" if unused[_FEW:] else "")
        tell(f"{counted(len(unused), 'row')} without a document here: {listed}.")
    if without := sum(isinstance(item, Input) and not item.metadata for item in result):
        tell(f"{counted(without, 'document')} without a row.")
    return result


def _row_of(item: Input, rows: Rows) -> str:
    """Return the path of the row of an input; "" if it has none."""
    parts = item.document.as_posix().split("/")
    ends = ("/".join(parts[number:]) for number in range(len(parts)))
    return next((end for end in ends if end in rows), "")
