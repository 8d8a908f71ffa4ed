"""Search in documents, read them in parts, and check quotations: for people, programs and
agents.
"""

from __future__ import annotations

from typing import Final

# tokens of an answer
LEAST_TOKENS: Final = 50
MOST_TOKENS: Final = 8000
OUTLINE_TOKENS: Final = 1500  # by default
READ_TOKENS: Final = 1000  # by default
PER_DOCUMENT: Final = 3  # places of each of several documents, in a search
RERANKED: Final = 20  # best places of a search that a language model ranks again
