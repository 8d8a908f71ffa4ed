"""The long fixture documents, written by rule: sixty clauses of a contract, and the rows of
timetables.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

SOURCES = Path(__file__).parents[1] / "fixtures" / "sources"

_AUTOMATIC = 40  # the clauses after these were added later, with numbers typed by hand
_RULES = (
    (
        "What this means for {thing} in a single case is decided by the manager of the rink, "
        "who can be asked at any time while the halls are open."
    ),
    (
        "The Operator sees to it that {thing} is looked at once every {months} months, and "
        "that what was found is kept for {years} years."
    ),
    (
        "If the Town has doubts about {thing}, it says so in writing; the Operator then has "
        "{days} days to answer and to show its papers."
    ),
    (
        "Costs that come with {thing} are borne by the Operator up to {sum} euros a year, "
        "and by both parties in equal parts beyond that."
    ),
    (
        "Where the weather, an order of the authorities or a strike makes this impossible, "
        "{thing} rests until the cause is gone, for {weeks} weeks at most."
    ),
    (
        "A breach that concerns {thing} is told to the other party within {hours} hours, by "
        "telephone first and then by letter."
    ),
    (
        "For each day on which {thing} is not as agreed, although a reminder was sent, the "
        "Operator pays {fine} euros, but no more than {sum} euros a season."
    ),
    (
        "The parties look at {thing} together every autumn, and write down in one page "
        "whether it has proved its worth."
    ),
    (
        "Neighbours, schools and clubs are told at least {days} days before {thing} changes "
        "in a way that they would notice."
    ),
    (
        "The Town gives the Operator all plans and papers about {thing} that it has, without "
        "vouching for them to be complete."
    ),
    (
        "An expert whom both parties trust is asked if they cannot agree on {thing}; the "
        "costs are borne by the party that was wrong."
    ),
    (
        "Nothing in this clause takes away rights that the law gives to visitors or to "
        "staff, even where {thing} is concerned."
    ),
)
_CLAUSE_CHARACTERS = 1120


def contract() -> str:
    """Sixty sibling clauses of some 260 tokens each."""
    rows = [
        [cell.strip() for cell in line.split("|")]
        for line in (SOURCES / "contract-clauses.txt").read_text("utf-8").splitlines()
    ]
    return _CONTRACT_PARTS + "".join(_clause(number, *row) for number, row in enumerate(rows, 1))


_CONTRACT_PARTS = (
    '<styles><style id="Normal" name="Normal" default="1"/><style id="Title" '
    'name="Title" based="Normal"/>'
    '<style id="Heading1" name="heading 1" based="Normal" outline="0"/><style '
    'id="Clause" name="Clause" based="Heading1" num="1:0"/>'
    '<style id="SubClause" name="Sub-clause" based="Normal" num="1:1"/></styles>'
    '<numbering><list id="1"><level format="decimal" text="%1."/><level '
    'format="lowerLetter" text="(%2)"/></list></numbering>'
)


def _clause(number: int, title: str, opening: str, thing: str) -> str:
    rules = list(_rules(number, thing, _CLAUSE_CHARACTERS - len(opening)))
    if number <= _AUTOMATIC:
        heading = f'<p style="Clause">{title}</p>'
        paragraphs = [f'<p style="SubClause">{text}</p>' for text in (opening, *rules)]
    else:
        heading = f'<p style="Heading1">{number}. {title}</p>'
        paragraphs = [
            f"<p>{number}.{place} {text}</p>" for place, text in enumerate((opening, *rules), 1)
        ]
    return heading + "".join(paragraphs)


def _rules(number: int, thing: str, room: int) -> Iterator[str]:
    """Rules in an order that differs from clause to clause, as many as there is room for."""
    for place in range(number * 5, number * 5 + len(_RULES)):
        text = _RULES[place % len(_RULES)].format(
            thing=thing,
            months=2 + place % 5,
            years=3 + number % 8,
            days=7 * (1 + place % 4),
            sum=f"{500 * (1 + (number * 7) % 23):,}",
            weeks=2 + number % 6,
            hours=12 * (1 + place % 4),
            fine=20 * (1 + number % 9),
        )
        if len(text) <= room:
            yield text
            room -= len(text)


_STAGES = ("Altstadt", "Ruhleben", "Mühlwerder", "Fähre Ost", "Seeheim")
_MINUTES = (0, 14, 31, 42, 65)
_DAYS = ("daily", "not on Sundays", "Saturday and Sunday", "daily", "May to September")


def timetable(stages: Sequence[str] = _STAGES) -> str:
    """Twenty-four boats; the header row is repeated on each page."""
    starts = [(7 * 60 + 5 + boat * 38) // 5 * 5 for boat in range(24)]
    rows = [
        (f"{201 + 2 * k}", *(_time(start + minutes) for minutes in _MINUTES), _DAYS[k % len(_DAYS)])
        for k, start in enumerate(starts)
    ]
    return table(("Boat", *stages, "Days"), rows)


def fares(unit: str, first: int) -> str:
    """Sixteen rows: from each zone to each zone."""
    rows = [
        (
            f"{a} to {b}",
            *(
                f"{(abs(a - b) + 1) * first * share // 100 / 10:.2f}"
                for share in (100, 50, 75, 130)
            ),
        )
        for a in range(1, 5)
        for b in range(1, 5)
    ]
    return table(
        ("Zones", unit, f"{unit}, reduced", f"{unit}, evening", f"{unit}, with bicycle"), rows
    )


def _time(minutes: int) -> str:
    return f"{minutes // 60 % 24:02}:{minutes % 60:02}"


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    columns = "".join('<gridCol w="1500"/>' for _ in header)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    return (
        f'<tbl><tblPr><tblW w="5000" type="pct"/></tblPr><tblGrid>{columns}</tblGrid><tr '
        f'header="1">{_cells(header)}</tr>{body}</tbl>'
    )


def _cells(texts: Sequence[str]) -> str:
    return "".join(f"<tc>{text}</tc>" for text in texts)


TABLES = {
    "{table south}": timetable(),
    "{table north}": timetable(_STAGES[::-1]),
    "{table fares}": fares("Single", 25),
    "{table season}": fares("Month", 640),
}
