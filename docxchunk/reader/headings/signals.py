"""The signals for and against a heading, their weights, and the probability that a line is one.

A class of lines has the same style, look and form of number, and all or none of them are sentences:
its lines are headings together or not at all. The log-odds of a class are the mean of those of its
lines.

The weights are log-odds. They were fitted by logistic regression on documents whose heading marks
had been removed, with a Gaussian prior around values set by hand, and rounded. A signal is kept if
lines of three authors depend on it, or if it costs others nothing (`numbered_title`).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from itertools import pairwise
from typing import Final, NamedTuple

from docxchunk.content.roles import begins_like_caption
from docxchunk.language.numbers import Number
from docxchunk.language.patterns import pattern
from docxchunk.ooxml.formatting import is_monospaced
from docxchunk.reader.headings.lines import (
    LARGER,
    Body,
    TextLine,
    is_reference,
    length_of,
    orders,
    parents,
    width,
)
from docxchunk.reader.headings.marks import STOPS, is_running_text
from docxchunk.reader.paragraphs import Paragraph, TurnSource
from docxchunk.reader.tables import Item

SIGNALS: Final[Mapping[str, tuple[float, str]]] = {
    # the look, compared with the body text
    "bold": (2.8, "bold"),
    "larger": (1.7, "letters larger by 4 %"),
    "much_larger": (0.5, "letters larger by 15 %, besides"),
    "larger_light": (0.7, "larger letters that are not bold"),
    "capitals": (2.0, "in capitals or small capitals"),
    "color": (0.3, "in another colour"),
    "underline": (0.7, "underlined"),
    "code": (-2.5, "in a font for code, without a number; or with signs of code, but no division"),
    "indent": (-0.6, "indented further, by each half inch, at most an inch"),
    "style_for": (0.8, "the name of its style is one for headings"),
    # the number
    "division": (4.5, 'names a division: "Chapter 2", "第三条"'),
    "decimal_deep": (2.8, "a number of two parts or more: 2.1"),
    "worded": (4.5, 'words and a running number: "Lecture 3:"'),
    "in_order": (0.9, "the number follows the one before it"),
    "divided": (1.1, "the next number is the first one below it: 2.1 after 2, （一） after 三、"),
    "numbered_title": (
        1.7,
        "a number of one part, in order; text below; no sign at the end, or a stop",
    ),
    # the words
    "known_title": (1.2, "a title that sections commonly have"),
    "long": (-0.8, "the width, in units of 40 letters, at most 3"),
    "stops": (-1.6, "ends with a full stop, a comma or the like; but '4. Fees.'"),
    "colon": (-1.0, "ends with a colon"),
    "in_brackets": (-1.0, "all of it is in brackets"),
    "caption": (-2.0, "begins like the caption of a table or picture"),
    "repeated": (-0.6, "occurs more than twice: the binary logarithm of half the times"),
    # the lines around it
    "text_after": (0.8, "what follows could be no heading: text or a table"),
    "line_after": (-0.3, "a line follows that could be a heading"),
    "same_after": (-2.7, "a line of its class follows"),
    "list_after": (-0.4, "an item of a list follows, and it is none"),
    "blank_before": (0.2, "an empty paragraph is above it"),
    "colon_above": (-2.0, "the text above it ends with a colon"),
    "first": (-1.5, "the first text of the document"),
    "title_page": (-1.4, "above the first running text, and not right above it"),
    "first_page": (-3.7, "on a first page without running text"),
    "gap": (0.7, "text up to the next line or heading: the logarithm, 1 for 4,000 letters"),
    # its class
    "class_size": (1.5, "lines of the class: the logarithm, 1 for 32 lines"),
    "alone": (-1.1, "the only line of its class"),
    "gathered": (-2.5, "the share of the document that its class is not spread over"),
}
"""The name of each signal, its weight, and its meaning. A signal is 1 or absent, unless its meaning
gives a number.
"""

BIAS: Final = -3.0
SLOPE: Final = 0.7  # log-odds become probabilities with this slope: lines are not independent
MOST_REPORTED: Final = 5  # maximum number of reported signals
_LEAST_REPORTED: Final = 0.2  # least log-odds of a reported signal
_STYLE_OF_HEADING: Final = pattern(
    r"head|title|überschrift|titre|título|titolo|заголов|标题|標題|제목|section|chapter|kop",
    re.IGNORECASE,
)
_CODE: Final = pattern(r"[{}<>=\\|]|\(\)|https?:|@\w")
_IN_BRACKETS: Final = pattern(r"[(（\[【].*[)）\]】]")
_COLONS: Final = (":", "：")
_LONGEST_TITLE: Final = 40  # characters, blanks included
_NUMBERED_TITLE: Final = 45  # characters of a numbered title with a full stop at its end
_WIDE_SENTENCE: Final = 40
_RUNNING_TEXT: Final = 60  # a wider paragraph is running text, which ends the title page
_LONG_TEXT: Final = 120  # a wider paragraph is no part of a title page
_TWICE: Final = 2  # the same heading may occur under two others

Signals = dict[str, float]
"""The signals of a line with their strengths; an absent signal is 0."""


class LineClass(NamedTuple):
    """What the lines of a class share."""

    style: str  # id
    opens_clause: bool
    size: int  # half points
    bold: bool
    capitals: bool
    number: str  # the form; "" without a number
    is_automatic: bool  # the number is one that Word counts
    is_sentence: bool  # and no title: "WARNING: Wear gloves."
    depth: int  # in a list of bullets; -1 in none


class JudgedLine(NamedTuple):
    """A line with the probability that it is a heading."""

    line: TextLine
    line_class: LineClass
    probability: float
    signals: tuple[str, ...]  # those that speak most for a heading, strongest first


def judge(items: Sequence[Item], lines: Sequence[TextLine], body: Body) -> list[JudgedLine]:
    """Return the lines, each with the probability that it is a heading."""
    classes = list(map(line_class, lines))
    all_signals = signals_of(items, lines, classes, body)
    odds_of = defaultdict(list)
    for class_of_line, signals in zip(classes, all_signals, strict=True):
        odds_of[class_of_line].append(sum([SIGNALS[name][0] * signals[name] for name in signals]))
    probabilities = {
        class_of_line: 1 / (1 + math.exp(-SLOPE * (BIAS + sum(odds) / len(odds))))
        for class_of_line, odds in odds_of.items()
    }
    return [
        JudgedLine(line, class_of_line, probabilities[class_of_line], _reported(signals))
        for line, class_of_line, signals in zip(lines, classes, all_signals, strict=True)
    ]


def line_class(line: TextLine) -> LineClass:
    """Return the class of a line."""
    kind = "" if line.number is None or line.is_worded else line.number.kind
    item, look = line.item, line.look
    return LineClass(
        item.style.id,
        item.opens_clause,
        look.size,
        look.bold,
        line.capitals,
        kind,
        bool(kind) and line.is_automatic,
        not kind and _is_sentence(line),
        -1 if kind else item.depth,
    )


def _is_sentence(line: TextLine) -> bool:
    """Return whether a line in no list ends as a sentence does, and is wide or has a colon in it. A
    title may end with a full stop, too.
    """
    item, text = line.item, line.text
    return (
        not item.opens_clause
        and item.depth < 0
        and text.endswith((*STOPS, "!"))
        and (line.width > _WIDE_SENTENCE or any(sign in text for sign in _COLONS))
    )


def _reported(signals: Signals) -> tuple[str, ...]:
    worth = {name: SIGNALS[name][0] * strength for name, strength in signals.items()}
    strong = [name for name, odds in worth.items() if odds >= _LEAST_REPORTED]
    return tuple(sorted(strong, key=lambda name: -worth[name])[:MOST_REPORTED])


def signals_of(
    items: Sequence[Item], lines: Sequence[TextLine], classes: Sequence[Hashable], body: Body
) -> list[Signals]:
    """Return the signals of each line. `classes` are the classes of the lines."""
    signals: list[Signals] = [
        {**_look_signals(line, body), **_text_signals(line)} for line in lines
    ]
    by_index = {
        line.item_index: line_signals for line, line_signals in zip(lines, signals, strict=True)
    }
    class_of = {
        line.item_index: class_of_line for line, class_of_line in zip(lines, classes, strict=True)
    }
    _add_neighbours(by_index, items, class_of)
    _add_numbers(by_index, lines)
    for index in _title_page(items, by_index) & by_index.keys():
        by_index[index]["title_page"] = 1.0
    for index in by_index.keys() & range(_end_of_first_page(items)):
        by_index[index]["first_page"] = 1.0
    gathered = _gathered(items, class_of)
    counts = Counter(line.text for line in lines)
    sizes = Counter(classes)
    for line, class_of_line, line_signals in zip(lines, classes, signals, strict=True):
        if (count := counts[line.text]) > _TWICE:
            line_signals["repeated"] = math.log2(count / _TWICE)
        if (size := sizes[class_of_line]) > 1:
            line_signals["class_size"] = min(math.log2(size) / 5, 1)
        else:
            line_signals["alone"] = 1.0
        if gathered.get(class_of_line):
            line_signals["gathered"] = gathered[class_of_line]
    return signals


# --- The look, the number and the words of a line

# titles that sections commonly have, those of tables of versions, and those at the end
_TITLES: Final = """
        abstract | executive summary | summary | introduction | background | overview | preface
        foreword | about this document | purpose | scope | aims | objectives | goals | definitions
        terms and definitions | abbreviations | acronyms | glossary | notation | methods
        methodology | materials and methods | results | discussion | results and discussion
        evaluation | related work | limitations | future work | conclusion | conclusions
        recommendations | normative references | informative references
        requirements | prerequisites | installation | getting started | usage | configuration
        preamble | recitals | troubleshooting | frequently asked questions
        general | general provisions
        zusammenfassung | kurzfassung | einleitung | einführung | vorwort | hintergrund | ziele
        zielsetzung | geltungsbereich | anwendungsbereich | begriffe | begriffsbestimmungen
        abkürzungen | methoden | methodik | ergebnisse | diskussion | fazit | schluss | ausblick
        präambel | glossar | allgemeines
        résumé | préambule | avant-propos | préface | contexte | objet | objectifs
        champ d'application | définitions | méthodes | méthodologie | résultats
        conclusion générale | glossaire | introduction générale
        resumen | preámbulo | introducción | antecedentes | objetivos | objeto | alcance
        definiciones | metodología | métodos | resultados | discusión | conclusión | conclusiones
        recomendaciones | glosario
        resumo | preâmbulo | introdução | objetivo | definições | metodologia | discussão
        conclusão | conclusões
        sommario | riassunto | premessa | introduzione | scopo | definizioni | metodi | risultati
        discussione | conclusione | conclusioni
        аннотация | реферат | введение | предисловие | общие положения | термины и определения
        методы | результаты | обсуждение | выводы | заключение
        摘要 | 引言 | 前言 | 绪论 | 緒論 | 序言 | 概述 | 背景 | 研究背景 | 研究目的 | 研究内容
        研究方法 | 研究现状 | 目的 | 范围 | 總則 | 总则 | 附则 | 附則 | 术语和定义 | 缩略语
        规范性引用文件 | 结果 | 讨论 | 结论 | 結論 | 结语 | 总结 | 总结与展望 | 作者简介
        はじめに | 概要 | 序論 | 緒言 | 目的 | 方法 | 結果 | 考察 | おわりに | まとめ
        초록 | 요약 | 머리말 | 서론 | 목적 | 연구 방법 | 결과 | 논의 | 결론
