"""Scores from few forward passes equal those computed token by token."""

from __future__ import annotations

import json
import math
import shutil
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("torch", reason="the extra llm is not installed")

import torch
import transformers
from backends.language_models import tiny_models
from backends.language_models.tiny_models import ENDS, local, our_text, qwen2, scorer, tokenizer

from docxchunk.backends.language_models import causal_lm, forward
from docxchunk.backends.language_models.causal_lm import Windows
from docxchunk.errors import MissingModelError, ModelError
from docxchunk.model.ports import Choices, Endings, EvictingLosses, Losses

TEXT = our_text()[:3000]
INSTRUCTION = "Continue writing the following text."
DOUBLE = torch.float64
CLOSE = {DOUBLE: 1e-10, torch.float32: 1e-4}


def ends_of(text: str, step: int = 7) -> tuple[int, ...]:
    """Return the end of every n-th word, and of the text; a space belongs to the word after it."""
    spaces = [
        place for place, sign in enumerate(text) if sign == " " and text[place - 1] not in " \n"
    ][step - 1 :: step]
    return (*spaces, len(text))


def plain_ids(text: str) -> list[int]:
    return tokenizer()(text, add_special_tokens=False, split_special_tokens=True)["input_ids"]


def losses_one_by_one(text: str, ends: tuple[int, ...], before: str = "") -> tuple[float, ...]:
    """Reference: one token at a time with a KV cache, softmax over all logits."""
    model = tiny_models.copy.deepcopy(qwen2()).to(DOUBLE)
    segments = [plain_ids(text[start:end]) for start, end in pairwise((0, *ends))]
    cache, logs, losses = transformers.DynamicCache(), None, []
    for token in plain_ids(before):
        logs = step(model, token, cache)
    for segment in segments:
        found = []
        for token in segment:
            found += [] if logs is None else [-logs[token].item()]
            logs = step(model, token, cache)
        losses.append(sum(found) / len(found) if found else math.inf)
    return tuple(losses)


@torch.inference_mode()
def step(model, token, cache):
    """Return the log-probabilities after a token. The cache is extended in place."""
    output = model(
        input_ids=torch.tensor([[token]]), use_cache=True, **{forward.cache_argument(model): cache}
    )
    return output.logits[0, -1].log_softmax(-1)


@torch.inference_mode()
def last_log_probabilities(model, ids):
    return model(input_ids=torch.tensor([ids])).logits[0, -1].log_softmax(-1)


@pytest.fixture(scope="module")
def one_by_one():
    return losses_one_by_one(TEXT, ends_of(TEXT))


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("windows", [Windows(), Windows(window=64), Windows(window=257)], ids=str)
def test_losses_in_one_pass_and_in_windows_are_those_token_by_token(dtype, windows, one_by_one):
    (found,) = scorer(dtype, windows).score([Losses(TEXT, ends_of(TEXT))])
    assert np.abs(np.subtract(found, one_by_one)).max() < CLOSE[dtype]


def test_text_before_is_read_but_not_scored():
    question = Losses("What is the yield?", (4, 18), before=TEXT[:400])
    (found,) = scorer(DOUBLE).score([question])
    assert found == pytest.approx(losses_one_by_one(*question), abs=1e-10)


def test_the_first_token_has_no_loss():
    first = tokenizer().convert_ids_to_tokens(plain_ids(TEXT)[0])
    found = scorer().score(
        [Losses(TEXT[:50], (len(first), 50)), Losses("ab", (0, 2)), Losses("", (0,))]
    )
    assert found[0][0] == found[1][0] == found[2][0] == math.inf
    assert math.isfinite(found[0][1])


def questions():
    """Return questions of all three kinds and many lengths, some with a common prefix."""
    texts = [
        TEXT[start : start + size] for start, size in ((0, 500), (500, 90), (700, 1500), (40, 40))
    ]
    yield from (Losses(text, ends_of(text)) for text in texts)
    yield from (
        Losses(text, (len(text),), before=TEXT[:300] + "\nAsk a question:") for text in texts
    )
    yield from (Endings(text, ends_of(text), INSTRUCTION) for text in texts)
    yield from (
        Choices(f"{INSTRUCTION}\n{text}\nIs this one topic? 1 or 2?", ("1", "2")) for text in texts
    )
    yield Choices("Which is it?", ("table", "paragraph of text", "1"))


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("window", [300, 2048])
def test_batched_answers_equal_single_answers(dtype, window):
    model, asked = scorer(dtype, Windows(window=window)), list(questions())
    together, alone = model.score(asked), [model.score([question])[0] for question in asked]
    for one, other in zip(together, alone, strict=True):
        assert one == pytest.approx(other, abs=CLOSE[dtype])


