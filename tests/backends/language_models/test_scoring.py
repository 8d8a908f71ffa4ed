"""The questions of strategies as sequences for a model: here one that knows only the last token."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest
from case_files import each_row

np = pytest.importorskip("numpy", reason="the extra llm is not installed")
tokenizers = pytest.importorskip("tokenizers", reason="the extra tokenizers is not installed")

from docxchunk.backends.language_models.llama_cpp import QuantizedCompleter, QuantizedReader  # noqa: E402
from docxchunk.backends.language_models.scoring import (  # noqa: E402
    ModelIdentity,
    PromptedModel,
    PromptTokenizer,
    TokenScorer,
    _whole_tokens,
)
from docxchunk.backends.language_models.sequences import ScoredSequence  # noqa: E402 - after what it needs
from docxchunk.errors import ModelError  # noqa: E402
from docxchunk.model.ports import Choices, Endings, Losses  # noqa: E402

LETTERS = "abcdefghu xyz\n<>|:"
VOCABULARY = {**{letter: number for number, letter in enumerate(LETTERS)}, "ab": 20, "yz": 21}
PIECE = r"ab|yz|[\s\S]"
BOS, END, OTHER_END = 30, 31, 32
RANDOM = np.random.default_rng(5)
NEXT = np.log(RANDOM.dirichlet(np.ones(40), 40))  # NEXT[a, b]: how likely b stands after a


def chat(turns: list[dict[str, str]]) -> str:
    return "".join(f"<{turn['role'][0]}:{turn['content']}>" for turn in turns)


@dataclass
class LetterTokenizer:
    """A token for each letter, and for "ab" and "yz"."""

    chat_template: str = ""
    adds_bos: bool = False
    is_fast: bool = True
    render: Any = chat
    bos_token_id: int | None = BOS
    backend_tokenizer: Any = field(init=False)

    def __post_init__(self) -> None:
        model = tokenizers.models.WordLevel(VOCABULARY, unk_token="x")  # noqa: S106 - a token of text
        self.backend_tokenizer = tokenizers.Tokenizer(model)
        self.backend_tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.Split(
            tokenizers.Regex(PIECE), "isolated"
        )

    def __call__(self, text: str, *, add_special_tokens: bool = True) -> dict[str, list[int]]:
        ids = self.backend_tokenizer.encode(text).ids
        return {"input_ids": [BOS, *ids] if self.adds_bos and add_special_tokens else ids}

    def apply_chat_template(self, turns, **options):
        assert options["tokenize"] is options["enable_thinking"] is False
        assert options["add_generation_prompt"] is not options["continue_final_message"]
        text = self.render(turns)
        return f"{text}<a:" if options["add_generation_prompt"] else text.removesuffix(">")


class Bigrams:
    """A reader whose predictions depend on the last token alone."""

    def __init__(self) -> None:
        self.tokens, self.read_passages = 0, []

    def read(self, passages):
        self.read_passages += passages
        self.tokens += sum(len(passage.ids) for passage in passages)
        return [
            np.array([NEXT[passage.ids[at], row] for at, row in zip(passage.at, passage.tokens, strict=True)])
            .reshape(len(passage.at), -1)
            for passage in passages
        ]  # fmt: skip


def ids(text):
    return [VOCABULARY[token] for token in re.findall(PIECE, text)]


def scorer(tokenizer=None, context=100, ends=(END, OTHER_END)):
    prompts = PromptTokenizer(tokenizer or LetterTokenizer())
    return TokenScorer(ModelIdentity("tiny", "f"), Bigrams(), prompts, ends, context)


def loss(tokens):
    """Return the mean loss of all tokens but the first."""
    pairs = [*pairwise(tokens)]
    return pytest.approx(-sum(NEXT[pair] for pair in pairs) / len(pairs))


def test_the_loss_of_a_segment_is_the_mean_of_its_tokens_after_what_stands_before_it():
    (found,) = scorer().score([Losses("cdefg", (2, 5))])
    assert found == (loss(ids("cd")), loss(ids("defg")))
    (found,) = scorer().score([Losses("cdefg", (1, 5))])
    assert found == (math.inf, loss(ids("cdefg")))  # nothing stands before the first token
    (found,) = scorer().score([Losses("cdefg", (2, 5), "h")])
    assert found == (loss(ids("hcd")), loss(ids("defg")))
    model = scorer(LetterTokenizer(adds_bos=True))
    (found,) = model.score([Losses("cdefg", (1, 5))])
    assert found == (loss([BOS, *ids("c")]), loss(ids("cdefg")))
    (passage,) = model._reader.read_passages
    assert (passage.ids, passage.kept, passage.evicts) == ((BOS, *ids("cdefg")), 1, False)


def test_no_token_spans_two_segments_and_an_empty_segment_has_no_loss():
    (found,) = scorer().score([Losses("cab", (2, 2, 3), "d")])
    assert found == (loss(ids("dca")), math.inf, loss([*ids("a"), *ids("b")]))


def ended(tokens):
    return pytest.approx(np.logaddexp(NEXT[tokens[-1], END], NEXT[tokens[-1], OTHER_END]))


def test_a_text_ends_with_the_probability_of_all_tokens_that_end_it():
    model = scorer()
    question = Endings("cabyzd", (1, 2, 3, 5, 6), "e")
    (found,) = model.score([question])
    assert found == (*map(ended, (ids("c"), ids("a"), ids("ab"), ids("yz"), ids("d"))),)
    together, apart = model._reader.read_passages  # "ab" spans the second end
    head = tuple(ids("e\n"))
    assert (together.ids, apart.ids) == ((*head, *ids("cabyzd")), (*head, *ids("c"), *ids("a")))
    assert together.at.tolist() == [2, 3, 4, 5]
    assert (together.kept, apart.kept) == (2, 2)
    (alone,) = scorer().score([Endings("ab", (1,), "")])
    assert alone == (ended(ids("a")),)
    with pytest.raises(ModelError, match="tiny has no token that ends a sequence"):
        scorer(ends=()).score([question])


def test_a_choice_is_scored_by_all_of_its_tokens():
    model = scorer()
    (found,) = model.score([Choices("h", ("c", "d"))])
    after = ids("\n")[0]
    assert found == tuple(pytest.approx(NEXT[after, ids(option)[0]]) for option in "cd")
    assert len(model._reader.read_passages) == 1
    (found,) = model.score([Choices("h", ("c", "de"))])
    both = NEXT[after, ids("d")[0]] + NEXT[ids("d")[0], ids("e")[0]]
    assert found == (pytest.approx(NEXT[after, ids("c")[0]]), pytest.approx(both))
    with pytest.raises(ModelError, match="An option to choose from is empty"):
        model.score([Choices("h", ("c", ""))])


@pytest.mark.parametrize(("length", "fits"), [(7, True), (8, False)])
def test_a_question_and_its_longest_option_fit_into_the_context(length, fits):
    model = scorer(context=10)
    question = Choices("c" * length, ("d", "ef"))  # and the line break
    if fits:
        assert len(model.score([question])[0]) == 2
    else:
        with pytest.raises(ModelError, match="A question of 9 tokens exceeds the context of 10"):
            model.score([question])


def test_a_prompt_and_its_answer_fit_into_the_context():
    prompts = PromptTokenizer(LetterTokenizer("a template"))
    model = PromptedModel(ModelIdentity("tiny", "f"), prompts, 100, 20)
    frame = len("<u:><a:")
    assert (model.window, model.count("cab")) == (100 - frame - 20, 2)
    model._check_room(80)
    with pytest.raises(ModelError, match="A prompt of 81 tokens and an answer of up to 20 exceed"):
        model._check_room(81)


@pytest.mark.parametrize(
    ("tokenizer", "question", "opening"),
    [
        (LetterTokenizer(), "c\n", "c\n"),
        (LetterTokenizer("a template"), "<u:c><a:", "<u:c><a:"),
        (LetterTokenizer(adds_bos=True), "c\n", "c\n"),
        (LetterTokenizer(adds_bos=True, bos_token_id=None), "c\n", "c\n"),
        (LetterTokenizer("a template", adds_bos=True), "<u:c><a:", "<u:c><a:"),
    ],
)
def test_prompts_have_the_words_in_the_template_or_the_first_token(tokenizer, question, opening):
    prompts = PromptTokenizer(tokenizer)
    has_start = tokenizer.adds_bos and tokenizer.bos_token_id is not None
    start = (BOS,) if has_start and not tokenizer.chat_template else ()
    assert prompts.start == ((BOS,) if has_start else ())
    assert prompts.question("c") == (*start, *ids(question))
    assert prompts.opening("c") == (*start, *ids(opening))


@pytest.mark.parametrize(
    "render",
    [
        lambda turns: "<u:>",
        lambda turns: chat(turns).upper(),
        lambda turns: chat([*reversed(turns)]),
        lambda turns: f"{chat(turns)} x",
    ],
)
def test_a_template_that_changes_messages_is_refused(render):
    prompts = PromptTokenizer(LetterTokenizer("a template", render=render))
    with pytest.raises(ModelError, match="does not keep messages unchanged"):
        prompts.opening("c")
    if "the words of the user" not in render(
        [{"role": "user", "content": "the words of the user"}]
    ):
        with pytest.raises(ModelError, match="does not keep messages unchanged"):
            prompts.question("c")


def test_a_tokenizer_that_is_not_fast_is_refused():
    with pytest.raises(ModelError, match=r"has no tokenizer\.json"):
        PromptTokenizer(LetterTokenizer(is_fast=False))


@pytest.mark.parametrize(
    ("offsets", "ends", "counts"),
    [
        ([(0, 1), (1, 3), (3, 4)], (1, 2, 3, 4), [1, None, 2, 3]),
        ([(0, 1), (1, 3), (3, 4)], (0, 3, 9), [0, 2, 3]),
        ([(0, 2), (0, 2), (2, 3)], (1, 2), [None, 2]),  # two tokens of one character
        ([(0, 4), (1, 2)], (2, 3, 4), [None, None, 2]),
        ([], (1,), [0]),
    ],
)
def test_tokens_up_to_an_end_are_counted_unless_one_spans_it(offsets, ends, counts):
    assert _whole_tokens(offsets, ends) == counts


# -- models in llama.cpp, which read one sequence after the other


class OneByOne:
    """Predicts the next token from the last one, and counts what it reads."""

    ends = frozenset({END})

    def __init__(self, context=40, rows=NEXT):
        self.context, self.tokens, self.rows, self.reads = context, 0, rows, []

    def read(self, ids, at, take):
        assert len(ids) <= self.context
        self.tokens += len(ids)
        self.reads.append(ids)
        return [take(number, self.rows[ids[place]] + 5) for number, place in enumerate(at)]


def asked(tokens, *at, **others):
    place = np.array(at, np.int64)
    return ScoredSequence(tuple(tokens), place, np.tile([1, 2], (len(at), 1)), **others)


def test_a_sequence_over_the_context_is_read_in_parts_and_not_evicted():
    model = OneByOne(context=12)
    long = [number % 9 for number in range(30)]
    (found,) = QuantizedReader(model).read([asked(long, 5, 20, 29)])
    assert found == pytest.approx(NEXT[[long[5], long[20], long[29]]][:, [1, 2]])
    assert len(model.reads) > 1
    (whole,) = QuantizedReader(model).read([asked(long[:12], 11, evicts=True)])
    assert whole == pytest.approx(NEXT[[long[11]]][:, [1, 2]])
    with pytest.raises(ModelError, match="does not evict"):
        QuantizedReader(model).read([asked(long[:13], 12, evicts=True)])


@each_row("backends", longest=int, context=int)
def test_an_answer_is_made_of_the_likeliest_tokens(letters, longest, context, answer):
    """After the line break comes "d" or, after "f", "g"; after "d" comes "e", and then the end."""
    rows = np.full((40, 40), -9.0)
    begin = ids("\n")[0]
    for before, after in (("d", "e"), ("g", "g")):
        rows[ids(before)[0], ids(after)[0]] = 0
    rows[ids("e")[0], END] = 0
    rows[begin, ids("d" if letters == "c" else "g")[0]] = 0
    tokenizer = LetterTokenizer()
    tokenizer.decode = lambda tokens, skip_special_tokens: "".join(LETTERS[at] for at in tokens)
    model = OneByOne(context, rows)
    made = QuantizedCompleter(ModelIdentity("tiny", "f"), model, tokenizer, longest)
    assert made.complete([letters]) == [answer]
    assert (made.costs.asked, made.costs.tokens) == (1, model.tokens)
