"""No function calls itself once more for each piece of its input: the stack of Python would end
before a long document does.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from docx_builder import docx

import docxchunk
from docxchunk import Reader, chunk, parse
from docxchunk.language.labels import normal

PACKAGE = Path(docxchunk.__file__).parent
# what bounds the depth -> the functions that may call themselves
BOUNDED: Mapping[str, str] = {
    "XML elements are nested at most 256 deep": """
        reader/content.py:_keep_table reader/inline.py:read_inline reader/inline.py:read_run
        reader/inline.py:read_unknown reader/looks.py:read_properties
        reader/math/formula.py:flat reader/notes.py:_paragraphs_in reader/objects.py:_raws
        reader/page_layout.py:Heights._of_table reader/page_layout.py:Heights.of_row
        reader/page_layout.py:_marks_of_cell reader/page_layout.py:_marks_of_row
        reader/table_headers.py:_tables reader/table_text.py:_is_fleeting
        reader/table_text.py:_paragraphs reader/table_text.py:nested_text
        reader/tables.py:_members
    """,
    "a constant bounds the depth": """
        language/numbers.py:_parsed language/numbers.py:number_of
        reader/math/equation_field.py:_Parser._arguments
        reader/math/equation_field.py:_Parser._next
        reader/math/equation_field.py:_Parser._script reader/math/equation_field.py:_as_text
        reader/math/equation_field.py:_as_latex
        retrieval/finding/names.py:NamedPlaces._numbered_after
        sidecar/names.py:path_like
    """,
    "each call has half of the input": """
        backends/local_models.py:run_in_halves lab/evaluation/retrievers.py:_halves
    """,
    "the depth is that of a layout, of levels or of a kind of number": """
        chunking/cutting.py:Cutter._split lab/strategies/grouping.py:_children
        lab/strategies/grouping.py:add_children formats/parquet.py:_all_columns
        formats/parquet.py:_column
        batch/validation.py:_object_faults
        batch/validation.py:faults
    """,
    "it is called once more, for a part that is not divided again": """
        backends/batching.py:_answer backends/cache.py:Store._tried batch/inputs.py:_expand
        model/sequences.py:_common formats/markdown.py:_typed
        formats/tables.py:_cell reader/math/characters.py:_atom reader/math/characters.py:_char
        reader/math/characters.py:_composed reader/math/characters.py:_marked
        reader/math/characters.py:_normal retrieval/finding/links.py:Resolver.targets
        retrieval/finding/names.py:NamedPlaces._named
        retrieval/finding/names.py:NamedPlaces.cited retrieval/finding/names.py:NamedPlaces.in_path
        retrieval/finding/names.py:NamedPlaces.named sources.py:_converted sources.py:parse_as
    """,
    "a variable has the name of the function": """
        backends/byte_pairs.py:BytePairTokenizer.count
        model/sequences.py:matches model/sequences.py:runs
        records/blocks.py:_kind_of records/blocks.py:_settings
        model/fields.py:member
    """,
}


def functions() -> dict[str, tuple[str, set[str]]]:
    """Return the file of each function, and the names that it uses."""
    found: dict[str, tuple[str, set[str]]] = {}

    def visit(node: ast.AST, file: str, owner: str) -> None:
        for child in ast.iter_child_nodes(node):
            name = getattr(child, "name", "")
            if isinstance(child, ast.FunctionDef):
                within = [*ast.walk(child)]
                used = {each.id for each in within if isinstance(each, ast.Name)}
                used |= {
                    f"{owner}.{each.attr}"
                    for each in within
                    if isinstance(each, ast.Attribute)
                    and isinstance(each.value, ast.Name)
                    and each.value.id in ("self", owner)
                }
                found[f"{file}:{owner}.{name}" if owner else f"{file}:{name}"] = file, used
            if not isinstance(child, ast.FunctionDef):
                visit(child, file, name if isinstance(child, ast.ClassDef) else owner)

    for path in PACKAGE.rglob("*.py"):
        visit(ast.parse(path.read_text("utf-8")), path.relative_to(PACKAGE).as_posix(), "")
    return found


def recursive() -> Iterator[str]:
    """Yield the functions that lead back to themselves within their file."""
    known = functions()
    calls = {
        name: {f"{file}:{other}" for other in used} & known.keys()
        for name, (file, used) in known.items()
    }
    for name in known:
        reached, waiting = set[str](), [*calls[name]]
        while waiting:
            other = waiting.pop()
            if other not in reached:
                reached.add(other)
                waiting += calls[other]
        if name in reached:
            yield name


def test_each_recursive_function_has_a_bound():
    assert set(recursive()) == set(" ".join(BOUNDED.values()).split())


def rows(marked: int) -> str:
    head = "<tr><trPr><tblHeader/></trPr><tc>head words</tc><tc>b</tc></tr>"
    return f"<tbl>{head * marked}{'<tr><tc>1</tc><tc>2</tc></tr>' * 5}</tbl>"


FIELD = "<begin/><code>REF x</code><separate/>"
N = 400
LONG = {
    "rows of a header": rows(N),
    "anchors": '<p style="Heading1">H</p>' + "<p>Definitions</p><p>some words</p>" * N,
    "fields": f"<p>{FIELD * N}a{'<end/>' * N}</p>",
    "codes of fields": f"<p>{'<begin/><code>IF </code>' * N}a{'<end/>' * N}</p>",
    "an equation field": "<p><begin/><code>EQ "
    + r"\f(" * N
    + "1"
    + ",2)" * N
    + "</code><separate/><end/></p>",
    "accents": f"<p><m:oMath><m:r><m:t>a{chr(0x301) * N}</m:t></m:r></m:oMath></p>",
    "deleted marks": '<p mark="del">x</p>' * N + "<p>y</p>",
    "brackets": f"<p>{'(' * N}a{')' * N}</p>",
    "addresses of notes": f"<p>a {'[^1]:' * N}</p><p>{'[^1]: ' * N}b:</p>",
    "styles": '<p style="s0">x</p><styles>'
    + "".join(f'<style id="s{i}" name="s{i}" based="s{i + 1}"/>' for i in range(N))
    + "</styles>",
}


@pytest.fixture
def _few_frames():
    """Leave room for half as many calls as there are pieces."""
    frame, depth = sys._getframe(), 0
    while frame := frame.f_back:
        depth += 1
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(depth + N // 2)
    yield
    sys.setrecursionlimit(before)


@pytest.mark.usefixtures("_few_frames")
@pytest.mark.parametrize("name", LONG)
def test_a_long_document_needs_few_frames(name):
    document = parse(docx(LONG[name]), name="a.docx")
    document.to_markdown()
    for strategy in ("P", "P-staged", "R"):
        document.units(chunk(document, strategy=strategy, max_tokens=64, overlap=4))
    Reader(document).find("words", limit=3)


@pytest.mark.usefixtures("_few_frames")
def test_a_long_name_needs_few_frames():
    assert normal("第1条第2条3") == "第1条.第2条.3"
    assert normal("第1条" * N).startswith("第1条.第1条")
