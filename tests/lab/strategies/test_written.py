"""LumberChunker, direct chunking and propositions with good, bad and missing answers; clusters."""

from __future__ import annotations

import json
import logging
from itertools import pairwise
from math import log

import pytest
from chunking.makers import WORDS, block, document
from hypothesis import given
from hypothesis import strategies as st
from lab.asked import (
    GivenCompleter,
    GivenEmbedder,
    GivenScorer,
    models_of,
    plain_text,
    texts_of,
)

from docxchunk.chunking import ChunkLimits, run
from docxchunk.lab.strategies.prompted import (
    DirectLLM,
    LumberChunker,
    Mode,
    Proposition,
    PropositionPrompt,
    ShownUnits,
    lumber_cuts,
    named_id,
    propositions,
)
from docxchunk.lab.strategies.prompts import align
from docxchunk.lab.strategies.semantic import Cluster, Method
from docxchunk.model.chunks import Slice
from docxchunk.records import Fields
from docxchunk.records.chunks import CHUNK

PARAGRAPHS = [f"Paragraph {n} has two sentences. It ends here." for n in range(10)]
BOOK = "\n".join(PARAGRAPHS)
INDEX = "chunks.jsonl"


def lines(*ranges):
    return ["\n".join(PARAGRAPHS[a:b]) for a, b in ranges]


