"""A server that describes pictures."""

from __future__ import annotations

import base64

import pytest

pytest.importorskip("openai", reason="openai is not installed: no server is asked")

from backends.language_models.chat_server import completion, refusal, serving
from cli.helpers import docxchunk
from docx_builder import docx

import docxchunk as library
from docxchunk.errors import ModelError

PICTURE = b"\x89PNG a"
SOURCE = docx(
    "<p style='Heading1'>Plan</p><p><pic src='a.png' alt='a plan'/></p>", {"media/a.png": PICTURE}
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("DOCXCHUNK_CACHE", str(tmp_path / "cache"))


def test_the_picture_is_sent_with_its_context_once():
    with serving(lambda asked, _: completion("<think>hm</think> A house.")) as served:
        for _ in range(2):
            models = library.models(describer=f"{served.url}#eye")
            found = library.describe(library.parse(SOURCE, name="a.docx"), models)
            assert (found.drawings[0].description, found.drawings[0].described) == (
                "A house.",
                "eye",
            )
        (asked,) = served.requests
        text, picture = asked["messages"][0]["content"]
        assert (asked["model"], asked["temperature"], text["type"]) == ("eye", 0, "text")
        assert text["text"].endswith("\n\nHeading: Plan\nAlternative text: a plan")
        assert picture == {
            "type": "image_url",
            "image_url": {"url": f"data:image/png;base64,{base64.b64encode(PICTURE).decode()}"},
        }
        library.describe(
            library.parse(SOURCE, name="a.docx"),
            library.models(describer=f"{served.url}#eye", cache=False),
        )
        assert len(served.requests) == 2


def test_a_refusal_is_an_error():
    with serving(lambda asked, _: refusal(400, "no pictures")) as served:
        models = library.models(describer=served.url)
        with pytest.raises(ModelError, match=r"refused \(400: no pictures\)"):
            library.describe(library.parse(SOURCE, name="a.docx"), models)


def test_parse_describes_and_later_runs_keep_it(tmp_path):
    (tmp_path / "a.docx").write_bytes(SOURCE)
    environment = {"DOCXCHUNK_CACHE": str(tmp_path / "cache")}
    docxchunk("parse", "a.docx", cwd=tmp_path)
    with serving(lambda asked, _: completion("A house.")) as served:
        for _ in range(2):
            assert (
                docxchunk(
                    "parse",
                    "a.docx",
                    "--describer",
                    f"{served.url}#eye",
                    cwd=tmp_path,
                    **environment,
                ).code
                == 0
            )
        assert len(served.requests) == 1
    docxchunk("chunk", "a.docx", cwd=tmp_path)
    document = library.read(tmp_path / "a.docx.parsed")
    assert (document.describer, document.drawings[0].description) == ("eye", "A house.")
    assert ('description="A house." described="eye"') in (
        tmp_path / "a.docx.parsed" / "a.chunks.jsonl"
    ).read_text("utf-8").replace('\\"', '"')
    assert docxchunk("validate", "a.docx.parsed", cwd=tmp_path).code == 0
