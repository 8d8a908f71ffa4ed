"""PIC, LG, PPL and MSP with models whose answers are given."""

from __future__ import annotations

import logging
from itertools import pairwise
from math import acos, cos, exp, log, sin

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
    strip_of,
    texts_of,
)
from make_fixtures import DOCUMENTS

from docxchunk.chunking import ChunkLimits, P, run
from docxchunk.errors import MissingModelError, UsageError
from docxchunk.lab.strategies.boundaries import Threshold, are_relevant
from docxchunk.lab.strategies.lgmgc import CONTINUE, LG, LGDocument, Refill
from docxchunk.lab.strategies.meta_chunking import (
    MSP,
    PPL,
    Beyond,
    MarginPrompt,
    Previous,
    reads,
    scan,
)
from docxchunk.lab.strategies.pseudo_instruction import (
    PIC,
    RIC,
    Instruction,
)
from docxchunk.lab.strategies.semantic import Similarity, V
from docxchunk.model.chunks import Slice
from docxchunk.model.ports import EvictingLosses, Losses

SENTENCES = [
    "Alpha goes up.",
    "Beta goes down.",
    "Gamma goes round.",
    "Delta stands still.",
    "Epsilon has gone.",
    "Zeta is last.",
]
TEXT = " ".join(SENTENCES)


def joined(*groups):
    return [" ".join(SENTENCES[number] for number in group) for group in groups]


class TestStatueOfLiberty:
    """The example in table 9 of the paper of PIC: the answer is in the third sentence, its subject
    in the fifth.
    """

    LINES = tuple(
        line.split(" | ")
        for line in (DOCUMENTS.parent / "chunking" / "statue-of-liberty.txt")
        .read_text("utf-8")
        .splitlines()[3:]
    )
    TEXTS = tuple(text for _, _, text in LINES)

    def test_neighbours_part_the_answer_from_its_subject(self):
        angles = [0.0]
        for following, _, _ in self.LINES[:-1]:
            angles.append(angles[-1] + acos(float(following)))
        embedder = GivenEmbedder(
            {text: (cos(angle), sin(angle)) for text, angle in zip(self.TEXTS, angles, strict=True)}
        )
        chunks = texts_of(
            " ".join(self.TEXTS), V(threshold=Threshold.DISTANCE, amount=0.5, buffer=0), embedder
        )
        assert chunks == [" ".join(self.TEXTS[:2]), self.TEXTS[2], " ".join(self.TEXTS[3:])]

    def test_the_pseudo_instruction_keeps_them_together(self):
        near = [float(likeness) for _, likeness, _ in self.LINES]
        vectors = {
            text: (like, sin(acos(like))) for text, like in zip(self.TEXTS, near, strict=True)
        }
        summary = GivenCompleter(lambda prompt: "It was a gift from France.")
        chunks = texts_of(" ".join(self.TEXTS), PIC(), GivenEmbedder(vectors), summary)
        assert chunks == [" ".join(self.TEXTS[:2]), " ".join(self.TEXTS[2:])]
        assert "built in France" in chunks[1]
        assert "Statue of Liberty" in chunks[1]
        assert len(summary.asked) == 1
        assert all(text in summary.asked[0] for text in self.TEXTS)


def test_models_read_text_without_tags():
    embedder = GivenEmbedder({})
    texts_of("An area of 2 m<sup>2</sup>. Another of 3 m.", V(buffer=0), embedder)
    assert embedder.asked == [["An area of 2 m2.", "Another of 3 m."]]


@pytest.mark.parametrize(
    ("strategy", "windows"),
    [
        (V(buffer=0), ["One.", "Two.", "Three.", "Four."]),
        (V(), ["One. Two.", "One. Two. Three.", "Two. Three. Four.", "Three. Four."]),
        (Similarity(), ["One.  Two.", "One.  Two.\nThree.", "Two.\nThree. Four.", "Three. Four."]),
        (V(buffer=2), ["One. Two. Three.", *["One. Two. Three. Four."] * 2, "Two. Three. Four."]),
    ],
)
def test_a_window_has_the_sentences_on_both_sides(strategy, windows):
    embedder = GivenEmbedder({})
    texts_of("One.  Two.\nThree. Four.", strategy, embedder)
    assert embedder.asked == [windows]


