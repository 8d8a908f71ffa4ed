"""Read the body while it is parsed, some paragraphs and tables at a time, and free them
afterwards.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import islice

from lxml import etree

from docxchunk.ooxml.incremental import PartialElement
from docxchunk.reader.flow import Flow
from docxchunk.reader.prescan import Marks, find_marks
from docxchunk.reader.story import Story
from docxchunk.reader.tables import Item


def read_body(body: Iterable[PartialElement], flow: Flow) -> list[Item]:
    """Return the items of the body.

    Each batch of elements is read when no field is open at its end; if one is, the next attempt
    waits until the batch is twice as large.
    """
    story, env = Story(flow, 1), flow.env
    first = due = 0
    for element, whole, ended in body:
        if whole < due and not ended:
            continue
        marks = find_marks(element, env.styles, env.options)
        if not ended and _leaves_open(marks, element[-1]):
            due = 2 * whole
            continue
        marks |= flow.env.marks
        flow.turn_to(replace(env, marks=marks))
        story.read_body(islice(element, whole), first)
        first, due = first + whole, 0
        if not ended:
            del marks  # they refer to elements, which could not be freed
            if story.unfinished is None:
                flow.turn_to(env)
            del element[:whole]
    return story.end()


def _leaves_open(marks: Marks, unfinished: etree._Element) -> bool:
    """Return whether a field that begins before the unfinished element is still open."""
    return any(unfinished not in mark.iterancestors() for mark in marks.unclosed)