class TestLumberChunker:
    def test_the_named_paragraph_opens_the_next_chunk(self):
        answers = iter(["Answer: ID 0003", "ID 4", "Answer: ID 0009"])
        completer = GivenCompleter(lambda prompt: next(answers))
        strategy = LumberChunker(theta=100, last_units=2)
        assert texts_of(BOOK, strategy, completer) == lines((0, 3), (3, 4), (4, 9), (9, 10))
        shown = [
            [n for n in range(10) if f"ID {n:04d}: {PARAGRAPHS[n]}" in prompt]
            for prompt in completer.asked
        ]
        assert shown == [list(range(10)), list(range(3, 10)), list(range(4, 10))]

    def test_windows_have_less_than_theta_tokens(self):
        """A paragraph has eight words, 9.6 tokens; the last window holds all that is left."""
        completer = GivenCompleter(lambda prompt: prompt.rsplit("ID ", 1)[1][:4])
        texts_of(BOOK, LumberChunker(theta=30, last_units=1), completer)
        assert all(prompt.count("\nID ") == 3 for prompt in completer.asked[:-1])

    @pytest.mark.parametrize(
        ("size", "theta", "windows"),
        [
            (8, 29, [(0, 2), (2, 4)]),  # 28.8 tokens are rounded to 29
            (8, 30, [(0, 3)]),
            (8, 20, [(0, 2), (2, 4)]),
            (8, 19, []),  # no question about a single text
            (1, 3, [(0, 2), (2, 4)]),
            (1, 4, [(0, 2), (2, 4)]),
            (1, 5, [(0, 3)]),
        ],
    )
    def test_a_window_has_fewer_tokens_than_theta(self, size, theta, windows):
        """A word is 1.2 tokens. Each window is a chunk."""
        asked = []

        def none(first, last):
            asked.append((first, last))
            return last

        cuts = lumber_cuts([" ".join(["word"] * size)] * 4, none, theta, 2)
        assert asked == windows
        assert cuts == ([last for _, last in windows if last < 4] or [1, 2, 3])

    @pytest.mark.parametrize(("last_units", "asked"), [(1, 5), (2, 4), (3, 3), (5, 1), (6, 0)])
    def test_the_last_units_are_one_chunk(self, last_units, asked):
        """The window is cut after its first text; a single text is not asked about."""
        firsts = []
        cuts = lumber_cuts(
            ["word"] * 5, lambda first, last: firsts.append(first) or first + 1, 100, last_units
        )
        assert firsts == list(range(min(asked, 4)))
        assert cuts == list(range(1, min(asked, 4) + 1))

    def test_a_window_of_one_token_has_one_paragraph(self):
        completer = GivenCompleter(lambda prompt: "ID 0001")
        assert texts_of(BOOK, LumberChunker(theta=1, last_units=1), completer) == PARAGRAPHS

    @pytest.mark.parametrize(
        "answer",
        [
            "",
            "I cannot help with that.",
            "ID 0000",
            "ID 0004",
            "Answer: ID 0042",
            "ID -3",
            "3.5",
            "９９",
        ],
    )
    def test_other_answers_are_asked_for_once_more_and_then_the_window_is_the_chunk(
        self, answer, caplog
    ):
        completer = GivenCompleter(lambda prompt: answer)
        with caplog.at_level(logging.INFO, "docxchunk"):
            assert texts_of(BOOK, LumberChunker(theta=45), completer) == lines(
                (0, 4), (4, 8), (8, 10)
            )
        assert len(completer.asked) == 4
        assert completer.asked[1].startswith(completer.asked[0])
        assert caplog.text.count("made.txt: The model named none of the paragraphs") == 2

    def test_the_second_answer_counts(self):
        completer = GivenCompleter(
            lambda prompt: "ID 0002" if prompt.endswith("Answer: ID XXXX") else "what?"
        )
        assert texts_of(BOOK, LumberChunker(last_units=9), completer) == lines((0, 2), (2, 10))

    @pytest.mark.parametrize(
        ("answer", "number"),
        [
            ("Answer: ID 0012", 12),
            ("ID: 7", 7),
            ("**ID**: 0031", 31),
            ("**Answer:** `id 0005`.", 5),
            ("First I thought of ID 3, but the answer is ID 0008", 8),
            (" 0004.\n", 4),
            ("ID 0", 0),
            ("Ideas: 3 of them", None),
            ("The 4th", None),
            ("", None),
            ("ID " + "9" * 30, None),
        ],
    )
    def test_answers(self, answer, number):
        assert named_id(answer) == number

    @given(
        st.lists(st.integers(1, 60), max_size=30),
        st.integers(1, 80),
        st.integers(1, 7),
        st.randoms(use_true_random=False),
    )
    def test_there_are_fewer_cuts_than_texts_for_any_answers(self, sizes, theta, last_units, rnd):
        asked = []

        def turn(first, last):
            asked.append((first, last))
            return rnd.randint(first + 1, last)

        texts = [" ".join(["word"] * size) for size in sizes]
        cuts = lumber_cuts(texts, turn, theta, last_units)
        assert cuts == sorted(set(cuts))
        assert all(0 < cut < len(texts) for cut in cuts)
        assert len(asked) < max(len(texts), 1)
        assert all(sum(sizes[first:last]) * 1.2 < theta for first, last in asked)

    def test_the_likeliest_id_and_the_first_that_stands_alone(self):
        def answer(instruction):
            options = instruction.count("\n") - 3
            first = (
                0
                if "Paragraph 3 " in instruction and "Paragraph 2 " not in instruction
                else min(3, options - 1)
            )
            return [log(0.9) if number == first else log(0.01) for number in range(options)]

        scorer = GivenScorer(answer)
        strategy = LumberChunker(mode=Mode.MARGIN, last_units=6)
        assert texts_of(BOOK, strategy, scorer) == lines((0, 3), (3, 4), (4, 7), (7, 10))
        assert [question.options for asked in scorer.asked for question in asked] == [
            tuple(map(str, range(n))) for n in (10, 7, 6)
        ]

    def test_only_the_paragraphs_of_the_window_are_numbered(self):
        """A window has three paragraphs, and the last one is the most probable."""
        scorer = GivenScorer(lambda instruction: [log(0.1), log(0.1), log(0.8)])
        strategy = LumberChunker(mode=Mode.MARGIN, theta=30, last_units=6)
        assert texts_of(BOOK, strategy, scorer) == lines((0, 2), (2, 4), (4, 6), (6, 10))
        asked = [question.instruction.split("\n\n")[-1] for (question,) in scorer.asked]
        assert asked == [
            "\n".join(f"{n}: {PARAGRAPHS[first + n]}" for n in range(3)) for first in (0, 2, 4)
        ]

    def test_sentences_as_units(self):
        completer = GivenCompleter(lambda prompt: "ID 1" if "ID 0000" in prompt else "")
        chunks = texts_of(BOOK, LumberChunker(units=ShownUnits.SENTENCE, last_units=19), completer)
        assert chunks == [
            "Paragraph 0 has two sentences.",
            BOOK.removeprefix("Paragraph 0 has two sentences. "),
        ]


