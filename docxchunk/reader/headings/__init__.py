"""Infer the headings that authors did not mark, from formatting ("looks"), numbers and words.

`candidates` finds the lines that could be headings, `signals` computes the features of each,
`weights` turns features into a probability, and `levels` assigns heading levels. Lines that look
alike are accepted or rejected together.
"""

from docxchunk.reader.headings.infer import infer_headings

__all__ = ["infer_headings"]
