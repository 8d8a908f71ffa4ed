"""Define what a strategy is, make one from its name and settings, such as
"V:threshold=gradient,merge_to=1", and hash and compare settings.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import StrEnum
from inspect import signature
from typing import Any, ClassVar, Final, NamedTuple, Protocol, cast, runtime_checkable

from docxchunk import registry
from docxchunk.chunking.assembler import Assembler
from docxchunk.chunking.models import models_by_port
from docxchunk.chunking.pieces import Piece
from docxchunk.chunking.units import UnitSequence
from docxchunk.errors import UsageError
from docxchunk.model.fields import check_fields, either, nearest
from docxchunk.model.options import LARGEST_SETTING, ChunkLimits, Setting
from docxchunk.model.ports import Models

Apply = Callable[[list[Piece]], list[Piece]]
"""A pure function over the pieces of a document, in order."""


class Stage(NamedTuple):
    """A step of a strategy: its name in the trace, and the function that it applies to the
    pieces.
    """

    name: str
    apply: Apply


class Cost(NamedTuple):
    """The cost of a strategy for one model: it processes the text about `times` times, plus
    `prompt` characters per sentence.
    """

    port: str
    times: float
    prompt: int = 0


def costs_of(strategy: Strategy) -> tuple[Cost, ...]:
    """Return the costs of a strategy: its property `costs`. Without one, each of its models reads
    the text once.
    """
    costs: tuple[Cost, ...] = getattr(
        strategy, "costs", tuple(Cost(port, 1) for port in strategy.models)
    )
    return costs


class Strategy(Protocol):
    """A chunking strategy: a frozen dataclass whose fields are its settings (plain values), and
    whose `stages` are run in order.

    `models` names the fields of `Models` that it uses.
    """

    name: ClassVar[str]

    @property
    def models(self) -> tuple[str, ...]: ...

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def stages(self, limits: ChunkLimits, assembler: Assembler) -> tuple[Stage, ...]: ...


@runtime_checkable
class Dividing(Strategy, Protocol):
    """A strategy that P accepts for `inner`: it has a rule that groups the units of a sequence."""

    def rule(self, assembler: Assembler) -> Callable[[UnitSequence], list[list[int]]]: ...


NO_SETTINGS: Final[Mapping[str, Setting]] = {}
_BOOLEANS = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}


def named_strategy(text: str, settings: Mapping[str, Setting] = NO_SETTINGS) -> Strategy:
    """Return the strategy for "NAME" or "NAME:key=value,key=value" with additional settings. Raise
    UsageError or MissingExtraError.
    """
    name, _, written = text.partition(":")
    texts: Sequence[str] = written.split(",") if written else ()
    added = {**settings}
    if name == "P" and "sizes" in added:
        texts = (*texts, f"sizes={added.pop('sizes')}")
    name, texts = current_name(name, texts)
    make = cast("Callable[..., Strategy]", registry.load(registry.PluginKind.STRATEGY, name))
    all_settings = {**parse_settings(name, texts), **added}
    _check_names(name, make, all_settings)
    strategy = make(**all_settings)
    if is_dataclass(strategy):
        check_fields(strategy)
    return strategy


_BY_SIZES: Final = {"sizes=seed": "P-staged", "sizes=balanced": "P"}


def current_name(strategy: str, settings: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Return the strategy that a name and its settings, `key=value`, mean now. In version 0.2,
    P-staged was P with a setting `sizes`; this setting is left out.
    """
    chosen = [setting for setting in settings if setting in _BY_SIZES]
    if strategy != "P" or len(chosen) != 1:
        return strategy, settings
    return _BY_SIZES[chosen[0]], [setting for setting in settings if setting not in chosen]


def of_older_file(
    strategy: str, settings: Mapping[str, Setting]
) -> tuple[str, Mapping[str, Setting]]:
    """Return the strategy and settings of a chunk file by their present names. In files of version
    0.2, P has the setting `sizes`, and 0 stands for a default.
    """
    if strategy != "P" or "sizes" not in settings:
        return strategy, settings
    name = _BY_SIZES.get(f"sizes={settings['sizes']}", strategy)
    return name, {key: value for key, value in settings.items() if repr(value) != "0.0"}