def separated(*texts):
    return GivenCompleter(lambda prompt: "\n---Block Separator---\n".join(texts))


class TestDirect:
    @pytest.mark.parametrize(
        "separator", ["---Block Separator---", "\n- – Block Separator – –\n", "— block separator —"]
    )
    def test_boundaries_are_those_of_the_model(self, separator):
        completer = GivenCompleter(
            lambda prompt: separator.join([*PARAGRAPHS[:4], "\n\n".join(PARAGRAPHS[4:])])
        )
        assert texts_of(BOOK, DirectLLM(), completer) == [
            *PARAGRAPHS[:4],
            "\n".join(PARAGRAPHS[4:]),
        ]
        assert all(text in completer.asked[0] for text in PARAGRAPHS)
        assert "around 128 English words" in completer.asked[0]

    def test_damaged_text_is_a_chunk_of_its_own_and_noted(self, caplog):
        answer = separated(
            PARAGRAPHS[0], "Something quite different.", *PARAGRAPHS[3:9], "and more"
        )
        with caplog.at_level(logging.INFO, "docxchunk"):
            assert texts_of(BOOK, DirectLLM(), answer) == [
                PARAGRAPHS[0],
                *lines((1, 3)),
                *PARAGRAPHS[3:9],
                PARAGRAPHS[9],
            ]
        assert "made.txt: The model changed or left out 24 words" in caplog.text

    @pytest.mark.parametrize(
        "answer", ["", "I cannot help with that.", "---Block Separator---" * 3]
    )
    def test_after_a_refusal_the_text_is_chunked_as_by_r(self, answer):
        assert texts_of(BOOK, DirectLLM(), GivenCompleter(lambda prompt: answer)) == [BOOK]
        small = texts_of(BOOK, DirectLLM(), GivenCompleter(lambda prompt: answer), size=32)
        assert "".join("".join(small).split()) == "".join(BOOK.split())
        assert all(WORDS.count(text) <= 32 for text in small)

    @pytest.mark.parametrize("window", [24, 2000])
    def test_words_that_are_all_repeated_are_not_noted(self, window):
        completer = GivenCompleter(lambda prompt: prompt.split("into blocks: ")[-1])
        strategy = DirectLLM(words=8, window=window)
        result = run(plain_text(BOOK), strategy, ChunkLimits(), WORDS, models_of(completer))
        assert result.notes == ()

    def test_changed_words_of_all_windows_are_noted(self):
        """The windows have three paragraphs; the model says nothing about the second one."""
        completer = GivenCompleter(
            lambda prompt: "" if PARAGRAPHS[3] in prompt else prompt.split("into blocks: ")[-1]
        )
        strategy = DirectLLM(words=8, window=24)
        result = run(plain_text(BOOK), strategy, ChunkLimits(), WORDS, models_of(completer))
        assert result.notes == (
            "The model changed or left out 24 words: they are chunked as by R.",
        )

    def test_long_texts_go_in_windows(self):
        completer = GivenCompleter(lambda prompt: prompt.split("into blocks: ")[-1])
        assert texts_of(BOOK, DirectLLM(words=8, window=24), completer) == lines(
            (0, 3), (3, 6), (6, 9), (9, 10)
        )

    def test_a_block_that_ends_inside_a_sentence_ends_at_the_nearer_end(self):
        assert align([list("abcdef"), list("gh")], [list("abcde"), list("fgh")])[0] == [1]
        assert align([list("ab"), list("cdefgh")], [list("abc"), list("defgh")])[0] == [1]
        # as near to the beginning
        assert align([list("abcd"), list("ef")], [list("ab"), list("cdef")])[0] == []

    @pytest.mark.parametrize(
        ("blocks", "cuts", "damaged"),
        [
            ("ab cd ef", [1, 2], 0),
            ("abcd ef", [2], 0),
            ("abcdef", [], 0),
            ("ab xy ef", [1, 2], 2),
            ("ab xxxxxxxxxx ef", [1, 2], 2),
            ("ab cxd ef", [1, 2], 2),
            ("ab cd", [1, 2], 2),
            ("cd", [1, 2], 4),
            ("ef", [2], 4),
            ("abd", [], 6),  # a word is left out
            ("abx", [], 6),
            ("xab", [], 6),
            ("bc", [1], 4),
            ("bcd ef", [2], 1),
            ("a b cdef", [1], 0),
            ("", [], 6),
            ("x", [], 6),
        ],
    )
    def test_a_block_counts_if_its_words_follow_one_another(self, blocks, cuts, damaged):
        units = [list("ab"), list("cd"), list("ef")]
        assert align(units, list(map(list, blocks.split(" ")))) == (cuts, damaged)

    def test_cuts_are_in_the_order_of_the_text(self):
        blocks = [list("a"), list("bcdefgh"), list("ij")]
        assert align([[letter] for letter in "abcdefghij"], blocks) == ([1, 8], 0)

    def test_frequent_words_of_a_long_text_are_found(self):
        assert align([["a", "b"]] * 150, [["a", "b"] * 150]) == ([], 0)

    @given(
        st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), min_size=1, max_size=8),
        st.data(),
    )
    def test_an_honest_answer_gives_its_own_cuts(self, units, data):
        cuts = sorted(data.draw(st.sets(st.integers(1, max(1, len(units) - 1)))) - {len(units)})
        blocks = [
            [word for unit in units[a:b] for word in unit]
            for a, b in pairwise([0, *cuts, len(units)])
        ]
        assert align(units, blocks) == (cuts, 0)

    @given(
        st.lists(st.lists(st.sampled_from("abc"), min_size=1, max_size=4), max_size=8),
        st.lists(st.lists(st.sampled_from("abcd"), max_size=9), max_size=5),
    )
    def test_any_answer_gives_valid_cuts(self, units, blocks):
        cuts, damaged = align(units, blocks)
        assert cuts == sorted(set(cuts))
        assert all(0 < cut < len(units) for cut in cuts)
        assert 0 <= damaged <= sum(map(len, units))

    def test_chinese(self):
        sentences = ["第一句话在这里。", "第二句话也在。", "最后一句。"]
        completer = separated("第一句话在这里。 第二句话也在。", "最后一句。")
        assert texts_of("".join(sentences), DirectLLM(), completer) == [
            "".join(sentences[:2]),
            sentences[2],
        ]


