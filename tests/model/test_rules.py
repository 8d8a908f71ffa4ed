import pytest

from docxchunk.errors import UsageError
from docxchunk.model.options import ParseOptions
from docxchunk.model.rules import NO_RULES, LineName, Rules, line_name, read_rules

BOLD = LineName("normal", frozenset(("14 pt", "bold", "number decimal2")))


@pytest.mark.parametrize(
    ("name", "holds"),
    [
        ("Normal", True),
        ("  NORMAL | 14 pt|Bold ", True),
        ("* | bold", True),
        ("Normal | number 3.2", True),
        ("Normal | number 3.2.", True),
        ("Normal | number 3.2.1", False),
        ("Normal | number Article 3", False),
        ("Normal | 14.5 pt", False),
        ("Normal | marked 2", False),
        ("Heading 1", False),
    ],
)
def test_a_name_holds_for_lines_with_its_style_and_traits(name, holds):
    assert line_name(name).holds(BOLD) is holds


def test_the_rule_with_most_parts_decides_then_the_style_then_the_order():
    rules = Rules({"Normal": 1, "* | 14 pt": 2, "Normal | 14 pt": 3, "Normal | bold": 4})
    assert rules.deciding(BOLD) == "Normal | 14 pt"
    assert Rules({"* | bold": 1, "Normal | 14 pt": 2}).deciding(BOLD) == "Normal | 14 pt"
    assert rules.deciding(LineName("normal")) == "Normal"
    assert rules.deciding(LineName("other", frozenset(("14 pt",)))) == "* | 14 pt"
    assert rules.deciding(LineName("other")) is None


@pytest.mark.parametrize("level", [0, 10, True, 1.0, "1", "No", None, []])
def test_a_level_is_1_to_9_no_or_auto(level):
    assert list(Rules({"A": 1, "B": 9, "C": "no", "D": "auto"}).values()) == [1, 9, "no", "auto"]
    with pytest.raises(UsageError, match=r'The rule "A" has the level .*; it must be 1 to 9, "no"'):
        Rules({"A": level})


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        ({"": 1}, "name '';"),
        ({1: 1}, "name 1;"),
        ({"x" * 1001: 1}, "name a str;"),
        ({"*": 1}, "names no style"),
        ({" | bold": 1}, "names no style"),
        ({"Normal | blue": 1}, 'unknown part "blue"'),
        ({"Normal | marked 10": 1}, "unknown part"),
        ("house.toml", "must be a mapping"),
    ],
)
def test_bad_rules_are_refused_in_one_sentence(rules, said):
    with pytest.raises(UsageError, match=said):
        ParseOptions(rules=rules)


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"Heading 1 = 1", "are no TOML"),
        (b'"A" = 1\n"A" = 2', "are no TOML"),
        (b"\xff\xfe", "are not text in UTF-8"),
        (b"[A]\nb = 1", r'house.toml: The rule "A" has the level'),
        (None, "house.toml cannot be read: No such file"),
    ],
)
def test_a_bad_file_is_refused_in_one_sentence(tmp_path, data, said):
    path = tmp_path / "house.toml"
    if data is not None:
        path.write_bytes(data)
    with pytest.raises(UsageError, match=said):
        read_rules(path)


def test_options_with_the_same_rules_are_equal(tmp_path):
    path = tmp_path / "house.toml"
    path.write_bytes(b'\xef\xbb\xbf"A \xc3\x9c" = 1\n"B" = "no" # lines\n')
    options = ParseOptions(rules={"B": "no", "A Ü": 1})
    assert options == ParseOptions(rules=read_rules(path))
    assert hash(options) == hash(ParseOptions(rules=read_rules(path)))
    assert options != ParseOptions()
    assert ParseOptions().rules is NO_RULES
