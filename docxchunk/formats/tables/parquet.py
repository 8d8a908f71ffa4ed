"""Write a sheet as Apache Parquet with pyarrow: string columns, and the origin of the table in the
schema metadata.
"""

from __future__ import annotations

from typing import BinaryIO

import pyarrow as pa
from pyarrow import parquet

from docxchunk.formats.tables import INDEX, ExportSheet


def write(sheet: ExportSheet, file: BinaryIO) -> None:
    schema = pa.schema(
        [(name, pa.string()) for name in sheet.columns], dict(zip(INDEX, sheet.about, strict=False))
    )
    columns = [
        pa.array([row[number] for row in sheet.rows], pa.string())
        for number in range(len(sheet.columns))
    ]
    parquet.write_table(pa.Table.from_arrays(columns, schema=schema), file)
