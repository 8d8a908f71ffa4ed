"""How much each signal counts, and what they come to.

The weights are log-odds. Logistic regression fitted them on documents whose marks had been taken away, held near what a person would say
beforehand; those of signals that few of these documents have are set by hand. Positive speaks for a heading. `class_...` are shares of,
or counts over, all lines that look like the line.
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

BIAS: Final = -3.36
WEIGHTS: Final[Signals] = {
    "division": 5.50,
    "article": 4.00,
    "bold": 2.78,
    "decimal_deep": 2.56,
    "in_contents": 2.00,
    "larger": 1.90,
    "divided": 1.80,
    "underline_alone": 2.00,
    "class_size": 1.35,
    "color_alone": 1.80,
    "capitals_alone": 2.00,
    "in_order": 1.03,
    "style_for": 1.00,
    "class_text_after": 0.84,
    "much_larger": 0.70,
    "decimal_first": 0.63,
    "keep_next": 0.60,
    "capitals": 0.56,
    "ascending": 0.54,
    "italic": 0.43,
    "larger_light": 0.39,
    "class_gap": 0.36,
    "font": 0.35,
    "text_after": 0.33,
    "space_before": 0.30,
    "table_after": 0.24,
    "underline": 0.21,
    "wordy": 0.16,
    "numbered_other": 0.11,
    "long": -0.08,
    "same_after": -0.16,
    "blank_before": -0.16,
    "comma": -0.18,
    "line_after": -0.30,
    "smaller": -0.30,
    "huge": -0.30,
    "color": -0.31,
    "indent": -0.31,
    "same_before": -0.32,
    "centred": -0.44,
    "first": -0.50,
    "class_colon": -0.53,
    "class_long": -0.59,
    "colon": -0.60,
    "repeated": -0.67,
    "lower": -0.69,
    "style_against": -0.70,
    "out_of_order": -0.72,
    "digits": -0.73,
    "class_single": -0.77,
    "sentence": -0.78,
    "stops": -0.88,
    "last": -1.00,
    "right": -1.00,
    "page": -1.00,
    "tab": -1.01,
    "very_short": -1.11,
    "class_letters": -1.17,
    "class_repeated": -1.21,
    "title_page": -1.31,
    "plain": -1.34,
    "class_stops": -1.40,
    "typed_bullet": -1.45,
    "odd": -1.48,
    "mono": -1.48,
    "class_same": -1.87,
    "label": -2.00,
    "bullet": -2.01,
    "caption": -2.03,
    "style_caption": -3.00,
    "contents": -4.00,
    "list": -1.20,
}


class Judgement(NamedTuple):
    """How likely a line is a heading, and which signals speak for it, strongest first."""

    probability: float
    signals: tuple[str, ...]


def judge(candidates: Sequence[Candidate], enough: float) -> list[tuple[Line, Key, Judgement]]:
    """The lines that are headings with this probability; lines that look alike stand or fall together, unless one has much of its own against it."""
    odds = [BIAS + sum(WEIGHTS.get(name, 0.0) * value for name, value in candidate.signals.items()) for candidate in candidates]
    classes: dict[Key, list[float]] = defaultdict(list)
    for candidate, own in zip(candidates, odds, strict=True):
        classes[candidate.key].append(own)
    means = {key: sum(members) / len(members) for key, members in classes.items()}
    likely = ((candidate, _probability(own + _OF_CLASS * (means[candidate.key] - own))) for candidate, own in zip(candidates, odds, strict=True))
    return [(candidate.line, candidate.key, Judgement(probability, _speaking(candidate.signals))) for candidate, probability in likely if probability >= enough]


def _probability(odds: float) -> float:
    return 1 / (1 + math.exp(-max(min(odds, 30), -30)))


def _speaking(signals: Signals) -> tuple[str, ...]:
    worth = {name: WEIGHTS.get(name, 0.0) * value for name, value in signals.items() if not name.startswith("class_")}
    return tuple(sorted((name for name, weight in worth.items() if weight >= _WORTH_TELLING), key=lambda name: -worth[name])[:_TOLD])
