"""Where sentences end."""

from __future__ import annotations

import re
from typing import Final

STOPS: Final = ".!?"
"""Signs that end a sentence before white space, for a character class of a regular expression."""
WIDE_STOPS: Final = "。！？；…।॥۔؟"
"""Signs that end a sentence anywhere, for a character class."""
CLOSING: Final = r"""["'”’»)\]」』）】]"""
"""A sign that belongs to the sentence before it: a quote or a bracket, as a character class."""

SENTENCE_END: Final = re.compile(
    rf"[{WIDE_STOPS}]+{CLOSING}*|(?<![{STOPS}])[{STOPS}]++{CLOSING}*+(?=\s)|\n+"
)
"""The end of a sentence or of a line."""

BREAK: Final = re.compile(rf"(?<=[{STOPS};:])\s+|(?<=[{WIDE_STOPS}：])\s*")
"""What is between two sentences, or two clauses of one."""

ENDS: Final = (*STOPS, *WIDE_STOPS, ";")
"""The last character of a sentence, or of a clause of one."""

PAUSES: Final = (*ENDS, ",", "，", "、")
"""The last character of a line that is no title."""
