from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest
from docx_builder import docx

import docxchunk
from docxchunk.batch import collect_rarely
from docxchunk.batch.pool import run

USUAL = (600, 9, 0)  # the last one is always 0 in Python 3.14


@pytest.fixture(autouse=True)
def _usual_thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def test_a_command_collects_rarely():
    collect_rarely()
    assert gc.get_threshold() > USUAL


def thresholds(_: int) -> tuple[int, int, int]:
    return gc.get_threshold()


def test_a_worker_collects_rarely():
    assert all(of_worker > USUAL for of_worker in run(thresholds, [0, 1], 2, lambda _: 1 << 30))


def test_the_library_leaves_the_collector_as_it_is():
    seen: list[tuple[int, int, int]] = []

    def count(text: str) -> int:
        seen.append(gc.get_threshold())
        return len(text.split())

    docxchunk.chunk(docx("<p>a</p>"), tokenizer=count)
    assert {*seen, gc.get_threshold()} == {USUAL}


def cycles(n: int) -> tuple[int, int, int]:
    """Return how many objects in reference cycles parsing, chunking, and letting go of a document
    of n sections leave.
    """
    data = docx(
        "".join(
            f"<h1>Part {i}</h1><p>It has 2<sup>{i}</sup> words.</p>"
            f"<tbl><tr><tc><p>{i}</p></tc><tc><p>b</p></tc></tr></tbl>"
            for i in range(n)
        )
    )
    gc.collect()
    document = docxchunk.parse(data)
    of_parsing = gc.collect()
    chunks = docxchunk.chunk(document, max_tokens=64)
    of_chunking = gc.collect()
    del document, chunks
    return of_parsing, of_chunking, gc.collect()


def test_a_document_has_no_reference_cycles():
    """Otherwise few collections could let the memory grow."""
    cycles(10)  # what is made on first use
    gc.disable()
    gc.freeze()  # what other tests left is not looked through each time
    try:
        of_parsing, of_chunking, of_letting_go = cycles(10)
        assert (of_chunking, of_letting_go) == (0, 0)
        assert cycles(40) == (of_parsing, 0, 0)
    finally:
        gc.unfreeze()
        gc.enable()
