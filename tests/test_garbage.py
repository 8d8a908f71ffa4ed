from __future__ import annotations

import gc
from collections.abc import Iterator
from threading import Barrier, Thread

import pytest
from docx_builder import docx

import docxchunk
from docxchunk.garbage import few_collections

USUAL = (600, 9, 0)  # the last one is always 0 in Python 3.14


@pytest.fixture(autouse=True)
def _usual_thresholds() -> Iterator[None]:
    before = gc.get_threshold()
    gc.set_threshold(*USUAL)
    yield
    gc.set_threshold(*before)


def thresholds_within() -> tuple[int, int, int]:
    with few_collections:
        return gc.get_threshold()


def test_the_thresholds_are_higher_within_and_the_same_after():
    assert thresholds_within() > USUAL
    assert gc.get_threshold() == USUAL


def test_the_thresholds_are_the_same_after_an_error():
    with pytest.raises(docxchunk.DocxchunkError):
        docxchunk.parse(b"no Word file")
    assert gc.get_threshold() == USUAL


def test_the_outermost_sets_the_thresholds_back():
    with few_collections:
        thresholds_within()
        assert gc.get_threshold() > USUAL
    assert gc.get_threshold() == USUAL


def test_the_last_thread_sets_the_thresholds_back():
    both_within, one_left = Barrier(2), Barrier(2)
    later: list[tuple[int, int, int]] = []

    def leave_last() -> None:
        with few_collections:
            both_within.wait()
            one_left.wait()
            later.append(gc.get_threshold())

    thread = Thread(target=leave_last)
    thread.start()
    with few_collections:
        both_within.wait()
    one_left.wait()
    thread.join()
    assert later[0] > USUAL
    assert gc.get_threshold() == USUAL


def test_a_chunker_counts_with_higher_thresholds():
    seen: list[tuple[int, int, int]] = []

    def count(text: str) -> int:
        seen.append(gc.get_threshold())
        return len(text.split())

    docxchunk.chunk_text("a", tokenizer=count)
    assert seen[-1] > USUAL


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
    try:
        of_parsing, of_chunking, of_letting_go = cycles(10)
        assert (of_chunking, of_letting_go) == (0, 0)
        assert cycles(40) == (of_parsing, 0, 0)
    finally:
        gc.enable()
