"""Models on a server: answers and errors."""

from __future__ import annotations

import math
import socket
from threading import Event

import pytest

pytest.importorskip("openai", reason="the extra api is not installed")

from backends.language_models.chat_server import completion, refusal, serving

from docxchunk.backends.language_models.chat import (
    ChatCompleter,
    ChatScorer,
    ModelServer,
    completer,
    scorer,
)
from docxchunk.errors import ModelError, UsageError
from docxchunk.model.ports import Choices, Endings, Losses


def words(asked):
    return asked["messages"][-1]["content"]


def echo(asked, _):
    return completion(words(asked).upper())


@pytest.fixture(autouse=True)
def no_key(monkeypatch):
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)


def test_answers_come_in_the_order_of_the_prompts(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    prompts = [f"prompt {number}" for number in range(40)]
    with serving(echo) as served:
        made = ChatCompleter(ModelServer(served.url))
        assert made.complete(prompts) == [prompt.upper() for prompt in prompts]
        assert made.complete([]) == []
        assert {(asked["temperature"], asked["model"]) for asked in served.requests} == {(0, "m")}
        assert set(served.keys) == {"Bearer secret"}
        assert (made.costs.asked, made.costs.computed, made.costs.tokens) == (40, 40, 200)


def test_many_requests_are_in_flight():
    """The server answers the first request after the fourth has arrived."""
    fourth = Event()

    def script(asked, number):
        if number == 3:
            fourth.set()
        return completion(str(fourth.wait(20)))

    with serving(script) as served:
        assert (
            ChatCompleter(ModelServer(served.url, in_flight=4)).complete(["a", "b", "c", "d"])
            == ["True"] * 4
        )


def test_the_address_names_the_model():
    with serving(echo, ("small", "large")) as served:
        found = completer(f"{served.url}#large")
        assert (found.name, found.fingerprint) == ("large", "chat:large:temperature=0")
        found.model.complete(["a"])
        assert served.requests[0]["model"] == "large"
        with pytest.raises(
            ModelError, match=r"has 2 models \(small, large\): say which, as http.*#MODEL"
        ):
            completer(served.url)


def test_temporary_failures_are_retried():
    failures = [refusal(429, "slow down"), refusal(503, "busy"), refusal(500, "oops")]

    def script(asked, number):
        return failures[number] if number < 3 else completion("done")

    with serving(script) as served:
        assert ChatCompleter(ModelServer(served.url)).complete(["a"]) == ["done"]
        assert len(served.requests) == 4


def test_a_permanent_failure_is_one_sentence():
    with (
        serving(lambda *_: refusal(429, "out of\ncredit")) as served,
        pytest.raises(ModelError, match=r"refused \(429: out of credit\)\.$"),
    ):
        ChatCompleter(ModelServer(served.url, retries=1)).complete(["a"])
    assert len(served.requests) == 2
    with (
        serving(lambda *_: refusal(401, "no key")) as served,
        pytest.raises(ModelError, match=r"The server at http.* refused \(401: no key\)\."),
    ):
        ChatCompleter(ModelServer(served.url)).complete(["a", "b", "c"])


@pytest.mark.parametrize(
    "body", [b"<html>", b"{}", b'"hello"', b'{"choices": []}', b'{"choices": null}', b"[1]"]
)
def test_an_answer_that_is_not_a_completion_is_an_error(body):
    with (
        serving(lambda *_: (200, body)) as served,
        pytest.raises(ModelError, match="did not answer with a chat completion"),
    ):
        ChatCompleter(ModelServer(served.url)).complete(["a"])


def test_a_timeout_is_an_error():
    done = Event()
    with serving(lambda *_: (done.wait(20), completion("late"))[1]) as served:
        try:
            with pytest.raises(ModelError, match=r"did not answer within 0\.2 seconds"):
                ChatCompleter(ModelServer(served.url, timeout=0.2, retries=0)).complete(["a"])
        finally:
            done.set()


def test_an_unreachable_server_is_an_error():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v1#m"
    with pytest.raises(ModelError, match="cannot be reached"):
        ChatCompleter(ModelServer(url, retries=0)).complete(["a"])


@pytest.mark.parametrize(
    "address",
    [
        "localhost:8000",
        "ftp://host/v1",
        "http://",
        "http://host:port/v1",
        "http://[::1/v1",
        "/models/tiny",
    ],
)
def test_a_bad_address_is_an_error(address):
    with pytest.raises(UsageError, match="The address of a server begins with http"):
        ModelServer(address)


def test_choices_are_scored_by_what_the_server_lists():
    logs = {"1": math.log(0.5), " 1": math.log(0.25), "2": math.log(0.125)}
    with serving(lambda *_: completion("1", logs)) as served:
        (found,) = ChatScorer(ModelServer(served.url)).score([Choices("Which?", ("1", "2", "3"))])
        assert found == (pytest.approx(math.log(0.75)), pytest.approx(math.log(0.125)), -math.inf)
        assert [
            (asked["logprobs"], asked["top_logprobs"], asked["max_tokens"])
            for asked in served.requests
        ] == [(True, 20, 1)] * 2
        with pytest.raises(ModelError, match="answers with none of 7, 8"):
            ChatScorer(ModelServer(served.url)).score([Choices("Which?", ("7", "8"))])


def test_a_server_that_ignores_logprobs_is_refused():
    with serving(lambda *_: completion("1")) as served:
        with pytest.raises(ModelError, match="gives no log-probabilities for m"):
            ChatScorer(ModelServer(served.url)).score([Choices("Which?", ("1", "2"))] * 5)
        assert len(served.requests) == 1


@pytest.mark.parametrize("token", [" 1", "\n1", "\u2581" + "1", "\u0120" + "1"])
def test_blanks_before_an_option_do_not_count(token):
    with serving(lambda *_: completion("1", {token: -1.0, "2": -2.0, "1.": -0.1})) as served:
        assert ChatScorer(ModelServer(served.url)).score([Choices("Which?", ("1", "2"))]) == [
            (-1.0, -2.0)
        ]


NUMBERS = tuple(map(str, range(13)))


def test_options_of_several_tokens_are_refused_and_not_guessed():
    """Of a model that writes digit by digit, "1" is also how 10, 11 and 12 begin."""
    with (
        serving(lambda *_: completion("1", {"1": -0.1, "3": -3.0})) as served,
        pytest.raises(ModelError, match="writes 12 in several tokens; that needs"),
    ):
        ChatScorer(ModelServer(served.url)).score([Choices("Which?", NUMBERS)])
    with serving(lambda *_: completion("11", {"1": -0.1, "11": -0.5})) as served:
        (found,) = ChatScorer(ModelServer(served.url)).score([Choices("Which?", NUMBERS)])
        assert (found[1], found[11], found[10], found[12]) == (-0.1, -0.5, -math.inf, -math.inf)
    with serving(lambda *_: completion("5", {"5": -0.1, "6": -0.5})) as served:
        assert ChatScorer(ModelServer(served.url)).score([Choices("Which?", NUMBERS)])[0][5] == -0.1


@pytest.mark.parametrize(
    "said",
    [
        (
            "This model's maximum context length is 4096 tokens. However, your messages "
            "resulted in 5000 tokens."
        ),
        (
            "the request exceeds the available context size. try increasing the context size "
            "or enable context shift"
        ),
        "prompt is too long: 5000 tokens > 4096 maximum",
    ],
)
def test_a_prompt_too_long_for_the_server_says_what_to_set(said):
    with (
        serving(lambda *_: refusal(400, said)) as served,
        pytest.raises(
            ModelError,
            match=r"rejected a prompt as too long .*: set longest, window, theta, passage or max-tokens lower",
        ),
    ):
        ChatCompleter(ModelServer(served.url)).complete(["a"])


def test_keys_and_passwords_do_not_appear_in_errors(monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-very-secret")
    with serving(lambda asked, _: refusal(401, "sk-very-secret is no key of ours")) as served:
        server = ModelServer(served.url.replace("http://", "http://me:hidden@") + "?token=hidden")
        with pytest.raises(
            ModelError, match=r"127.0.0.1:\d+/v1 refused \(401: \.\.\. is no key of ours\)"
        ) as found:
            ChatCompleter(server).complete(["a"])
        made = [ChatCompleter(server), ChatScorer(server)]
        told = [
            str(found.value),
            *(f"{model!r} {model.name} {model.fingerprint}" for model in made),
        ]
        assert not any(word in text for text in told for word in ("secret", "hidden"))
        assert served.keys[0].startswith("Basic ")


@pytest.mark.parametrize(
    "path", ["/models/tiny.gguf", "C:\\models\\tiny.gguf", "/models/tiny.gguf/"]
)
def test_a_model_reported_by_path_is_shown_by_base_name(path):
    with serving(echo, (path,)) as served:
        found = completer(served.url)
        assert found.name == "tiny.gguf"
        assert found.fingerprint.startswith("chat:tiny.gguf@")
        assert "models" not in found.fingerprint
        assert found.fingerprint != completer(f"{served.url}#/elsewhere/tiny.gguf").fingerprint
        assert found.model.complete(["a"]) == ["A"]
        assert served.requests[0]["model"] == path
    with serving(echo, ("org/tiny",)) as served:
        assert completer(served.url).name == "org/tiny"


@pytest.mark.parametrize("question", [Losses("a b", (3,)), Endings("a b", (3,), "Write.")])
def test_losses_and_endings_are_refused(question):
    with (
        serving(echo) as served,
        pytest.raises(ModelError, match="cannot say how likely a given text is"),
    ):
        ChatScorer(ModelServer(served.url)).score([question])


@pytest.mark.parametrize("ask", [completer, scorer], ids=["completer", "scorer"])
@pytest.mark.parametrize(("read", "refused"), [(0, False), (3, False), (512, True), (1500, False)])
def test_a_server_that_truncates_prompts_is_refused(ask, read, refused):
    """The server reads the end of a prompt of 2,000 tokens and reports its length."""

    def script(asked, _):
        code, body = completion("1", {"1": -0.1, "2": -2.0})
        prompt = asked["messages"][-1]["content"]
        return code, body.replace(
            b'"prompt_tokens": 3', b'"prompt_tokens": %d' % (read if len(prompt) > 1000 else 3)
        )

    with serving(script) as served:
        model = ask(f"{served.url}#m").model
        prompt = "Which of the two? " + "All of this is read. " * 330

        def asking():
            return (
                model.complete([prompt])
                if hasattr(model, "complete")
                else model.score([Choices(prompt, ("1", "2"))])
            )

        if refused:
            with pytest.raises(
                ModelError,
                match=r"read 512 tokens of a prompt of about [12],\d{3}: it cuts off what is too long for it; give it a longer context",
            ):
                asking()
        else:
            assert len(asking()) == 1
