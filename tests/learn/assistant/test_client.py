"""The client of a chat endpoint: bounded in time and bytes, whatever the endpoint does."""

from __future__ import annotations

import asyncio
import gzip
import json
import time

import pytest

from lycosa.learn.assistant.client import MAX_BYTES, TRIES, ChatClient, NoAnswer
from lycosa.spec.sections import AssistantSpec
from tests.assistants import Asked, FakeEndpoint, Writer, completion, response

HELLO = [{"role": "user", "content": "hello"}]


def ask(spec: AssistantSpec) -> str:
    async def asked() -> str:
        async with ChatClient(spec, backoff_s=0.01) as client:
            return await client.ask(HELLO)

    return asyncio.run(asked())


def trouble(spec: AssistantSpec) -> str:
    with pytest.raises(NoAnswer) as caught:
        ask(spec)
    return str(caught.value)


def test_one_answer():
    with FakeEndpoint(lambda _: completion("yes")) as endpoint:
        assert ask(endpoint.spec()) == "yes"
        assert endpoint.asked == [
            {
                "model": "fake",
                "messages": HELLO,
                "temperature": 0,
                "max_tokens": 1000,
                "response_format": {"type": "json_object"},
            }
        ]
        assert endpoint.headers[0].startswith("POST /v1/chat/completions ")


def test_an_endpoint_that_knows_fewer_options_gets_fewer():
    def plain(asked: Asked) -> bytes:
        return response(400, "unknown") if asked.keys() - {"model", "messages"} else completion("yes")

    with FakeEndpoint(plain) as endpoint:
        assert ask(endpoint.spec()) == "yes"
        assert len(endpoint.asked) == 3


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_passing_fault_is_tried_again(status):
    replies = [response(status, "wait"), response(status, "wait"), completion("yes")]
    with FakeEndpoint(lambda _: replies.pop(0)) as endpoint:
        assert ask(endpoint.spec()) == "yes"


def test_retry_after_is_obeyed():
    replies = [response(429, "wait", "Retry-After: 0.4"), completion("yes")]
    with FakeEndpoint(lambda _: replies.pop(0)) as endpoint:
        begun = time.monotonic()
        assert ask(endpoint.spec()) == "yes"
        assert time.monotonic() - begun >= 0.4


@pytest.mark.parametrize(("status", "tries"), [(500, TRIES), (401, 1), (404, 1)])
def test_a_lasting_fault_is_said(status, tries):
    with FakeEndpoint(lambda _: response(status, "no\x1b such <model>")) as endpoint:
        assert trouble(endpoint.spec()) == f"status {status}: no such ‹model›"
        assert len(endpoint.asked) == tries


def test_a_redirect_is_not_followed():
    with FakeEndpoint(lambda _: completion("stolen")) as other:
        there = f"Location: {other.url}/chat/completions"
        with FakeEndpoint(lambda _: response(307, "", there)) as endpoint:
            assert "status 307" in trouble(endpoint.spec())
        assert not other.asked


def test_nobody_listens():
    with FakeEndpoint(lambda _: b"") as endpoint:
        spec = endpoint.spec()
    assert "ClientConnector" in trouble(spec)


async def _silent(_: Writer) -> None:
    await asyncio.sleep(60)


async def _dripping(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n")
    while True:
        writer.write(b" ")
        await writer.drain()
        await asyncio.sleep(0.05)


async def _endless(writer: Writer) -> None:
    writer.write(b"HTTP/1.1 200 OK\r\n\r\n")
    while True:
        writer.write(b" " * 65_536)
        await writer.drain()


@pytest.mark.parametrize("slow", [_silent, _dripping])
def test_a_slow_answer_ends_with_the_timeout(slow):
    with FakeEndpoint(lambda _: slow) as endpoint:
        begun = time.monotonic()
        assert trouble(endpoint.spec(timeout_s=0.2)) == "no answer within 0.2 s"
        assert time.monotonic() - begun < 3


def test_an_endless_answer_is_cut_off():
    with FakeEndpoint(lambda _: _endless) as endpoint:
        assert f"more than {MAX_BYTES:,} bytes" in trouble(endpoint.spec())


@pytest.mark.parametrize(
    "reply",
    [
        response(200, gzip.compress(b" " * 10_000_000), "Content-Encoding: gzip"),  # is not unpacked
        response(200, "[" * 100_000),
        response(200, '{"choices": "all"}'),
        response(200, b"\xff\xfe\x00"),
        b"HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nshort",
        b"\x00\x01 nonsense\r\n\r\n",
        b"",
    ],
)
def test_what_is_no_completion_is_no_answer(reply):
    with FakeEndpoint(lambda _: reply) as endpoint:
        assert trouble(endpoint.spec())


@pytest.mark.parametrize("reply", [response(200, '{"choices": []}'), completion(None)])
def test_an_empty_completion_is_an_empty_answer(reply):
    with FakeEndpoint(lambda _: reply) as endpoint:
        assert ask(endpoint.spec()) == ""


def test_the_key_is_sent_and_never_repeated(monkeypatch):
    """Not even by an endpoint that writes it into its answers."""
    monkeypatch.setenv("OWL_KEY", "sk-secret")
    replies = [response(403, "wrong key sk-secret"), completion("your key is sk-secret")]
    with FakeEndpoint(lambda _: replies.pop(0)) as endpoint:
        spec = endpoint.spec(key_env="OWL_KEY")
        assert "sk-secret" not in trouble(spec)
        assert ask(spec) == "your key is (key)"
        assert all("Authorization: Bearer sk-secret\r\n" in head for head in endpoint.headers)
        assert "sk-secret" not in json.dumps(endpoint.asked)


@pytest.mark.parametrize("key", ["", "two\r\nHeaders: 1"])
def test_a_key_that_is_missing_or_broken_is_not_sent(monkeypatch, key):
    monkeypatch.setenv("OWL_KEY", key)
    with FakeEndpoint(lambda _: completion("yes")) as endpoint:
        assert "OWL_KEY" in trouble(endpoint.spec(key_env="OWL_KEY"))
        assert not endpoint.asked