class TestPIC:
    NEAR = GivenEmbedder(
        dict(zip(SENTENCES, [(1, 0), (1, 0), (0, 1), (0.6, 0.8), (1, 0), (0, 1)], strict=True))
    )

    def test_the_mean_of_the_sentences(self):
        """Their mean is (0.6, 0.4667): the cosines are 0.789, 0.789, 0.614, 0.965, 0.789 and 0.614,
        on average 0.76.
        """
        assert texts_of(TEXT, PIC(pi=Instruction.MEAN), self.NEAR) == joined(
            [0, 1], [2], [3, 4], [5]
        )

    @pytest.mark.parametrize("answer", ["", " \n"])
    def test_without_a_summary_the_mean_is_used_and_noted(self, answer, caplog):
        with caplog.at_level(logging.INFO, "docxchunk"):
            chunks = texts_of(TEXT, PIC(), self.NEAR, GivenCompleter(lambda prompt: answer))
        assert chunks == texts_of(TEXT, PIC(pi=Instruction.MEAN), self.NEAR)
        assert "made.txt: The model wrote no summary" in caplog.text

    def test_a_long_document_is_summarized_by_its_parts(self):
        completer = GivenCompleter(lambda prompt: f"S{len(completer.asked)}.")
        texts_of(TEXT, PIC(longest=6), self.NEAR, completer)
        parts, last = completer.asked[:-1], completer.asked[-1]
        assert [[text for text in SENTENCES if text in part] for part in parts] == [
            SENTENCES[first : first + 2] for first in (0, 2, 4)
        ]
        assert "\nS3.\nS3.\nS3.\n" in last

    def relevances(self, text, strategy, **limits):
        return [
            chunk.relevance
            for chunk in run(
                plain_text(text), strategy, ChunkLimits(**limits), WORDS, models_of(self.NEAR)
            ).chunks
        ]

    def test_each_chunk_has_its_relevance(self):
        """The scores of the sentences are 0.7894, 0.7894, 0.6139, 0.9648, 0.7894 and 0.6139: on
        average 0.7601.
        """
        found = self.relevances(TEXT, PIC(pi=Instruction.MEAN))
        assert found == [(0.7894, 0.7602), (0.6139, 0.7602), (0.8771, 0.7602), (0.6139, 0.7602)]
        assert [one.relevant for one in found] == [True, False, True, False]
        assert self.relevances(joined([0, 1])[0], PIC(pi=Instruction.MEAN)) == [(1.0, 1.0)]
        # nothing to compare it with
        assert self.relevances(SENTENCES[0], PIC(pi=Instruction.MEAN)) == [None]

    @given(st.lists(st.floats(-3, 3), min_size=6, max_size=6), st.sampled_from([-1.0, 0.0, 0.5]))
    def test_a_run_is_relevant_or_not_as_its_sentences_are(self, angles, sigmas):
        vectors = {
            text: (cos(angle), sin(angle)) for text, angle in zip(SENTENCES, angles, strict=True)
        }
        assembler, sequence = strip_of(TEXT, embedder := GivenEmbedder(vectors))
        strategy = PIC(pi=Instruction.QUERY, query=SENTENCES[0], sigmas=sigmas)
        exact = strategy.scores(assembler, sequence)
        scores = dict(zip(SENTENCES, are_relevant(exact, sigmas), strict=True))
        chunks = run(plain_text(TEXT), strategy, ChunkLimits(), WORDS, models_of(embedder)).chunks
        for chunk in chunks:
            held = {relevant for text, relevant in scores.items() if text in chunk.content}
            assert held == {chunk.relevance.relevant}, (
                "what is shown is rounded, and on the right side of what is shown of the threshold"
            )
        assert all(
            one.relevance.relevant != other.relevance.relevant for one, other in pairwise(chunks)
        )

    def test_a_heading_has_the_relevance_of_the_text_below_it(self):
        made = document(
            block("Zeta is last", f"{SENTENCES[0]} {SENTENCES[1]}"),
            block("Alpha goes up", SENTENCES[2]),
        )
        vectors = {
            "# Zeta is last": (0, 1),
            "# Alpha goes up": (1, 0),
            SENTENCES[0]: (1, 0),
            SENTENCES[1]: (1, 0),
            SENTENCES[2]: (0, 1),
            "Up?": (1, 0),
        }
        result = run(
            made,
            PIC(pi=Instruction.QUERY, query="Up?"),
            ChunkLimits(),
            WORDS,
            models_of(GivenEmbedder(vectors)),
        )
        assert [(chunk.heading, chunk.relevance.score) for chunk in result.chunks] == [
            ("Zeta is last", 1.0),
            ("Alpha goes up", 0.0),
        ]

    def test_the_real_question_by_name(self):
        asked = PIC(pi=Instruction.QUERY, query="Up?")
        assert texts_of(TEXT, RIC(query="Up?"), self.NEAR) == texts_of(TEXT, asked, self.NEAR)
        long = document(block("Long", f"{TEXT} " * 10))
        for made, size in ((TEXT, 2000), (long, 100)):
            with pytest.raises(UsageError, match="query=TEXT"):
                texts_of(made, P(inner="RIC"), self.NEAR, size=size)

    @pytest.mark.parametrize("text", ["", SENTENCES[0], TEXT])
    def test_a_missing_question_is_an_error_for_any_text(self, text):
        embedder = GivenEmbedder({})
        with pytest.raises(UsageError, match="query=TEXT"):
            texts_of(text, RIC(), embedder)
        assert not embedder.asked

    def test_models_follow_from_the_setting(self):
        assert PIC().models == ("embedder", "completer")
        assert PIC(pi=Instruction.MEAN).models == ("embedder",)
        with pytest.raises(MissingModelError, match="a language model that writes"):
            texts_of(TEXT, PIC(), self.NEAR)
        with pytest.raises(UsageError, match="query=TEXT"):
            PIC(pi=Instruction.QUERY)


