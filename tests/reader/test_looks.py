"""The look of a paragraph, collected while its runs are read, equals the one found by a separate
walk over the elements that are shown.
"""

from collections import Counter

from compact_xml import Writer
from docx_builder import docx
from hypothesis import example, given
from hypothesis import strategies as st

from docxchunk.model.options import Limits, ParseOptions
from docxchunk.ooxml.formatting import run_signature
from docxchunk.ooxml.numbering import Counters, Numbering
from docxchunk.ooxml.package import open_package
from docxchunk.ooxml.styles import Styles
from docxchunk.ooxml.xml import W
from docxchunk.reader.paragraphs import Paragraph, read_paragraph
from docxchunk.reader.prescan import Shown, find_marks
from docxchunk.reader.state import DocumentState, Environment, State, StoryState

STYLES = (
    '<style id="N" name="Normal" default="1"/><style id="A" name="A" based="N"><rPr><b/><sz '
    'val="28"/></rPr></style>'
)
PIECES = (
    "plain ",
    "<r>text</r>",
    '<r b="1">bold</r>',
    '<r i="1">slanted</r>',
    '<r sz="40">' + "long " * 50 + "</r>",
    "<r/>",
    '<r b="1"> </r>',
    '<r b="1"><t/></r>',
    "<r>\u3000</r>",
    '<r i="1"><tab/>after a tab<br/>and a break</r>',
    '<r b="1" vanish="1">hidden</r>',
    "<r><rPr><vanish/></rPr><t>hidden</t></r>",
    '<r i="1" vanish="0">text</r>',
    '<r b="1" vanish="0">  </r>',
    '<r vert="superscript">2</r>',
    '<ins><r b="1">inserted</r></ins>',
    '<hyperlink><r>link</r><ins><r b="1">inserted</r></ins></hyperlink>',
    '<del><r b="1">deleted</r></del>',
    '<moveFrom><r i="1">moved from here</r></moveFrom>',
    '<hyperlink><r u="single">link</r></hyperlink>',
    '<r i="1">before <box><p><r b="1">in a box</r></p></box></r>',
    '<proofErr type="spellStart"/>',
    '<bookmarkStart id="1" name="x"/>',
)
PACKAGE = open_package(docx(""), Limits())


@given(
    st.lists(st.sampled_from(PIECES), max_size=6),
    st.sampled_from(["", "<pPr><pStyle val='A'/></pPr>"]),
    st.booleans(),
)
@example(['<r b="1"> </r>'], "", False)
@example(['<r b="1" vanish="0">  </r>', "<r>a</r>"], "", False)
def test_look_from_runs_equals_look_from_elements(pieces, properties, in_cell):
    element = Writer().tree("p", properties + "".join(pieces))
    styles, options = Styles(Writer().tree("styles", STYLES)), ParseOptions()
    env = Environment(
        PACKAGE,
        PACKAGE.main,
        styles,
        Numbering(None),
        options,
        find_marks(element, styles, options),
        {},
    )
    state = State(env, DocumentState(Counters(env.numbering)), StoryState(in_cell=int(in_cell)))
    read = read_paragraph(element, state)
    assert isinstance(read, Paragraph)
    runs = list(_shown_runs(element, env.marks.runs))
    looks = [read.style.look if rpr is None else _look(styles, read.style, rpr) for rpr, _ in runs]
    if not read.raw:
        assert read.look is None
    elif in_cell or len(read.raw) > 200:
        assert (read.look, read.bold) == (looks[-1] if looks else None, False)
    else:
        letters = Counter()
        for look, (_, count) in zip(looks, runs, strict=True):
            letters.update({look: count} if count else {})
        most = max(letters, key=lambda look: (letters[look], look), default=None)
        bold = bool(letters) and all(look.bold for look in letters)
        assert (read.look, read.bold) == (most, bold and len(read.raw) <= 100)


def _shown_runs(element, marks):
    """Yield the w:rPr and the number of letters of each run with text that is shown."""
    for child in element:
        if child.tag == W + "r":
            properties = child.find(W + "rPr")
            if marks.get(properties) is not Shown.HIDDEN and child.find(W + "t") is not None:
                texts = [text.text or "" for text in child.iterchildren(W + "t")]
                yield properties, sum(len(text) for text in texts if not text.isspace())
        elif child.tag not in (W + "del", W + "moveFrom"):
            yield from _shown_runs(child, marks)


def _look(styles, style, properties):
    return styles.look(style.id, run_signature(properties))