def test_a_common_prefix_is_read_once():
    model = scorer()
    rest = ("one", "two", "three")
    questions = [Losses(text, (len(text),), before=TEXT[:2000]) for text in rest]
    model.score(questions)
    longest = len(plain_ids(TEXT[:2000]))
    assert longest < model.costs.tokens < longest + 3 * 10
    assert (model.costs.calls, model.costs.asked, model.costs.computed) == (1, 3, 3)
    once = model.costs.tokens
    model.score(questions)
    assert model.costs.tokens == 2 * once


@pytest.mark.parametrize("dtype", CLOSE)
@pytest.mark.parametrize("template", [tiny_models.TEMPLATE, ""], ids=["chat", "base"])
@pytest.mark.parametrize(
    "ends",
    [ends_of(TEXT[:600]), (3, 8, 41, 42, 43, 300, 600)],
    ids=["between tokens", "inside tokens"],
)
def test_endings_in_one_pass_are_those_of_each_prefix(template, ends, dtype):
    (found,) = scorer(dtype, template=template).score([Endings(TEXT[:600], ends, INSTRUCTION)])
    frame = (
        f"<|im_start|>user\n{INSTRUCTION}<|im_end|>\n<|im_start|>assistant\n"
        if template
        else f"{INSTRUCTION}\n"
    )
    model, stops = (
        tiny_models.copy.deepcopy(qwen2()).to(DOUBLE),
        tokenizer().convert_tokens_to_ids(list(ENDS)),
    )
    start = tokenizer()(frame, add_special_tokens=False)["input_ids"]
    own = [
        last_log_probabilities(model, [*start, *plain_ids(TEXT[:end])])[stops].logsumexp(0).item()
        for end in ends
    ]
    assert found == pytest.approx(own, abs=CLOSE[dtype])
    assert np.argmax(found) == np.argmax(own)


def test_choices_are_the_log_probabilities_after_the_prompt():
    model = tiny_models.copy.deepcopy(qwen2()).to(DOUBLE)
    options = ("1", "2", "rain water")
    (found,) = scorer(DOUBLE).score([Choices("Which?", options)])
    start = tokenizer()(
        "<|im_start|>user\nWhich?<|im_end|>\n<|im_start|>assistant\n", add_special_tokens=False
    )["input_ids"]
    for option, score in zip(options, found, strict=True):
        ids, own = plain_ids(option), 0.0
        for place, token in enumerate(ids):
            own += last_log_probabilities(model, [*start, *ids[:place]])[token].item()
        assert score == pytest.approx(own, abs=1e-10)


def test_special_tokens_of_a_document_are_text():
    one, other = local().tokenizer, scorer()._prompts
    special = one.convert_tokens_to_ids(ENDS[1])
    assert special not in other.ids(f"so{ENDS[1]}so")
    assert (
        other.question(f"so{ENDS[1]}so").count(special)
        == other.question("so so").count(special)
        == 1
    )


def crowded(model, most):
    """The model on a card whose memory holds `most` rows."""

    def refuse(_, __, options):
        if options["input_ids"].shape[0] > most:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory.")

    model.base_model.register_forward_pre_hook(refuse, with_kwargs=True)
    return model


@pytest.mark.parametrize("most", [1, 2, 5])
def test_a_batch_that_does_not_fit_is_halved(most):
    one, asked = local(DOUBLE), list(questions())
    expected = causal_lm.CausalScorer(one).score(asked)
    made = causal_lm.CausalScorer(local(DOUBLE, model=crowded(one.model, most)))
    for answer, own in zip(made.score(asked), expected, strict=True):
        assert answer == pytest.approx(own, abs=1e-10)
    assert made.costs.tokens > 0


def test_a_text_too_large_for_the_card_is_an_error():
    made = scorer()
    made._reader._body.register_forward_pre_hook(
        lambda *_: (_ for _ in ()).throw(torch.cuda.OutOfMemoryError("CUDA out of memory."))
    )
    for asked in (
        [Losses(TEXT, (len(TEXT),))],
        [Losses("a b", (3,), before=TEXT), Losses("a c", (3,), before=TEXT)],
    ):
        with pytest.raises(
            ModelError,
            match=r'cannot hold one text with this model: choose a smaller model, or device="cpu"',
        ):
            made.score(asked)


SMALL = {
    "vocab_size": 1024,
    "hidden_size": 64,
    "intermediate_size": 96,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
}
SCALED = {
    "Granite": {"logits_scaling": 4.0, "embedding_multiplier": 3.0},
    "Cohere": {"logit_scale": 0.25},
}