def stops(*marked):
    """Return a scorer with likely ends after some sentences."""
    return GivenScorer(
        lambda segment: -0.5 if any(SENTENCES[n] == segment for n in marked) else -9.0
    )


class TestLG:
    def test_breaks_are_where_the_text_may_end(self):
        scorer = stops(1, 3, 5)
        assert texts_of(TEXT, LG(theta=10, refill=Refill.CAP, min_tail=0.5), scorer) == joined(
            [0, 1], [2, 3], [4, 5]
        )
        assert [[question.text for question in asked] for asked in scorer.asked] == [
            [" ".join(SENTENCES[:3])],
            [" ".join(SENTENCES[2:5])],
            [" ".join(SENTENCES[4:])],
        ]
        assert {question.instruction for asked in scorer.asked for question in asked} == {
            CONTINUE.english
        }

    def test_appended_stretches_are_those_of_the_paper(self):
        """Stretches of six words, two sentences each; a window is never over twelve words, four
        sentences.
        """
        scorer = stops(0, 4)
        assert texts_of(TEXT, LG(theta=6, min_tail=0.6), scorer) == joined([0], [1], [2, 3, 4], [5])
        windows = [asked[0].text for asked in scorer.asked]
        assert windows == [" ".join(SENTENCES[a:b]) for a, b in ((0, 2), (1, 4), (2, 6))]

    def test_a_window_has_at_most_twice_theta_words(self):
        """Each window is cut after its first sentence, of three words."""
        scorer = GivenScorer(lambda segment: -1.0)
        texts_of(" ".join(f"Sentence {n} ends." for n in range(10)), LG(theta=6), scorer)
        windows = [asked[0].text for asked in scorer.asked]
        assert [(int(text.split()[1]), text.count("ends.")) for text in windows] == [
            *((0, 2), (1, 3), (2, 4), (3, 4), (4, 4), (5, 4), (6, 4), (7, 3), (8, 2))
        ]

    @given(st.lists(st.floats(-5, 0), min_size=6, max_size=6), st.integers(3, 20), st.floats(0, 1))
    def test_a_glued_rest_is_the_only_difference(self, values, theta, min_tail):
        likely = dict(zip(SENTENCES, values, strict=True))
        apart, glued = (
            texts_of(
                TEXT,
                LG(theta=theta, min_tail=min_tail, glue_tail=glue),
                GivenScorer(lambda segment: likely[segment]),
            )
            for glue in (False, True)
        )
        short = len(apart) > 1 and len(apart[-1].split()) < min_tail * theta
        assert glued == ([*apart[:-2], " ".join(apart[-2:])] if short else apart)

    def test_one_pass_over_the_document(self):
        scorer = stops(1, 3)
        assert texts_of(TEXT, LGDocument(theta=10), scorer) == joined([0, 1], [2, 3], [4, 5])
        assert [question.text for question in scorer.asked[0]] == [TEXT]
        assert len(scorer.asked) == 1

    def test_a_single_sentence_is_not_sent_to_the_model(self):
        scorer = stops()
        assert texts_of(SENTENCES[0], LG(min_tail=0), scorer) == SENTENCES[:1]
        assert texts_of(TEXT, LG(theta=3, refill=Refill.CAP, min_tail=0), scorer) == SENTENCES
        assert not scorer.asked

    def test_in_one_pass_an_end_after_the_window_does_not_count(self):
        likely = dict(zip(SENTENCES, (-9, -3, -2, -1, -8, -0.5), strict=True))
        scorer = GivenScorer(lambda segment: likely[segment])
        for theta, groups in (
            (8, ([0, 1], [2, 3], [4, 5])),
            (9, ([0, 1, 2], [3, 4, 5])),
            (17, ([0, 1, 2, 3], [4, 5])),
            (18, ([0, 1, 2, 3, 4, 5],)),
        ):
            assert texts_of(TEXT, LGDocument(theta=theta), scorer) == joined(*groups)


