"""Text to HTML (https://html.spec.whatwg.org/multipage/syntax.html#text-2)."""

from __future__ import annotations

import html
import re
from typing import Final

_CONTROLS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff]")  # not allowed in a page, escaped or not


def escaped(text: str) -> str:
    """The text as it may stand between tags and in quoted attributes; a character that no page may hold is shown as U+FFFD."""
    return html.escape(_CONTROLS.sub("\ufffd", text), quote=True)