"""
_HISTORY_TITLES: Final = """
        revision history | document history | change history | version history | change log
        änderungshistorie | versionshistorie | änderungsverzeichnis | historique des versions
        historique des révisions | historial de revisiones | histórico de revisões
        histórico de alterações | cronologia delle revisioni | история изменений | історія змін
        修订历史 | 修订记录 | 变更记录 | 版本历史 | 文档历史 | 文档修订记录
        改訂履歴 | 변경 이력 | 개정 이력
"""
_CLOSING_TITLES: Final = """
        acknowledgements | acknowledgments | references | bibliography | literature | appendix
        appendices | annex | index | danksagung | literatur | literaturverzeichnis
        quellenverzeichnis | anhang | remerciements | bibliographie | références | annexes
        agradecimientos | referencias | bibliografía | anexos | apéndice | agradecimentos
        referências | ringraziamenti | riferimenti | bibliografia | appendice | allegati
        благодарности | литература | список литературы | приложение | приложения
        список использованных источников | список использованной литературы
        список використаних джерел | bibliografie | källor | referenser | kaynakça | kaynaklar
        daftar pustaka | tài liệu tham khảo | منابع | المراجع | ביבליוגרפיה
        致谢 | 致謝 | 谢辞 | 参考文献 | 參考文獻 | 附录 | 附錄 | 謝辞 | 付録
        참고문헌 | 감사의 글 | 부록
