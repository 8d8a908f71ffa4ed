"""Generation with a local model."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the extra llm is not installed")

import torch
from backends.language_models.tiny_models import ENDS, local, our_text, tokenizer

from docxchunk.backends.language_models.causal_lm import LocalCompleter
from docxchunk.errors import ModelError

PROMPTS = ["Short.", our_text()[:400], "Which is it, 1 or 2?"]


@torch.inference_mode()
def greedy(one, prompt, longest):
    """Reference: greedy decoding, one token at a time."""
    ids = list(LocalCompleter(one, longest)._prompts.question(prompt))
    start, stops = len(ids), set(tokenizer().convert_tokens_to_ids(list(ENDS)))
    while len(ids) < start + max(longest, start):
        token = int(one.model(input_ids=torch.tensor([ids])).logits[0, -1].argmax())
        if token in stops:
            break
        ids.append(token)
    return tokenizer().decode(ids[start:], skip_special_tokens=True)


@pytest.mark.parametrize("budget", [40, 8192])
def test_prompts_together_are_answered_as_each_alone_by_the_likeliest_tokens(budget):
    one = local(torch.float64)
    made = LocalCompleter(one, longest=12, budget=budget)
    assert made.complete(PROMPTS) == [greedy(one, prompt, 12) for prompt in PROMPTS]
    assert (made.costs.calls, made.costs.asked) == (1, 3)
    assert made.costs.tokens > 36
    assert made.complete([]) == []


def test_penalties_and_temperatures_of_the_model_do_not_count():
    one = local(torch.float64)
    expected = [greedy(one, prompt, 12) for prompt in PROMPTS]
    config = one.model.generation_config
    (
        config.do_sample,
        config.temperature,
        config.top_p,
        config.top_k,
        config.repetition_penalty,
        config.no_repeat_ngram_size,
    ) = True, 0.7, 0.8, 20, 5.0, 1
    assert LocalCompleter(one, longest=12).complete(PROMPTS) == expected


def test_a_batch_that_does_not_fit_is_halved():
    one = local(torch.float64)
    expected = LocalCompleter(one, longest=12).complete(PROMPTS)

    def refuse(_, __, options):
        if options["input_ids"].shape[0] > 1:
            raise torch.cuda.OutOfMemoryError("CUDA out of memory.")

    one.model.base_model.register_forward_pre_hook(refuse, with_kwargs=True)
    assert LocalCompleter(one, longest=12).complete(PROMPTS) == expected


def test_a_prompt_that_leaves_no_room_for_an_answer_is_refused():
    with pytest.raises(
        ModelError,
        match=r"A prompt of \d+ tokens and an answer of up to 4090 exceed the context of 4096 tokens of tiny: set longest",
    ):
        LocalCompleter(local(), longest=4090).complete(["Hello"])
