"""Numbers that fields count (see `ooxml.number_fields`).

Their codes wait in the raw text, between marks, until the paragraph is whole and its own number is known.
"""

from __future__ import annotations

import re

from docxchunk.ooxml.number_fields import FieldPosition, number_field
from docxchunk.reader.flow import NUMBER, Flow

_FIELD = re.compile(f"{NUMBER}([^{NUMBER}]*){NUMBER}")


def counted(raw: str, label: str, depth: int, heading: int, flow: Flow) -> tuple[str, str, int]:
    """The raw text with numbers for codes, the label, and the level of the list: numbers before the text are part of the label."""
    text, *rest = _FIELD.split(raw)
    front, level = label, None
    for code, after in zip(rest[::2], rest[1::2], strict=True):
        field, leads = number_field(code), not text.strip()
        if field is None:
            continue
        number, level = flow.field_numbers.next(field, FieldPosition(depth, heading, leads, level))
        if leads:
            front += f"{number} " if after[:1].isspace() else number
            text = after
        else:
            text += f"{NUMBER}{number}{NUMBER}{after}"
    if not text.strip():
        return f"{NUMBER}{front.removeprefix(label).strip()}{NUMBER}", label, depth
    return text, front, level if depth < 0 and level is not None and front else depth
