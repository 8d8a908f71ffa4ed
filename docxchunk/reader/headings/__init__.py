"""Headings that authors did not mark, inferred from looks, numbers and words.

`lines` finds the lines that could be headings, `signals` what speaks for and against each, `weights` adds that up to a probability,
`levels` orders what was found. Lines that look alike stand or fall together.
"""

from docxchunk.reader.headings.infer import infer_headings

__all__ = ["infer_headings"]
