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
    Score,
    reads,
    scan,
)
from docxchunk.lab.strategies.pseudo_instruction import (
    PIC,
    RIC,
    UNRELATED_SUMMARIES,
    Instruction,
    PICRandom,
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

    @given(st.integers(0, 5), st.lists(st.floats(-1, 1), min_size=6, max_size=6))
    def test_a_query_that_is_a_sentence_is_relevant_to_it(self, number, angles):
        embedder = GivenEmbedder(
            {
                text: (cos(3 * angle), sin(3 * angle))
                for text, angle in zip(SENTENCES, angles, strict=True)
            }
        )
        assembler, sequence = strip_of(TEXT, embedder)
        strategy = PIC(pi=Instruction.QUERY, query=SENTENCES[number])
        scores = strategy.scores(assembler, sequence)
        group = next(group for group in strategy.rule(assembler)(sequence) if number in group)
        assert all(scores[unit] >= scores.mean() - 1e-9 for unit in group)

    def test_the_random_control_is_reproducible(self):
        strategy = PIC(pi=Instruction.SENTENCE)
        embedder = GivenEmbedder(self.NEAR.vectors)
        assert texts_of(TEXT, strategy, embedder) == texts_of(TEXT, strategy, embedder)
        assert embedder.asked[0][-1] in SENTENCES
        assert embedder.asked[0] == embedder.asked[1]

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

    def test_parts_without_a_summary_are_left_out_and_no_summary_is_made_of_none(self):
        answers = iter(["", " Of Gamma. ", "", "Of all. "])
        completer = GivenCompleter(lambda prompt: next(answers))
        embedder = GivenEmbedder(self.NEAR.vectors)
        texts_of(TEXT, PIC(longest=6), embedder, completer)
        assert "passage:\nOf Gamma.\nWrite" in completer.asked[-1]
        assert embedder.asked[-1][-1] == "Of all."
        silent = GivenCompleter(lambda prompt: " ")
        mean = texts_of(TEXT, PIC(pi=Instruction.MEAN), self.NEAR)
        assert texts_of(TEXT, PIC(longest=6), self.NEAR, silent) == mean
        assert len(silent.asked) == 3

    def test_sentences_without_a_mean_direction_are_one_chunk(self):
        opposite = GivenEmbedder({SENTENCES[0]: (1.0, 0.0), SENTENCES[1]: (-1.0, 0.0)})
        text = joined([0, 1])[0]
        assert texts_of(text, PIC(pi=Instruction.MEAN), opposite) == [text]

    def test_a_heading_without_text_has_its_own_relevance(self):
        made = document(block("", SENTENCES[0], 0), block("End"))
        embedder = GivenEmbedder({"# End": (0.0, 1.0)})
        asked = PIC(pi=Instruction.QUERY, query="Up?")
        chunks = run(made, asked, ChunkLimits(), WORDS, models_of(embedder)).chunks
        assert [(chunk.content, chunk.relevance.score) for chunk in chunks] == [
            (SENTENCES[0], 1.0),
            ("# End", 0.0),
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

    def test_merged_chunks_average_their_relevance_by_tokens(self):
        """Each of the six sentences has four tokens."""
        (merged,) = self.relevances(TEXT, PIC(pi=Instruction.MEAN, merge_to=1.0))
        assert merged.score == pytest.approx((0.7894 * 3 + 0.614 * 2 + 0.9648) / 6, abs=3e-4)
        assert merged.threshold == 0.7602

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

    @pytest.mark.parametrize(
        ("other", "shown", "threshold"),
        [(0.49999, 0.4999, 0.5), (0.4996, 0.4996, 0.5), (0.4994, 0.4994, 0.4999)],
    )
    def test_a_relevance_is_rounded_to_its_side_of_the_threshold(self, other, shown, threshold):
        """The threshold is the mean, rounded up to four places."""
        vectors = dict.fromkeys(SENTENCES, (0.5, sin(acos(0.5))))
        vectors |= {SENTENCES[-1]: (other, sin(acos(other))), "Up?": (1.0, 0.0)}
        chunks = run(
            plain_text(TEXT),
            PIC(pi=Instruction.QUERY, query="Up?"),
            ChunkLimits(),
            WORDS,
            models_of(GivenEmbedder(vectors)),
        ).chunks
        assert [chunk.relevance for chunk in chunks] == [(0.5, threshold), (shown, threshold)]

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

    def test_a_run_over_the_cap_is_as_relevant_in_each_of_its_chunks(self):
        text = " ".join(f"Alpha {n} goes up." for n in range(20)) + " Omega is down."
        embedder = GivenEmbedder({"Omega is down.": (0, 1)})
        found = [
            chunk.relevance
            for chunk in run(
                plain_text(text),
                PIC(pi=Instruction.QUERY, query="Up?"),
                ChunkLimits(32),
                WORDS,
                models_of(embedder),
            ).chunks
        ]
        assert len(found) > 3
        assert set(found[:-1]) == {found[0]}
        assert (found[0].score, found[-1].score) == (1.0, 0.0)

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

    def test_the_summary_of_another_document(self):
        """It is the same each time for the same text; a given summary is used."""
        embedder = GivenEmbedder(self.NEAR.vectors)
        for query in ("", "", "Another document."):
            texts_of(TEXT, PICRandom(query=query), embedder)
        drawn = [asked[-1] for asked in embedder.asked]
        assert drawn[0] == drawn[1]
        assert drawn[0] in UNRELATED_SUMMARIES
        assert drawn[2] == "Another document."
        assert (
            len(
                {
                    texts_of(f"{TEXT} {n}.", PICRandom(), embedder) and embedder.asked[-1][-1]
                    for n in range(40)
                }
            )
            > 4
        )

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

    def test_the_first_of_equally_likely_ends(self):
        assert texts_of(TEXT, LG(theta=10, min_tail=0), stops()) == SENTENCES

    def test_the_end_of_the_window_is_a_possible_cut(self):
        assert texts_of(TEXT, LG(theta=9, refill=Refill.CAP, min_tail=0), stops(2, 5)) == joined(
            [0, 1, 2], [3, 4, 5]
        )

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

    @given(
        st.lists(st.floats(-5, 0), min_size=6, max_size=6),
        st.integers(3, 20),
        st.sampled_from(Refill),
    )
    def test_windows_are_bounded(self, values, theta, refill):
        likely = dict(zip(SENTENCES, values, strict=True))
        chunks = texts_of(
            TEXT, LG(theta=theta, refill=refill), GivenScorer(lambda segment: likely[segment])
        )
        assert all(
            len(chunk.split()) <= max(theta, 3) * (2 if refill is Refill.APPEND else 1)
            for chunk in chunks
        )
        assert " ".join(chunks) == TEXT

    def test_a_short_rest_is_a_chunk_or_goes_with_the_one_before_it_where_both_fit(self):
        """Windows of four sentences; the last one, three words, is less than half of twelve."""
        apart, glued = (
            LG(theta=12, refill=Refill.CAP, min_tail=0.5, glue_tail=glue) for glue in (False, True)
        )
        assert texts_of(TEXT, apart, stops(2, 4)) == joined([0, 1, 2], [3, 4], [5])
        assert texts_of(TEXT, glued, stops(2, 4)) == joined([0, 1, 2], [3, 4, 5])
        for min_tail, ends in ((0.5, ([4], [5])), (0.51, ([4, 5],))):  # six of twelve words
            strategy = LG(theta=12, refill=Refill.CAP, min_tail=min_tail)
            assert texts_of(TEXT, strategy, stops(3, 4)) == joined([0, 1, 2, 3], *ends)
        # twelve words and a mark each
        long = " ".join(f"{text[:-1]} {'and on ' * 4}so." for text in SENTENCES)
        scorer = GivenScorer(
            lambda segment: -0.5 if segment.startswith(("Beta", "Delta")) else -9.0
        )
        for size, starts in ((52, ["Alpha", "Gamma"]), (51, ["Alpha", "Gamma", "Epsilon"])):
            assert [
                text.split()[0]
                for text in texts_of(
                    long,
                    LG(theta=48, refill=Refill.CAP, min_tail=0.6, glue_tail=True),
                    scorer,
                    size=size,
                )
            ] == starts
        four = long.split(" Epsilon")[0]
        for size, starts in ((52, ["Alpha"]), (51, ["Alpha", "Gamma"])):
            strategy = LG(theta=48, refill=Refill.CAP, min_tail=0.6, glue_tail=True)
            chunks = texts_of(four, strategy, scorer, size=size)
            assert [text.split()[0] for text in chunks] == starts
        assert texts_of(SENTENCES[0], LG(glue_tail=True), stops()) == SENTENCES[:1]
        # too short for a question
        assert texts_of(TEXT, LG(theta=100, glue_tail=True), stops()) == [TEXT]

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

    def test_the_instruction_does_not_change_the_text(self):
        """It changes only the prompt: the same probabilities give the same chunks."""
        scorers = stops(1, 3), stops(1, 3)
        told = [
            texts_of(TEXT, LG(theta=10, refill=Refill.CAP, instruction=text), scorer)
            for text, scorer in zip(("", "Go on, please."), scorers, strict=True)
        ]
        assert told[0] == told[1]
        ours, theirs = (
            [question for asked in scorer.asked for question in asked] for scorer in scorers
        )
        assert [question._replace(instruction="") for question in ours] == [
            question._replace(instruction="") for question in theirs
        ]
        assert {question.instruction for question in theirs} == {"Go on, please."}

    def test_one_pass_over_the_document(self):
        scorer = stops(1, 3)
        assert texts_of(TEXT, LGDocument(theta=10), scorer) == joined([0, 1], [2, 3], [4, 5])
        assert [question.text for question in scorer.asked[0]] == [TEXT]
        assert len(scorer.asked) == 1

    @pytest.mark.parametrize("strategy", [LG(theta=100, min_tail=0), LGDocument(theta=100)])
    def test_a_heading_at_the_end_is_not_cut_off(self, strategy):
        made = document(block("", SENTENCES[0], 0), block("End"))
        scorer = GivenScorer(lambda segment: -0.5 if segment == "# End" else -9.0)
        assert texts_of(made, strategy, scorer) == [f"{SENTENCES[0]}\n\n# End"]

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

    def test_a_single_sentence_is_not_sent_to_the_model(self):
        scorer = stops()
        assert texts_of(SENTENCES[0], LG(min_tail=0), scorer) == SENTENCES[:1]
        assert texts_of(TEXT, LG(theta=3, refill=Refill.CAP, min_tail=0), scorer) == SENTENCES
        assert not scorer.asked

    def test_a_window_of_one_word_has_one_sentence(self):
        for strategy in (LG(theta=1, min_tail=0), LGDocument(theta=1)):
            assert texts_of(TEXT, strategy, stops()) == SENTENCES


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

    def test_the_power_of_e_has_the_same_minima_at_0_and_other_depths(self):
        power = PPL(merge_to=0, score=Score.PPL)
        assert texts_of(TEXT, power, self.KNOWN) == joined([0, 1], [2, 3], [4, 5])
        deep = exp(2.0) - exp(1.4)  # the other side of this minimum is less deep
        for threshold, groups in (
            (deep - 0.01, ([0, 1], [2, 3], [4, 5])),
            (deep + 0.01, ([0, 1], [2, 3, 4, 5])),
        ):
            strategy = PPL(merge_to=0, score=Score.PPL, threshold=threshold)
            assert texts_of(TEXT, strategy, self.KNOWN) == joined(*groups)

    def test_the_power_of_a_large_loss_is_no_error(self):
        scorer = losses(float("inf"), 1.0, 1000.0, 1.4, 800.0, 3.0)
        power = PPL(merge_to=0, score=Score.PPL)
        assert texts_of(TEXT, power, scorer) == joined([0, 1], [2, 3], [4, 5])

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

    @given(st.lists(st.integers(0, 9), min_size=6, max_size=6))
    def test_overlap_shows_the_last_sentence_before_each_chunk_again(self, values):
        scorer = losses(*values)
        apart = texts_of(TEXT, PPL(merge_to=0), scorer)
        ends = ["", *(text.rsplit(". ", 1)[-1] for text in apart[:-1])]
        repeated = [
            f"{end} {text}" if end and len(text.split()) > 3 else text
            for end, text in zip(ends, apart, strict=True)
        ]
        assert texts_of(TEXT, PPL(merge_to=0, overlap_ends=True), scorer) == repeated

    def test_text_over_the_context_window_is_repeated_or_evicted(self):
        for beyond, asked in ((Beyond.REPEAT, Losses), (Beyond.EVICT, EvictingLosses)):
            scorer = losses(*[1.0] * 6)
            texts_of(TEXT, PPL(beyond=beyond), scorer)
            assert [type(question) for questions in scorer.asked for question in questions] == [
                asked
            ]

    def test_two_sentences_are_not_sent_to_the_model(self):
        scorer = losses(*[1.0] * 6)
        assert texts_of(" ".join(SENTENCES[:2]), PPL(merge_to=0), scorer) == joined([0, 1])
        assert not scorer.asked
        three = " ".join(SENTENCES[:3])
        assert texts_of(three, PPL(merge_to=0), losses(2, 1, 2, 0, 0, 0)) == joined([0, 1], [2])
        assert texts_of(TEXT, PPL(merge_to=0), scorer) == [TEXT]


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

    def test_questions_about_neighbours_are_one_batch(self):
        scorer = split_or_keep(1, 0)
        texts_of(TEXT, MSP(previous=Previous.SENTENCE, prompt=MarginPrompt.PUBLISHED), scorer)
        (questions,) = scorer.asked
        assert all(
            f'Split "{a} {b}" into "{a}" and "{b}" two parts' in asked.instruction
            for asked, (a, b) in zip(questions, pairwise(SENTENCES), strict=True)
        )
        assert {question.options for question in questions} == {("1", "2")}

    def test_all_of_the_chunk_is_judged_with_the_next_sentence(self):
        scorer = split_or_keep(0, 1)
        texts_of(TEXT, MSP(prompt=MarginPrompt.PUBLISHED, times=0), scorer)
        asked = [question.instruction for questions in scorer.asked for question in questions]
        assert all(
            f'"{" ".join(SENTENCES[:n])}" and "{SENTENCES[n]}"' in instruction
            for n, instruction in enumerate(asked, 1)
        )
        assert len(asked) == 5

    def test_two_impossible_answers_have_no_margin(self):
        never = float("-inf")
        assert MSP(renormalise=True)._margin((never, never)) == 0
        assert MSP(renormalise=True)._margin((never, log(0.5))) == 1

    def test_the_odds_of_improbable_answers_are_known(self):
        """Both probabilities are 0 in floating point."""
        margin = (1 - exp(-1)) / (1 + exp(-1))
        assert MSP(renormalise=True)._margin((-1001.0, -1000.0)) == pytest.approx(margin)
        assert MSP(renormalise=True)._margin((-1000.0, -1001.0)) == pytest.approx(-margin)

    @pytest.mark.parametrize("times", [0, 6])
    def test_the_prompt_contains_the_text_once_with_a_mark(self, times):
        """Six readings of each of the six sentences are enough for the whole text."""
        scorer = split_or_keep(0, 1)
        texts_of(TEXT, MSP(times=times), scorer)
        asked = [question.instruction for questions in scorer.asked for question in questions]
        assert [text.rsplit("\n", 1)[-1] for text in asked] == [
            f"{' '.join(SENTENCES[:n])} ‖ {SENTENCES[n]}" for n in range(1, 6)
        ]

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

    @pytest.mark.parametrize("previous", Previous)
    def test_no_question_is_longer_than_the_model_reads(self, previous):
        class Short(GivenScorer):
            window = 1500

            def count(self, text):
                return len(text)

        sentences = [
            *self.LONG[:60],
            "One that is too long " + "and on " * 300 + "so.",
            *self.LONG[60:80],
        ]
        scorer = Short(split_or_keep(0.1, 0.9).answer)
        result = run(
            plain_text(" ".join(sentences)),
            MSP(previous=previous, prompt=MarginPrompt.PUBLISHED, times=0),
            ChunkLimits(9000),
            WORDS,
            models_of(scorer),
        )
        asked = [question.instruction for questions in scorer.asked for question in questions]
        assert max(map(len, asked)) <= 1500
        assert len(asked) == 80 - 2
        assert (
            "A sentence and the one before it exceed the context window of the model: they "
            "were split without asking it. (2 times)"
        ) in result.notes

    def test_only_the_end_of_a_chunk_is_shown_if_the_window_has_no_room_for_more(self):
        """The window has room for two sentences, not for three."""

        class Short(GivenScorer):
            window = 1700

            def count(self, text):
                return len(text)

        sentences = [f"{name} {'and on ' * 90}so." for name in ("One", "Two", "Three", "Four")]
        scorer = Short(split_or_keep(0, 1).answer)
        strategy = MSP(times=0)
        result = run(
            plain_text(" ".join(sentences)), strategy, ChunkLimits(), WORDS, models_of(scorer)
        )
        asked = [question.instruction for questions in scorer.asked for question in questions]
        assert [text.rsplit("\n", 1)[-1] for text in asked] == [
            f"{before} ‖ {after}" for before, after in pairwise(sentences)
        ]
        assert [chunk.content for chunk in result.chunks] == [" ".join(sentences)]
        (note,) = result.notes
        assert note.startswith("The model was shown only the end of a chunk")
        assert note.endswith("(2 times)")

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
