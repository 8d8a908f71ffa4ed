"""How much each signal counts, and what they come to.

The weights are log-odds: logistic regression fitted them on documents whose marks had been taken away, held near what a person would say
beforehand. Positive speaks for a heading. `class_...` are shares of, or counts over, all lines that look like the line.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Final, NamedTuple

from docxchunk.reader.headings.candidates import Candidate
from docxchunk.reader.headings.lines import Line
from docxchunk.reader.headings.signals import Key, Signals

_OF_CLASS: Final = 0.7  # how much of the log-odds is that of all lines that look alike
_TOLD: Final = 5  # signals that are named
_WORTH_TELLING: Final = 0.2

BIAS: Final = -2.92
WEIGHTS: Final[Signals] = {
    "division": 5.50,
    "decimal_deep": 2.51,
    "bold": 2.38,
    "in_contents": 2.00,
    "larger": 1.90,
    "class_size": 1.36,
    "in_order": 1.10,
    "style_for": 1.00,
    "class_text_after": 0.82,
    "decimal_first": 0.80,
    "much_larger": 0.70,
    "capitals": 0.65,
    "keep_next": 0.60,
    "ascending": 0.58,
    "underline": 0.50,
    "italic": 0.45,
    "class_gap": 0.35,
    "text_after": 0.30,
    "space_before": 0.30,
    "font": 0.27,
    "table_after": 0.21,
    "larger_light": 0.21,
    "wordy": 0.15,
    "numbered_other": 0.12,
    "break": -0.05,
    "long": -0.10,
    "comma": -0.17,
    "blank_before": -0.18,
    "same_after": -0.21,
    "color": -0.22,
    "line_after": -0.23,
    "huge": -0.30,
    "smaller": -0.33,
    "same_before": -0.34,
    "indent": -0.36,
    "centred": -0.47,
    "first": -0.50,
    "class_colon": -0.54,
    "class_long": -0.60,
    "colon": -0.61,
    "repeated": -0.67,
    "style_against": -0.70,
    "out_of_order": -0.71,
    "lower": -0.72,
    "digits": -0.73,
    "class_single": -0.78,
    "sentence": -0.78,
    "stops": -0.93,
    "last": -1.00,
    "right": -1.00,
    "page": -1.00,
    "tab": -1.01,
    "very_short": -1.12,
    "class_letters": -1.17,
    "class_repeated": -1.21,
    "title_page": -1.35,
    "plain": -1.43,
    "class_stops": -1.44,
    "typed_bullet": -1.45,
    "odd": -1.47,
    "mono": -1.48,
    "class_same": -1.90,
    "label": -2.00,
    "bullet": -2.01,
    "caption": -2.02,
    "style_caption": -3.00,
    "contents": -4.00,
}


class Judgement(NamedTuple):
    """How likely a line is a heading, and which signals speak for it, strongest first."""

    probability: float
    signals: tuple[str, ...]


def judge(candidates: Sequence[Candidate]) -> list[tuple[Line, Key, Judgement]]:
    """The lines with their judgements; lines that look alike stand or fall together, unless one has much of its own against it."""
    odds = [BIAS + sum(WEIGHTS.get(name, 0.0) * value for name, value in candidate.signals.items()) for candidate in candidates]
    classes: dict[Key, list[float]] = defaultdict(list)
    for candidate, own in zip(candidates, odds, strict=True):
        classes[candidate.key].append(own)
    means = {key: sum(members) / len(members) for key, members in classes.items()}
    return [
        (candidate.line, candidate.key, Judgement(_probability(own + _OF_CLASS * (means[candidate.key] - own)), _speaking(candidate.signals)))
        for candidate, own in zip(candidates, odds, strict=True)
    ]


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-max(min(odds, 30), -30)))


def _speaking(signals: Signals) -> tuple[str, ...]:
    worth = {name: WEIGHTS.get(name, 0.0) * value for name, value in signals.items() if not name.startswith("class_")}
    return tuple(sorted((name for name, weight in worth.items() if weight >= _WORTH_TELLING), key=lambda name: -worth[name])[:_TOLD])