class TestPropositions:
    TEXT = "Ada wrote it in 1843. She was first."

    def chunk(self, answer, **settings):
        completer = GivenCompleter(lambda prompt: answer)
        (chunk,) = run(
            plain_text(self.TEXT),
            Proposition(**settings),
            ChunkLimits(),
            WORDS,
            models_of(completer),
        ).chunks
        return chunk, completer.asked

    def test_a_passage_keeps_its_place_and_has_its_propositions(self):
        chunk, _ = self.chunk('Here they are: ["Ada wrote it in 1843.", " Ada was first. "]')
        assert chunk.propositions == ("Ada wrote it in 1843.", "Ada was first.")
        assert chunk.content == self.TEXT
        assert chunk.parts == (Slice("id-1", 0, len(self.TEXT)),)
        assert CHUNK.value(Fields(json.loads(json.dumps(CHUNK.record(chunk))), INDEX)) == chunk

    @pytest.mark.parametrize(
        "answer", ["", "I cannot.", "[]", "[1, 2]", '[["nested"]]', "[" * 5000]
    )
    def test_sentences_replace_missing_propositions(self, answer, caplog):
        with caplog.at_level(logging.INFO, "docxchunk"):
            chunk, _ = self.chunk(answer)
        assert chunk.propositions == ("Ada wrote it in 1843.", "She was first.")
        assert "1 of 1 passages" in caplog.text

    @pytest.mark.parametrize(
        ("answer", "found"),
        [
            ('["a", "b"]', ("a", "b")),
            ('```json\n["a",\n "b",]\n```', ("a", "b")),
            ('["a", "b"', ("a", "b")),
            ('["a", "b', ("a",)),
            ('["a", ', ("a",)),
            ('"a", "b"', ()),
            ('["He said "no" to me.", "b"]', ()),
            ('["a", "He said "no" to me."]', ("a",)),
            ('["line\nbreak"]', ("line\nbreak",)),
            ('["", "  ", "a"]', ("a",)),
            ('["\\u00e9t\\u00e9"]', ("été",)),
        ],
    )
    def test_lists_that_break_off_or_go_wrong(self, answer, found):
        assert propositions(answer) == found

    def test_the_prompt_for_propositions(self):
        made = document(
            block("Part", level=1), block("Section", "Ada wrote it.", level=2, parents=["Part"])
        )
        completer = GivenCompleter(lambda prompt: "[]")
        run(
            made,
            Proposition(prompt=PropositionPrompt.BARE, passage=1),
            ChunkLimits(),
            WORDS,
            models_of(completer),
        )
        assert completer.asked == [
            "Title: . Section: Part. Content: # Part ## Section Ada wrote it."
        ]
        _, (asked,) = self.chunk("[]")
        assert asked.endswith(
            "JSON list of strings and nothing else.\n\nTitle: A title. "
            f"Section: . Content: {self.TEXT}"
        )

    def test_passages_are_whole_sentences_within_the_words(self):
        chunks = texts_of(BOOK, Proposition(passage=16), GivenCompleter(lambda prompt: "[]"))
        assert chunks == lines(*((a, a + 2) for a in range(0, 10, 2)))


