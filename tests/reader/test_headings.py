import pytest
from case_files import cases
from docx_builder import docx
from examples import some
from hypothesis import example, given, settings
from hypothesis import strategies as st

from docxchunk import api
from docxchunk.model.options import Headings, ParseOptions

TEXT = (
    "The provider shall give the customer access to the assembler. It may end the access at "
    "any time, and for any reason."
)
MARKS = ('b="1"', 'i="1"', 'u="single"', 'caps="1"', 'b="1" i="1"', "")
TITLES = ("Access", "Use of it", "No. 5", "合同期限", "Acme Inc", "[a] {b}", "1.1")
ENDS = (
    ".</r><r>",
    "</r><r>. ",
    ": </r><r>",
    "</r><r>:",
    "。</r><r>",
    "</r><r> ",
    "</r><r> </r><r>",
    ".</r><tab/><r>",
    '.</r><fn id="2"/><r> ',
)
NUMBERS = ("", "1.1 ", "(a)\t", "Article 4. ", "第四条 ", "§ 3 ", "2.")


@pytest.mark.parametrize("case", cases("headings"))
def test_case(case):
    case.check()


clauses = st.lists(
    st.builds(
        "<p{}><r>{}</r>{}<r {}>{}{}{}</r></p>".format,
        st.sampled_from((' style="Heading1"', ' style="Heading2" num="1:1"', ' num="1:1"', "")),
        st.sampled_from(NUMBERS),
        st.sampled_from(("", '<ins><r b="1">New </r></ins>')),
        st.sampled_from(MARKS),
        st.sampled_from(TITLES),
        st.sampled_from(ENDS),
        st.sampled_from((TEXT, f"{TEXT} {TEXT}", "no text", "of 2.")),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=some(100), deadline=None)
@given(clauses)
def test_titles_take_nothing_from_the_text_and_add_nothing(paragraphs):
    source = (
        '<numbering><list id="1"><level/><level '
        'text="%1.%2"/></list></numbering><footnotes><footnote '
        'id="2"><p>Note</p></footnote></footnotes>'
    )
    data = docx(source + "".join(paragraphs))
    documents = [
        api.parse(data, name="a.docx", options=ParseOptions(headings=headings))
        for headings in (Headings.AUTO, Headings.GUESS, Headings.MARKED)
    ]
    texts = [
        "".join(
            sorted(
                "".join(block.content for block in document.blocks)
                .replace("#", "")
                .replace("[^1]: Note", "")
            )
        )
        for document in documents
    ]
    assert len({"".join(text.split()) for text in texts}) == 1
    assert all(
        len(block.heading) <= 200 and block.heading.strip() == block.heading
        for document in documents
        for block in document.blocks
    )


# letters that regular expressions take for the same, ignoring case
ODD_CASE = {"i": "iıİ", "s": "sſ", "k": "k\u212a", "I": "Iıİ", "S": "Sſ", "K": "K\u212a"}
NAMED = (
    "Section 1 Aims",
    "Article 4 bis Use",
    "Article 4k Use",
    "Article 4i",
    "Kapitel 2",
    "Section One",
    "Erster Abschnitt",
    "Clause 3s",
)


@example(tuple("Sectıon One"))
@example(tuple("Article 4İ Use"))
@given(
    st.sampled_from(NAMED).flatmap(
        lambda text: st.tuples(*(st.sampled_from(ODD_CASE.get(letter, letter)) for letter in text))
    )
)
def test_letters_that_only_ignoring_case_makes_equal(letters):
    """Names of divisions, and letters and words behind numbers, may be written with them; they are
    no error.
    """
    document = api.parse(
        docx(f"<p><r>{''.join(letters)}</r></p><p><r>{TEXT}</r></p>"), name="n.docx"
    )
    assert "".join(letters).split()[0] in document.blocks[0].content + document.blocks[-1].content
