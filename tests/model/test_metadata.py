import pytest

from docxchunk import api
from docxchunk.errors import InputError, UsageError
from docxchunk.model.metadata import read_metadata

ROWS = {"2024/a.docx": {"client": "Acme, Inc."}, "b.docx": {"client": "Beta", "no": "7"}}


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.csv", 'path,client,no\n2024/a.docx,"Acme, Inc.",\n\nb.docx,Beta,7\n'),
        ("m.csv", '\ufeff"client";"path";"no"\r\nAcme, Inc.; 2024\\a.docx;;\r\nBeta;b.docx;7\r\n'),
        ("m.csv", "path\tno\t\tclient\n./2024/a.docx\t\t\tAcme, Inc.\nb.docx\t7\t\tBeta"),
        (
            "m.jsonl",
            """{"path": "2024/a.docx", "client": "Acme, Inc.", "no": null}

            {"no": "7", "path": "b.docx", "client": "Beta"}""",
        ),
    ],
)
def test_files_of_metadata(name, text, tmp_path):
    (tmp_path / name).write_text(text, "utf-8", newline="")
    assert read_metadata(tmp_path / name) == ROWS


@pytest.mark.parametrize(
    ("name", "data", "said"),
    [
        ("m.csv", b"file,client\na.docx,Acme", r'm.csv: It must name the columns, .* "path".'),
        ("m.csv", b"path,no,no\n", "each once"),
        ("m.csv", b"", "name the columns"),
        ("m.csv", b"path,client\na.docx,Acme, Inc.", "line 2: The name of the value 'Inc.' is ''"),
        ("m.csv", b"path,client\n,Acme", "line 2: There is no path."),
        ("m.csv", b"path,no\na.docx,1\n./a.docx,2", "line 3: There is another row for a.docx."),
        ("m.csv", b'path,no\n"a.docx,1', "m.csv: unexpected end of data"),
        ("m.csv", b"path\n\xff", "not text in UTF-8"),
        ("gone.csv", None, "cannot be read"),
        ("m.jsonl", b'{"path": "a"}\n{', "line 2: There is no path."),
        ("m.jsonl", b'["a"]', "line 1: There is no path."),
        ("m.jsonl", b'{"path": "a", "x": [1]}', r'line 1: "x" is \[1\]; it must be text, a number'),
    ],
)
def test_a_bad_file_is_told_in_one_sentence(name, data, said, tmp_path):
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=said):
        read_metadata(tmp_path / name)


@pytest.mark.parametrize(
    ("metadata", "said"),
    [
        ("x", "metadata is 'x'; it must be a mapping"),
        ({"id": "7"}, '"id" is the name of the id of the document'),
        ({7: "x"}, "is 7; it must be text"),
        ({" ": "x"}, "it must be text"),
        ({"status": 3}, '"status" is 3; it must be text'),
        ({"x": float("nan")}, '"x" is nan'),
        ({"x": b""}, '"x" is b'),
    ],
)
def test_values_are_text_numbers_and_booleans(metadata, said):
    with pytest.raises(UsageError, match=said):
        api.parse(b"", metadata=metadata)