class TestCluster:
    APART = GivenEmbedder(
        {"Cats purr.": (1, 0), "Cats sleep.": (1, 0), "Rain falls.": (0, 1), "Rain stops.": (0, 1)}
    )
    TEXT = "Cats purr. Rain falls. Cats sleep. Rain stops."

    def test_a_chunk_may_hold_sentences_that_are_not_adjacent(self):
        for settings in ({"n_clusters": 2}, {"n_clusters": 0}, {"max_size": 2}):
            assert texts_of(self.TEXT, Cluster(weight=0.2, **settings), self.APART) == [
                "Cats purr.\nCats sleep.",
                "Rain falls.\nRain stops.",
            ]
        assert texts_of(
            self.TEXT, Cluster(weight=0.2, max_size=1), self.APART
        ) == self.TEXT.replace(". ", ".|").split("|")
        assert texts_of(self.TEXT, Cluster(weight=1.0, max_size=2), self.APART) == [
            "Cats purr. Rain falls.",
            "Cats sleep. Rain stops.",
        ]

    def test_neighbours_are_merged_in_the_order_of_the_text(self):
        assert texts_of(self.TEXT, Cluster(weight=0.2, n_clusters=2, merge_to=1.0), self.APART) == [
            self.TEXT
        ]
        parted = texts_of(self.TEXT, Cluster(weight=0.2, n_clusters=2, merge_to=0.002), self.APART)
        assert parted == ["Cats purr.\nCats sleep.", "Rain falls.\nRain stops."]

    def test_dbscan(self):
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
        assert texts_of(self.TEXT, Cluster(method=Method.DBSCAN, weight=0.2), self.APART) == [
            "Cats purr.\nCats sleep.",
            "Rain falls.\nRain stops.",
        ]

    def test_a_heading_stays_with_the_text_below_it(self):
        made = document(block("Cats", "Rain falls. Cats purr."))
        embedder = GivenEmbedder({"# Cats": (1, 0), **self.APART.vectors})
        assert texts_of(made, Cluster(n_clusters=0, weight=0.0), embedder) == [
            "# Cats\nRain falls.",
            "Cats purr.",
        ]
