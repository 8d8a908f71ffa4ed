"""R: chunks as full as they can be, cut at the best place near their end (docs/design/chunking.md, R)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from docxchunk.chunking.pipeline import Stage
from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import Limits
from docxchunk.chunking.stages.pack_all import pack_all
from docxchunk.chunking.stages.slice_tables import slice_tables
from docxchunk.chunking.table_slices import TableSizes


@dataclass(frozen=True, slots=True)
class R:
    """Recursive chunking of the whole text, blind to headings. Inline tags are not cut, tables only between their rows."""

    name: ClassVar[str] = "R"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: Limits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - as every strategy's
        return (
            Stage("slice_tables", partial(slice_tables, services, TableSizes.filling(services.least_cap))),
            Stage("pack_all", partial(pack_all, services)),
        )
