"""Chunk the blocks of a document. The entry point is `run`."""

from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.divide import R
from docxchunk.chunking.paragraph_semantic import P, PStaged
from docxchunk.chunking.run import Chunking, Trace, run
from docxchunk.chunking.staged import Anchors
from docxchunk.chunking.strategy import Stage, Strategy
from docxchunk.model.options import ChunkLimits

__all__ = [
    "Anchors",
    "Assembler",
    "ChunkLimits",
    "Chunking",
    "P",
    "PStaged",
    "R",
    "Stage",
    "Strategy",
    "Trace",
    "run",
]