def _check_names(name: str, make: Callable[..., Strategy], settings: Mapping[str, Setting]) -> None:
    """Raise UsageError for a setting that the strategy does not have."""
    if is_dataclass(make):
        for setting in settings:
            _check_name(name, setting, [field.name for field in fields(make)])
        return
    try:
        signature(make).bind(**settings)
    except TypeError as error:
        raise UsageError(f"The strategy {name} does not accept these settings: {error}.") from error


def _check_name(strategy: str, setting: str, setting_names: Collection[str]) -> None:
    if setting not in setting_names:
        meant = nearest(setting, setting_names)
        raise UsageError(
            f"The strategy {strategy} has no setting {setting!r}"
            f"{f'. Did you mean {meant}? It' if meant else '; it'} has "
            f"{', '.join(setting_names) or 'none'}."
        )


def parse_settings(strategy: str, texts: Iterable[str]) -> dict[str, Setting]:
    """Parse `key=value` texts into values of the types of the strategy's settings. Raise UsageError
    for an invalid one.
    """
    texts = tuple(texts)
    defaults = dict(default_settings(strategy)) if texts else {}
    values: dict[str, Setting] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals:
            raise UsageError(f"The setting {text!r} has no value; write it as key=value.")
        _check_name(strategy, name, defaults)
        if name in values:
            raise UsageError(f"The setting {name!r} is given twice; give it once.")
        values[name] = _converted(name, value, defaults[name])
    return values


def default_settings(strategy: str) -> list[tuple[str, object]]:
    """Return the settings of a strategy and their defaults, in order. Raise UsageError for an
    unknown strategy, or MissingExtraError.
    """
    make = registry.load(registry.PluginKind.STRATEGY, strategy)
    if not is_dataclass(make):
        return []
    return [
        (
            field.name,
            field.default if field.default_factory is MISSING else field.default_factory(),
        )
        for field in fields(make)
    ]


def choices(default: object) -> list[str]:
    """Return the allowed values of an enumeration setting; [] for any other type."""
    return [member.value for member in type(default)] if isinstance(default, StrEnum) else []


def _converted(name: str, text: str, default: object) -> Setting:
    try:
        match default:
            case bool():
                return _BOOLEANS[text.lower()]
            case StrEnum():
                return type(default)(text)
            case int():
                return _whole_number(text)
            case float():
                return float(text)
            case _:
                return text
    except (KeyError, ValueError):
        allowed = (
            choices(default) or ["true", "false"]
            if isinstance(default, (StrEnum, bool))
            else [f"a number such as {default}"]
        )
        raise UsageError(f"{name} is {text!r}; it must be {either(allowed)}.") from None


def _whole_number(text: str) -> int:
    number = int(text)
    if abs(number) > LARGEST_SETTING:
        raise ValueError(text)
    return number


def settings_of(strategy: Strategy, limits: ChunkLimits, models: Models) -> dict[str, Setting]:
    """Return all settings that affect the chunks by name, including the fingerprints of the models.
    Raise MissingModelError if one is missing.
    """
    values: dict[str, Setting] = {"strategy": strategy.name}
    values |= {
        field.name: value
        for field in fields(limits)
        if (value := getattr(limits, field.name)) != UNHASHED_DEFAULTS.get(field.name)
    }
    values |= {field.name: getattr(strategy, field.name) for field in fields(strategy)}
    used = models_by_port(models, strategy.models)
    return values | {port: model.fingerprint for port, model in used.items()}


UNHASHED_DEFAULTS: Final = {
    option.name: option.default for option in fields(ChunkLimits) if option.metadata["newer"]
}
"""Defaults of newer settings. They are left out of the settings and their hash, so that the ids of
existing chunks do not change.
"""

UNSET: Final = "unset"


def settings_hash(strategy: Strategy, settings: Mapping[str, Setting]) -> str:
    """Return the hash of the settings of a strategy, 16 hex digits. If the strategy has the
    property `hashed`, those values replace its own.
    """
    hashed = {**settings, **getattr(strategy, "hashed", {})}
    text = json.dumps(hashed, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def different_settings(
    old: Mapping[str, object], new: Mapping[str, object]
) -> dict[str, tuple[object, object]]:
    """Return the settings that differ, with the old and the new value; "unset" for one that is
    missing.
    """
    values = [{**UNHASHED_DEFAULTS, **side} for side in (old, new)]
    return {
        name: (before, after)
        for name in values[0] | values[1]
        if (before := values[0].get(name, UNSET)) != (after := values[1].get(name, UNSET))
    }
