"""Replace Python argument names by option names in error messages."""

from __future__ import annotations

import re
from dataclasses import fields
from typing import Final

from docxchunk.api import ChunkSettings
from docxchunk.model.options import ParseOptions

_MODELS: Final = re.compile(
    r"(?:models=docxchunk\.models\()?\b(embedder|scorer|completer"
    r'|describer|device|convert)="([^"]*)"\)?'
)
_NAMES: Final = "|".join(
    (*ChunkSettings.__annotations__, *(option.name for option in fields(ParseOptions)))
)
_NAMED: Final = re.compile(rf"(?:^|(?<= and ))(?:{_NAMES})(?= is | -?\d)")


def with_options(sentence: str) -> str:
    """Return the message with options: `max_tokens is 5` becomes `--max-tokens is 5`,
    `device="cpu"` becomes `--device cpu`.
    """
    sentence = _MODELS.sub(r"--\1 \2", sentence)
    return _NAMED.sub(lambda found: f"--{found[0].replace('_', '-')}", sentence)
