"""Turn the signals of lines into the probability that a line is a heading.

The weights are log-odds, fitted by logistic regression on documents whose heading marks had been
removed, with a Gaussian prior around values set by hand. Signals that are rare in these documents
keep those values (`series`, `above_first`, `class_codes` and `options` among them). Positive
weights speak for a heading. The `class_...` signals are shares or counts over all lines of a class.

The sum of the weights is not a calibrated probability, because the lines of a document are not
independent, and the documents of other authors differ. `confidence` calibrates it: its table is an
isotonic regression on 39 documents in three versions, each source judged by weights that were
fitted without it.
"""

from __future__ import annotations

from bisect import bisect
from collections import defaultdict
from collections.abc import Hashable, Sequence
from operator import mul
from typing import Final, NamedTuple

from docxchunk.reader.headings.lines import TextLine
from docxchunk.reader.headings.signals import LineClass, Signals

# share of the log-odds that comes from the mean of all lines of the class
_CLASS_SHARE: Final = 0.7
# share that comes from the mean of all lines of the same series of numbers
_SERIES_SHARE: Final = 0.6
_MOST_REPORTED: Final = 5  # maximum number of reported signals
_LEAST_REPORTED: Final = 0.2  # least log-odds of a reported signal
_CALIBRATION: Final = (  # log-odds, and the share of headings among lines with these log-odds
    (-4.0, 0.06),
    (-3.0, 0.08),
    (-2.0, 0.15),
    (-1.0, 0.18),
    (0.0, 0.43),
    (1.0, 0.64),
    (2.0, 0.65),
    (3.0, 0.89),
    (4.0, 0.93),
    (5.0, 0.95),
    (6.0, 0.98),
    (8.0, 0.99),
)

_BIAS: Final = -3.22
WEIGHTS: Final[Signals] = {
    "division": 5.50,
    "article": 4.00,
    "series": 3.00,
    "decimal_deep": 2.79,
    "bold": 2.49,
    "color_alone": 2.44,
    "in_contents": 2.00,
    "above_first": 2.00,
    "underline_alone": 2.00,
    "capitals_alone": 2.00,
    "larger": 1.90,
    "divided": 1.80,
    "known_title": 1.22,
    "class_size": 1.20,
    "class_series": 1.09,
    "style_for": 1.00,
    "class_text_after": 0.75,
    "ascending": 0.72,
    "decimal_first": 0.71,
    "much_larger": 0.70,
    "in_order": 0.67,
    "table_after": 0.61,
    "larger_light": 0.60,
    "keep_next": 0.60,
    "class_gap": 0.54,
    "capitals": 0.34,
    "space_before": 0.30,
    "blank_before": 0.22,
    "font": 0.18,
    "color": 0.14,
    "wordy": 0.09,
    "comma": 0.09,
    "text_after": 0.07,
    "italic": 0.07,
    "break": -0.12,
    "list": -0.16,
    "centred": -0.20,
    "same_after": -0.21,
    "long": -0.21,
    "colon": -0.25,
    "list_after": -0.30,
    "huge": -0.30,
    "smaller": -0.32,
    "underline": -0.35,
    "same_before": -0.36,
    "line_after": -0.39,
    "indent": -0.49,
    "first": -0.50,
    "class_colon": -0.50,
    "lower": -0.50,
    "repeated": -0.54,
    "plain": -0.60,
    "class_long": -0.63,
    "style_against": -0.70,
    "out_of_order": -0.72,
    "digits": -0.74,
    "sentence": -0.75,
    "stops": -0.78,
    "class_letters": -0.86,
    "typed_bullet": -0.94,
    "class_single": -0.97,
    "last": -1.00,
    "right": -1.00,
    "page": -1.00,
    "class_repeated": -1.08,
    "tab": -1.11,
    "class_stops": -1.21,
    "title_page": -1.29,
    "very_short": -1.30,
    "mono": -1.48,
    "odd": -1.75,
    "label": -2.00,
    "style_title": -2.00,
    "bullet": -2.01,
    "class_same": -2.06,
    "caption": -2.10,
    "contents": -4.00,
    "class_codes": -4.00,
    "options": -4.00,
}


class Candidate(NamedTuple):
    """A line that could be a heading, with its signals."""

    line: TextLine
    line_class: LineClass
    signals: Signals  # without those of its class
    class_odds: float  # the log-odds that the signals of its class add
    series: int = 0  # the series of numbers that the line belongs to, from 1; 0: none


class Judgement(NamedTuple):
    """The probability that a line is a heading, and the signals for it, strongest first."""

    probability: float
    signals: tuple[str, ...]


def log_odds(signals: Signals) -> float:
    """Return the log-odds that these signals add."""
    odds: float = sum(map(mul, map(WEIGHTS.__getitem__, signals), signals.values()))
    return odds


def judge(
    candidates: Sequence[Candidate], enough: float
) -> list[tuple[TextLine, LineClass, Judgement]]:
    """Return the lines that are headings with at least the probability `enough`.

    The log-odds of a line are mixed with the mean of all lines of its class, then with the mean of
    its series of numbers. Entries of a table of contents are never headings.
    """
    odds = [_BIAS + log_odds(candidate.signals) + candidate.class_odds for candidate in candidates]
    odds = _mixed(odds, [candidate.line_class for candidate in candidates], _CLASS_SHARE)
    odds = _mixed(odds, [candidate.series or None for candidate in candidates], _SERIES_SHARE)
    likely = (
        (candidate, confidence(line_odds))
        for candidate, line_odds in zip(candidates, odds, strict=True)
    )
    return [
        (candidate.line, candidate.line_class, Judgement(probability, _reported(candidate.signals)))
        for candidate, probability in likely
        if probability >= enough and "contents" not in candidate.signals
    ]


def _mixed(odds: Sequence[float], groups: Sequence[Hashable], share: float) -> list[float]:
    """Return the log-odds, each moved by `share` towards the mean of its group. The log-odds of
    lines without a group, None, stay as they are.
    """
    members: dict[Hashable, list[float]] = defaultdict(list)
    for group, line_odds in zip(groups, odds, strict=True):
        if group is not None:
            members[group].append(line_odds)
    means = {group: sum(each) / len(each) for group, each in members.items()}
    return [
        line_odds if group is None else line_odds + share * (means[group] - line_odds)
        for group, line_odds in zip(groups, odds, strict=True)
    ]


def confidence(odds: float) -> float:
    """Return the probability for log-odds, interpolated in `_CALIBRATION`."""
    at = bisect(_CALIBRATION, (odds, 1.0))
    if at in (0, len(_CALIBRATION)):
        return _CALIBRATION[min(at, len(_CALIBRATION) - 1)][1]
    (low, below), (high, above) = _CALIBRATION[at - 1 : at + 1]
    return below + (above - below) * (odds - low) / (high - low)


def _reported(signals: Signals) -> tuple[str, ...]:
    """Return the names of the signals that speak most for a heading, strongest first."""
    worth = {name: WEIGHTS[name] * value for name, value in signals.items()}
    strong = [name for name, weight in worth.items() if weight >= _LEAST_REPORTED]
    return tuple(sorted(strong, key=lambda name: -worth[name])[:_MOST_REPORTED])
