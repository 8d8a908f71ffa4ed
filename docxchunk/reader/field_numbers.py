"""Insert the numbers of LISTNUM and AUTONUM fields (see `ooxml.number_fields`).

The raw text has the field codes between `NUMBER` marks until the paragraph is complete and its own
number is known.
"""

from __future__ import annotations

import re

from docxchunk.ooxml.number_fields import FieldPosition, number_field
from docxchunk.reader.flow import NUMBER, Flow

_FIELD = re.compile(f"{NUMBER}([^{NUMBER}]*){NUMBER}")


def insert_numbers(
    raw: str, label: str, depth: int, heading: int, flow: Flow
) -> tuple[str, str, int]:
    """Return the raw text with numbers in place of field codes, the label, and the list level.
    Numbers before the text become part of the label.
    """
    text, *rest = _FIELD.split(raw)
    front, level = label, None
    for code, after in zip(rest[::2], rest[1::2], strict=True):
        field, leads = number_field(code), not text.strip()
        if field is None:
            continue
        number, level = flow.document.field_numbers.next(
            field, FieldPosition(depth, heading, leads, level)
        )
        if leads:
            front += f"{number} " if after[:1].isspace() else number
            text = after
        else:
            text += f"{NUMBER}{number}{NUMBER}{after}"
    if not text.strip():
        return f"{NUMBER}{front.removeprefix(label).strip()}{NUMBER}", label, depth
    return text, front, level if depth < 0 and level is not None and front else depth