@pytest.mark.parametrize("name", SCALED)
def test_logits_that_a_model_scales_are_scaled(name):
    torch.manual_seed(3)
    config = getattr(transformers, f"{name}Config")(
        **SMALL,
        **SCALED[name],
        initializer_range=0.2,
        pad_token_id=0,
        bos_token_id=0,
        eos_token_id=0,
    )
    model = getattr(transformers, f"{name}ForCausalLM")(config).eval()
    (found,) = causal_lm.CausalScorer(local(DOUBLE, model=model)).score(
        [Losses(TEXT[:300], (300,))]
    )
    ids = plain_ids(TEXT[:300])
    with torch.inference_mode():
        logs = model.to(DOUBLE)(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    assert found[0] == pytest.approx(-logs[range(len(ids) - 1), ids[1:]].mean().item(), abs=1e-9)


def test_a_model_with_an_unknown_logit_transformation_is_refused():
    class Bent(transformers.Qwen2ForCausalLM):
        def forward(self, *args, **options):
            output = super().forward(*args, **options)
            output.logits = output.logits.sin()
            return output

    with pytest.raises(ModelError, match="computes its logits in an unsupported way"):
        scorer(model=Bent(qwen2().config).eval())


def test_a_saved_model_is_loaded_and_fingerprinted_by_content(tmp_path):
    folder = tiny_models.saved(tmp_path / "tiny")
    found = causal_lm.scorer(str(folder), "cpu")
    question = Losses(TEXT[:300], ends_of(TEXT[:300]))
    own = causal_lm.CausalScorer(
        local()._replace(tokenizer=causal_lm.local_model(str(folder), "cpu").tokenizer)
    )
    assert found.model.score([question])[0] == pytest.approx(own.score([question])[0], abs=1e-5)
    assert (found.name, found.model.name, found.model.fingerprint) == (
        "tiny",
        "tiny",
        found.fingerprint,
    )
    moved = shutil.copytree(folder, tmp_path / "elsewhere" / "other")
    assert causal_lm.scorer(str(moved), "cpu").fingerprint == found.fingerprint
    assert str(tmp_path) not in found.fingerprint
    weights = tmp_path / "changed" / "model.safetensors"
    shutil.copytree(folder, weights.parent)
    data = bytearray(weights.read_bytes())
    data[-1] ^= 1
    weights.write_bytes(data)
    assert causal_lm.scorer(str(weights.parent), "cpu").fingerprint != found.fingerprint


def test_a_folder_without_a_model_is_an_error_and_nothing_is_downloaded(tmp_path):
    with pytest.raises(
        MissingModelError,
        match=r"There is no transformers model at .*: give the folder that holds its config.json, or a .gguf file; nothing is",
    ):
        causal_lm.scorer("Qwen/Qwen2.5-0.5B", "cpu")
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "qwen2"}))
    with pytest.raises(ModelError, match="cannot be loaded"):
        _ = causal_lm.scorer(str(tmp_path), "cpu").model


def test_a_question_over_the_context_is_refused_and_not_truncated():
    """Truncation would remove the instruction."""
    narrow = scorer(windows=Windows(context=64))
    assert narrow.count("one two three") == len(narrow._prompts.ids("one two three"))
    fitting = "Which? " * 200
    while narrow.count(fitting) > narrow.window:
        fitting = fitting[:-7]
    assert len(narrow.score([Choices(fitting, ("1", "2"))])[0]) == 2
    with pytest.raises(
        ModelError,
        match=r"A question of [\d,]+ tokens exceeds the context of 64 tokens of tiny: set theta",
    ):
        narrow.score([Choices("Which? " * 200, ("1", "2"))])


def evicted_by_hand(model, ids, step, context):
    """Return the log-probability of each token after the first, with keys evicted as in the
    published code of Meta-Chunking.
    """
    cache, rows = transformers.DynamicCache(config=model.config), []
    for start in range(0, len(ids), step):
        stretch = torch.tensor([ids[start : start + step]])
        for layer in cache.layers:
            if layer.get_seq_length() + stretch.shape[1] > context:
                layer.keys, layer.values = (
                    part[:, :, part.shape[2] - (context - stretch.shape[1]) :]
                    for part in (layer.keys, layer.values)
                )
        with torch.inference_mode():
            rows.append(
                model(input_ids=stretch, **{forward.cache_argument(model): cache}).logits[0]
            )
    logits = torch.cat(rows)[:-1].log_softmax(1)
    return logits.gather(1, torch.tensor(ids[1:])[:, None])[:, 0].tolist()


def test_evicting_windows_match_the_published_code():
    """Each token is read once; tokens beyond the context are scored without the oldest keys."""
    text = our_text()[:3000]
    whole, repeating = EvictingLosses(text, (len(text),)), Losses(text, (len(text),))
    assert scorer(torch.float64).score([whole]) == scorer(torch.float64).score([repeating])
    narrow = scorer(torch.float64, Windows(window=64, context=256))
    ids = narrow._prompts.ids(text)
    short = Losses("One. Two.", (4, 9))
    found = narrow.score([short, whole, short])
    assert found[1][0] == pytest.approx(
        -np.mean(evicted_by_hand(qwen2().to(torch.float64), ids, 64, 256)), abs=1e-9
    )
    assert found[1] != narrow.score([repeating])[0]
    assert found[0] == found[2] == pytest.approx(scorer(torch.float64).score([short])[0], abs=1e-9)
    before = narrow.costs.tokens
    narrow.score([whole])
    assert narrow.costs.tokens - before == len(ids)