def losses(*values):
    table = dict(zip(SENTENCES, values, strict=True))
    return GivenScorer(lambda segment: table[segment])


class TestPPL:
    KNOWN = losses(float("inf"), 1.0, 2.0, 1.4, 1.7, 3.0)

    def test_minima_end_their_chunks(self):
        assert texts_of(TEXT, PPL(merge_to=0), self.KNOWN) == joined([0, 1], [2, 3], [4, 5])
        assert texts_of(TEXT, PPL(merge_to=0, threshold=0.65), self.KNOWN) == joined(
            [0, 1], [2, 3, 4, 5]
        )
        assert [question.text for question in self.KNOWN.asked[0]] == [TEXT]

    @pytest.mark.parametrize(("dynamic", "count"), [(False, 104), (True, 101)])
    def test_after_a_hundred_minima_only_deep_ones_count(self, dynamic, count):
        """A hundred minima have a depth of 1 and three of 0.5."""
        depths = [1.0] * 100 + [0.5] * 3
        values = [value for depth in depths for value in (2.0, 2.0 - depth)] + [2.0]
        scorer = GivenScorer(lambda segment: values[int(segment.split()[1])])
        text = " ".join(f"Sentence {n} ends." for n in range(len(values)))
        chunks = texts_of(text, PPL(merge_to=0, dynamic=dynamic), scorer)
        assert len(chunks) == count

    def test_neighbours_are_merged_up_to_the_size(self):
        assert texts_of(TEXT, PPL(), self.KNOWN) == [TEXT]
        (whole,) = run(plain_text(TEXT), PPL(), ChunkLimits(), WORDS, models_of(self.KNOWN)).chunks
        assert whole.parts == (Slice("id-1", 0, len(TEXT)),)
        assert texts_of(TEXT, PPL(merge_to=0.5), self.KNOWN, size=32) == joined(
            [0, 1, 2, 3], [4, 5]
        )

    def test_overlap_differs_by_the_minimum_sentences(self):
        apart = joined([0, 1], [2, 3], [4, 5])
        shown_twice = [apart[0], f"{SENTENCES[1]} {apart[1]}", f"{SENTENCES[3]} {apart[2]}"]
        strategy = PPL(merge_to=0, overlap_ends=True)
        assert texts_of(TEXT, strategy, self.KNOWN) == shown_twice
        assert texts_of(TEXT, strategy, self.KNOWN, overlap=3) == apart  # four words and marks

    def test_text_over_the_context_window_is_repeated_or_evicted(self):
        for beyond, asked in ((Beyond.REPEAT, Losses), (Beyond.EVICT, EvictingLosses)):
            scorer = losses(*[1.0] * 6)
            texts_of(TEXT, PPL(beyond=beyond), scorer)
            assert [type(question) for questions in scorer.asked for question in questions] == [
                asked
            ]


def split_or_keep(split, keep):
    def answer(instruction):
        return (log(split) if split else float("-inf"), log(keep) if keep else float("-inf"))

    return GivenScorer(answer)