"""
_KNOWN_TITLES: Final = f"{_TITLES}{_HISTORY_TITLES}{_CLOSING_TITLES}"


def _look_signals(line: TextLine, body: Body) -> Signals:
    look, style = line.look, line.item.style
    larger = look.size > body.size * LARGER
    indent = line.item.layout.indent - max(body.indent, 0)
    values = {
        "bold": look.bold and not body.bold,
        "larger": larger,
        "much_larger": look.size > body.size * 1.15,
        "larger_light": larger and not look.bold,
        "capitals": line.capitals and not body.caps,
        "color": bool(look.color) and look.color != body.color,
        "underline": look.underline,
        "code": (_CODE.search(line.text) is not None and not (line.number and line.number.rank))
        or (is_monospaced(look.font) and not body.is_monospaced and line.number is None),
        "indent": min(max(indent, 0) / 720, 2),
        "style_for": not style.is_title and _STYLE_OF_HEADING.search(style.name) is not None,
    }
    return {name: float(value) for name, value in values.items() if value}


def _text_signals(line: TextLine) -> Signals:
    text, number = line.text, line.number
    signals: Signals = {"long": min(line.width, 120) / 40, **_number_signals(line)}
    title = text
    if number is not None and not line.is_automatic:
        title = text[number.length :].lstrip()
    if not line.item.opens_clause:  # the title of a clause ends with a sign
        if text.endswith(STOPS) and not (
            text.endswith(".")
            and number is not None
            and _counts_titles(number)
            and len(title) <= _NUMBERED_TITLE  # "4. Redistribution."
        ):
            signals["stops"] = 1.0
        elif text.endswith(_COLONS):
            signals["colon"] = 1.0
    if _IN_BRACKETS.fullmatch(text):
        signals["in_brackets"] = 1.0
    if begins_like_caption(text):
        signals["caption"] = 1.0
    if is_known_title(title):
        signals["known_title"] = 1.0
    return signals


def _number_signals(line: TextLine) -> Signals:
    if (number := line.number) is None:
        return {}
    if number.rank:
        return {} if is_reference(line) else {"division": 1.0}
    if line.is_worded:
        return {"worded": 1.0}
    return {"decimal_deep": 1.0} if len(number.path) > 1 else {}


def _counts_titles(number: Number) -> bool:
    """Return whether a number is one alone, such as 4; not 4.1, and not "Article 4"."""
    return len(number.path) == 1 and not number.rank


def is_known_title(title: str) -> bool:
    """Return whether sections commonly have this title, such as "References"."""
    return len(title) <= _LONGEST_TITLE and _bare(title) in _bare_titles(_KNOWN_TITLES)


def is_closing_title(title: str) -> bool:
    """Return whether sections at the end of documents commonly have this title."""
    return len(title) <= _LONGEST_TITLE and _bare(title) in _bare_titles(_CLOSING_TITLES)


def is_history_title(title: str) -> bool:
    """Return whether tables of the versions of a document commonly have this title."""
    return len(title) <= _LONGEST_TITLE and _bare(title) in _bare_titles(_HISTORY_TITLES)


@cache
def _bare_titles(titles: str) -> frozenset[str]:
    return frozenset(map(_bare, titles.replace("\n", "|").split("|"))) - {""}


def _bare(title: str) -> str:
    """Return a title in lower case, without blanks, and without a colon or full stop at the end.
    (Some titles have blanks between all letters.)
    """
    return "".join(title.split()).casefold().rstrip(":：.")


# --- The lines around a line. `signals` has the signals of each line by its index


def _add_neighbours(
    signals: Mapping[int, Signals], items: Sequence[Item], classes: Mapping[int, Hashable]
) -> None:
    """Add the signals that each line gets from what is above and below it."""
    gap, after = 0, -1  # characters up to the next line or heading; index of the next item
    for index in range(len(items) - 1, -1, -1):
        item = items[index]
        line_signals = signals.get(index)
        if _is_empty(item):
            if (above_blank := signals.get(after)) is not None:
                above_blank["blank_before"] = 1.0
            continue
        if after in signals and isinstance(item, Paragraph) and item.raw.rstrip().endswith(_COLONS):
            signals[after]["colon_above"] = 1.0
        if line_signals is not None:
            line_signals["gap"] = min(math.log2(1 + gap) / 12, 1)
            below = items[after] if after >= 0 else None
            # a sentence is text, whatever number it has
            is_line = after in signals and not is_running_text(_raw(below))
            values = {
                "line_after": is_line,
                "text_after": not is_line and _says_something(below),
                "same_after": classes.get(after) == classes[index],
                "list_after": _depth(below) >= 0 > _depth(item),
            }
            line_signals.update({name: 1.0 for name, value in values.items() if value})
        is_edge = line_signals is not None or (
            isinstance(item, Paragraph) and bool(item.outline.level)
        )
        gap = 0 if is_edge else gap + length_of(item)
        after = index
    if (first := signals.get(after)) is not None:
        first["first"] = 1.0


def _says_something(item: Item | None) -> bool:
    """Return whether there is an item, and it is more than a line to write on."""
    return item is not None and (not isinstance(item, Paragraph) or any(map(str.isalnum, item.raw)))


def _raw(item: Item | None) -> str:
    return item.raw if isinstance(item, Paragraph) else ""


def _depth(item: Item | None) -> int:
    """Return the level of an item in a list; -1 if it is in none, or if there is no item."""
    return item.depth if isinstance(item, Paragraph) else -1


def _add_numbers(signals: Mapping[int, Signals], lines: Sequence[TextLine]) -> None:
    in_turn = orders([(line.number, line.is_automatic) for line in lines])
    for line, order in zip(lines, in_turn, strict=True):
        line_signals, number = signals[line.item_index], line.number
        if order == "in_order":
            line_signals["in_order"] = 1.0
        if (
            number is not None
            and _counts_titles(number)
            and (number.kind != "ordinal" or number.length < len(line.text))
            and order != "out_of_order"
            and "text_after" in line_signals
            and not line_signals.keys() & {"stops", "colon"}
        ):
            line_signals["numbered_title"] = 1.0
    for index, _ in parents({line.item_index: line.number for line in lines if line.number}):
        signals[index]["divided"] = 1.0
    for line, below in pairwise(lines):
        if (
            "line_after" in signals[line.item_index]
            and "text_after" in signals[below.item_index]  # no item of a list
            and _begins_below(line.number, below.number)
        ):
            signals[line.item_index]["divided"] = 1.0


def _begins_below(number: Number | None, below: Number | None) -> bool:
    """Return whether the second number begins a list in another form: （一） after 三、."""
    return (
        number is not None
        and below is not None
        and below.path == (1,)
        and below.kind != number.kind
    )


def _title_page(items: Sequence[Item], signals: Mapping[int, Signals]) -> set[int]:
    """Return the indices of the items of the title page: those above the first running text. The
    lowest of them, which may be a heading, is left out. A document without running text has no
    title page.
    """
    above: list[int] = []
    for index, item in enumerate(items):
        if _is_empty(item):
            continue
        if (
            not isinstance(item, Paragraph)
            or item.depth >= 0
            or (index not in signals and width(item.raw) > _RUNNING_TEXT)
        ):
            return set(above[:-1])
        above.append(index)
    return set()


def _end_of_first_page(items: Sequence[Item]) -> int:
    """Return the number of items before the first page break; 0 if one is running text or an item
    of a list.
    """
    for index, item in enumerate(items):
        if isinstance(item, Paragraph):
            if any(turn.source is not TurnSource.MARK for turn in item.turns):
                return index
            if item.depth >= 0 or width(item.raw) > _LONG_TEXT:
                break
    return 0


def _gathered(items: Sequence[Item], classes: Mapping[int, Hashable]) -> dict[Hashable, float]:
    """Return for each class of several lines how far they are from being spread over the whole
    document, 0 to 1; less for a small class.
    """
    places: dict[Hashable, list[int]] = defaultdict(list)
    count = 0
    for index, item in enumerate(items):
        if not _is_empty(item):
            if index in classes:
                places[classes[index]].append(count)
            count += 1
    return {
        class_of_lines: max(1 - _share(own_places, count), 0)
        * min(math.log2(len(own_places)) / 3, 1)
        for class_of_lines, own_places in places.items()
        if len(own_places) > 1
    }


def _share(places: Sequence[int], count: int) -> float:
    """Return the share of `count` items from the first to beyond the last of these places."""
    return (places[-1] - places[0]) * len(places) / (len(places) - 1) / count


def _is_empty(item: Item) -> bool:
    return isinstance(item, Paragraph) and (not item.raw or item.raw.isspace())
