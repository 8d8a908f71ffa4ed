"""float16 if the model does not overflow, else float32."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="the extra llm is not installed")
np = pytest.importorskip("numpy", reason="the extra semantic is not installed")

from docxchunk.backends.embeddings import halved  # noqa: E402 - after what it needs
from docxchunk.backends.language_models.causal_lm import finite  # noqa: E402


class Squares(torch.nn.Module):
    """Overflows float16 where its weight is large: 300 squared is over 65,504."""

    def __init__(self, weight: float) -> None:
        super().__init__()
        self.weight = torch.nn.Parameter(torch.tensor([weight, 1.0]))

    def forward(self) -> torch.Tensor:
        return self.weight * self.weight


def unit(model):
    with torch.no_grad():
        vector = model().float().numpy()[None]
    with np.errstate(invalid="ignore"):
        return vector / np.linalg.norm(vector, axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("weight", "numbers"), [(1.0, torch.float16), (200.0, torch.float16), (300.0, torch.float32)]
)
def test_float16_is_used_if_vectors_stay_the_same(weight, numbers):
    assert halved(lambda: Squares(weight), unit).weight.dtype == numbers


@pytest.mark.parametrize(
    ("weight", "asked", "numbers"),
    [
        (1.0, torch.float16, torch.float16),
        (300.0, torch.float16, torch.float32),
        (300.0, torch.bfloat16, torch.bfloat16),
    ],
)
def test_a_language_model_whose_logits_overflow_is_loaded_in_float32(weight, asked, numbers):
    assert (
        finite(lambda dtype: Squares(weight).to(dtype), asked, lambda model: model()).weight.dtype
        == numbers
    )