class TestMSP:
    @pytest.mark.parametrize("previous", Previous)
    @pytest.mark.parametrize("history", [0, 5])
    @pytest.mark.parametrize("renormalise", [False, True])
    def test_a_model_that_always_gives_the_same_answer(self, previous, history, renormalise):
        strategy = MSP(previous=previous, history=history, renormalise=renormalise, merge_to=0)
        assert texts_of(TEXT, strategy, split_or_keep(0, 1)) == [TEXT]
        assert texts_of(TEXT, strategy, split_or_keep(1, 0)) == SENTENCES
        assert texts_of(TEXT, strategy, split_or_keep(0.1, 0.3)) == [TEXT]

    @given(st.floats(0, 0.5), st.floats(0, 0.5), st.booleans())
    def test_swapped_options_change_the_sign_of_the_margin(self, split, keep, renormalise):
        strategy = MSP(renormalise=renormalise)
        answers = split_or_keep(split, keep).answer(""), split_or_keep(keep, split).answer("")
        there, back = map(strategy._margin, answers)
        assert there == pytest.approx(-back)
        assert there == pytest.approx(
            (keep - split) / (keep + split) if renormalise and keep + split else keep - split
        )

    LONG = tuple(
        f"This is sentence {number} of a document, and it says that "
        f"{'it goes on and ' * (number % 7)}on."
        for number in range(1600)
    )

    @pytest.mark.parametrize(("keep", "size"), [(0.9, 2000), (0.9, 200), (0.1, 2000)])
    @pytest.mark.parametrize("previous", Previous)
    def test_a_long_document_is_read_three_times_at_most(self, keep, size, previous):
        text = " ".join(self.LONG)
        scorer = split_or_keep(1 - keep, keep)
        result = run(
            plain_text(text), MSP(previous=previous), ChunkLimits(size), WORDS, models_of(scorer)
        )
        asked = [question.instruction for questions in scorer.asked for question in questions]
        prompts = sum(len(instruction.rsplit("\n", 1)[0]) + len("\n ‖ ") for instruction in asked)
        assert 1300 < len(asked) < 1600
        assert sum(map(len, asked)) <= 3 * len(text) + prompts
        assert all(chunk.tokens <= size for chunk in result.chunks)
        assert any(
            note.startswith("The model was shown only the end of a chunk") for note in result.notes
        ) == (keep > 0.5 and previous is Previous.CHUNK)

    @given(
        st.lists(st.integers(1, 40), min_size=2, max_size=30),
        st.integers(2, 5),
        st.lists(st.booleans(), min_size=30, max_size=30),
    )
    def test_times_limits_the_shown_text_and_neighbours_are_always_shown(
        self, lengths, times, keeps
    ):
        sentences = [f"S{number} {'w ' * length}end." for number, length in enumerate(lengths)]
        text, answers = " ".join(sentences), iter(keeps)
        scorer = GivenScorer(
            lambda _: (log(0.1), log(0.9)) if next(answers) else (log(0.9), log(0.1))
        )
        texts_of(text, MSP(times=times), scorer, size=10_000)
        shown = [
            question.instruction.rsplit("\n", 1)[-1].split(" ‖ ")
            for questions in scorer.asked
            for question in questions
        ]
        assert sum(len(left) + len(right) for left, right in shown) <= times * len(text)
        assert all(
            left.endswith(before) and right == after
            for (left, right), (before, after) in zip(shown, pairwise(sentences), strict=True)
        )

    def test_a_full_chunk_is_closed_without_asking_and_noted(self):
        scorer = split_or_keep(0.1, 0.9)
        result = run(
            plain_text(" ".join(self.LONG[:100])),
            MSP(prompt=MarginPrompt.PUBLISHED, times=0),
            ChunkLimits(100),
            WORDS,
            models_of(scorer),
        )
        asked = [question.instruction for questions in scorer.asked for question in questions]
        assert all(WORDS.count(instruction) <= 3 * 100 + 80 for instruction in asked)
        assert len(asked) == 99 - (len(result.chunks) - 1)
        (note,) = result.notes
        assert note == (
            "A chunk reached the token limit: it was closed without asking the model. "
            f"({len(result.chunks) - 1} times)"
        )

    def test_neighbours_one_by_one_or_at_once(self):
        """The same margins make the same cuts, whatever the model was shown."""
        table = dict(zip(SENTENCES, (0.9, 0.2, 0.7, 0.7, 0.4, 0.8), strict=True))

        def answer(instruction):
            keep = next(table[text] for text in reversed(SENTENCES) if text in instruction)
            return (log(1 - keep), log(keep))

        both = [
            texts_of(TEXT, MSP(previous=previous, history=2, merge_to=0), GivenScorer(answer))
            for previous in Previous
        ]
        assert both[0] == both[1] == joined([0], [1, 2, 3], [4, 5])

    @pytest.mark.parametrize(
        ("times", "sentences"),
        [
            (2, [2, 3, 2, 2, 2, 2, 2]),
            (3, [2, 3, 4, 5, 3, 3, 3]),
            (4, [2, 3, 4, 5, 6, 7, 4]),
            (0, [2, 3, 4, 5, 6, 7, 8]),
        ],
    )
    def test_as_much_of_the_chunk_is_shown_as_the_model_may_read(self, times, sentences):
        """The next sentence, which will be shown once more, is counted twice."""
        text = " ".join(f"Sentence {n} ends." for n in range(8))
        scorer = split_or_keep(0, 1)
        texts_of(text, MSP(times=times), scorer)
        asked = [question.instruction for questions in scorer.asked for question in questions]
        assert [text.rsplit("\n", 1)[-1].count("Sentence") for text in asked] == sentences

    @pytest.mark.parametrize("previous", Previous)
    def test_the_model_is_not_asked_if_no_question_fits(self, previous):
        class Short(GivenScorer):
            window = 1100

            def count(self, text):
                return len(text)

            def score(self, questions):
                raise AssertionError(questions)

        sentences = [f"{name} that is too long {'and on ' * 100}so." for name in ("One", "Two")]
        strategy = MSP(previous=previous, merge_to=0)
        assert texts_of(" ".join(sentences), strategy, Short(None)) == sentences

    def test_the_odds_of_improbable_answers_are_known(self):
        """Both probabilities are 0 in floating point."""
        margin = (1 - exp(-1)) / (1 + exp(-1))
        assert MSP(renormalise=True)._margin((-1001.0, -1000.0)) == pytest.approx(margin)
        assert MSP(renormalise=True)._margin((-1000.0, -1001.0)) == pytest.approx(-margin)


