"""Bound the XML that all worker processes parse at the same time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from docxchunk.errors import DocxchunkError
from docxchunk.model.options import Limits
from docxchunk.ooxml.archive import Archive

if TYPE_CHECKING:
    from multiprocessing.context import BaseContext

XML_AT_ONCE: Final = 256 << 20
"""Bytes of inflated XML in work in all processes together. Parsing takes four to eight times as
much memory.
"""


class XmlBudget:
    """A counter that processes share. A file larger than the whole budget is parsed while no other
    is.
    """

    def __init__(self, context: BaseContext, total: int = XML_AT_ONCE) -> None:
        self._total = total
        self._used = context.RawValue("q", 0)
        self._changed = context.Condition()

    @contextmanager
    def hold(self, size: int) -> Iterator[None]:
        """Wait until `size` bytes fit into the budget, and keep them until the end of the block."""
        size = min(size, self._total)
        with self._changed:
            self._changed.wait_for(lambda: self._used.value + size <= self._total)
            self._used.value += size
        try:
            yield
        finally:
            with self._changed:
                self._used.value -= size
                self._changed.notify_all()


_budget: XmlBudget | None = None


def share_budget(budget: XmlBudget) -> None:
    """Let `parsing` in this process keep to a budget that other processes share."""
    global _budget  # noqa: PLW0603 - set once when a worker process starts
    _budget = budget


@contextmanager
def parsing(data: bytes) -> Iterator[None]:
    """Parse this file within the budget of the process; without one, at once."""
    if _budget is None:
        yield
    else:
        with _budget.hold(xml_bytes(data)):
            yield


def xml_bytes(data: bytes) -> int:
    """Return the size of the XML parts of a Word file when unpacked, as its zip directory declares
    it; the size of the data if it has no such parts.
    """
    try:
        entries = Archive(data, Limits()).entries
    except DocxchunkError:
        return len(data)
    return sum(
        entry.size for name, entry in entries.items() if name.endswith((".xml", ".rels"))
    ) or len(data)
