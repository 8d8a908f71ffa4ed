"""R: recursive chunking, which fills chunks and cuts at the best place near the limit
(docs/design/chunking.md, R).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import ClassVar

from docxchunk.chunking.services import Services
from docxchunk.chunking.settings import ChunkLimits
from docxchunk.chunking.stages.pack_all import pack_all
from docxchunk.chunking.stages.slice_tables import slice_tables
from docxchunk.chunking.strategy import Stage
from docxchunk.chunking.table_splitter import TableSizes


@dataclass(frozen=True, slots=True)
class R:
    """Recursive chunking of the whole text, regardless of headings. Inline tags are not cut, and
    tables are cut only between rows.
    """

    name: ClassVar[str] = "R"
    models: ClassVar[tuple[str, ...]] = ()

    def stages(self, limits: ChunkLimits, services: Services) -> tuple[Stage, ...]:  # noqa: ARG002 - the protocol of strategies has it
        return (
            Stage(
                "slice_tables",
                partial(slice_tables, services, TableSizes.filling(services.least_cap)),
            ),
            Stage("pack_all", partial(pack_all, services)),
        )