@pytest.mark.parametrize(
    ("size", "window", "count", "fits"),
    [
        (1024, 10, 2000, True),  # every model reads so many bytes
        (1025, None, 2000, True),
        (1025, 1025, 2000, True),  # no more tokens than bytes
        (1026, 1025, 1025, True),
        (1026, 1025, 1026, False),
        (1026, 1025, None, True),
    ],
)
def test_a_prompt_fits_by_its_bytes_or_its_tokens(size, window, count, fits):
    class Model(GivenScorer):
        pass

    scorer = Model(None)
    scorer.window = window
    if count is not None:
        scorer.count = lambda text: count
    for prompt in ("x" * size, "é" * (size // 2) + "x" * (size % 2)):
        assert reads(scorer, prompt) is fits


@pytest.mark.parametrize(
    ("margins", "history", "cuts", "firsts"),
    [
        ([], 0, [], []),
        ([0.5, 0.5], 0, [], [0, 0]),
        ([-0.5, 0.5], 0, [1], [0, 1]),
        ([0.5, None, 0.5], 0, [2], [0, 0, 2]),  # no margin, and none is remembered
        ([0.5, None, 0.4], 1, [2, 3], [0, 0, 2]),
        ([0.1, 0.9, 0.5], 0, [], [0, 0, 0]),  # exactly the mean
        ([0.1, 0.9, 0.4], 0, [3], [0, 0, 0]),
        ([0.1, 0.9, 0.8], 1, [3], [0, 0, 0]),
        ([0.9, 0.1, 0.4], 1, [2], [0, 0, 2]),
        ([0.9, 0.1, 0.4], 2, [3], [0, 0, 0]),
    ],
)
def test_a_unit_whose_margin_does_not_beat_the_mean_is_cut_off(margins, history, cuts, firsts):
    asked = []

    def ask(first, number):
        asked.append(first)
        return margins[number - 1]

    assert scan(ask, len(margins) + 1, history) == cuts
    assert asked == firsts
