"""A client for one OpenAI-compatible chat endpoint: bounded in time and bytes, with retries."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Self

import aiohttp
import msgspec

from lycosa.errors import LycosaError
from lycosa.learn.assistant.prompt import Message, harmless
from lycosa.spec.sections import AssistantSpec

MAX_BYTES = 200_000
"""Longer responses are refused."""
MAX_TOKENS = 1000
"""Tokens of one answer. A model that reasons first needs more than the answer has."""
TRIES = 3
BACKOFF_S, MAX_BACKOFF_S = 1.0, 30.0
TOLD_CHARS = 200
_AGAIN = frozenset((408, 425, 429, 500, 502, 503, 504))
_REFUSED_REQUEST = frozenset((400, 422))
_CHAT = "/chat/completions"


class NoAnswer(LycosaError):
    """The endpoint gave no answer. The message says why."""


class _Said(msgspec.Struct):
    content: str | None = None


class _Choice(msgspec.Struct):
    message: _Said


class _Completion(msgspec.Struct):
    choices: list[_Choice]


class ChatClient:
    """Asks one endpoint, one question at a time. Redirects are not followed and responses are not decompressed."""

    def __init__(self, spec: AssistantSpec, backoff_s: float = BACKOFF_S) -> None:
        self._spec = spec
        self._backoff_s = backoff_s
        self._key = ""
        self._session: aiohttp.ClientSession | None = None
        plain: dict[str, Any] = {"temperature": 0, "max_tokens": MAX_TOKENS}
        # Optional parameters, first with all of them. An endpoint that refuses some gets fewer.
        self._options: list[dict[str, Any]] = [
            plain | {"response_format": {"type": "json_object"}},
            plain,
            {},
        ]

    async def __aenter__(self) -> Self:
        headers = {"Accept-Encoding": "identity"}
        if name := self._spec.key_env:
            self._key = os.environ.get(name, "").strip()
            if not self._key:
                raise NoAnswer(f"the environment variable {name} (judge.assistant.key_env) is not set")
            if not (self._key.isascii() and self._key.isprintable()):
                raise NoAnswer(f"the environment variable {name} has characters that no key has")
            headers["Authorization"] = f"Bearer {self._key}"
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(force_close=True),  # bytes left over never reach the next answer
            headers=headers,
            cookie_jar=aiohttp.DummyCookieJar(),
            auto_decompress=False,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._session is not None:
            await self._session.close()

    async def ask(self, messages: Sequence[Message]) -> str:
        """Return the model's answer to these messages. Raise NoAnswer after TRIES."""
        wait_s, trouble = self._backoff_s, ""
        for number in range(TRIES):
            if number:
                await asyncio.sleep(min(wait_s, MAX_BACKOFF_S))
            status, after_s, body = 0, 0.0, b""
            try:
                # The loop's own clock: it also bounds what the transport does not.
                async with asyncio.timeout(self._spec.timeout_s):
                    status, after_s, body = await self._exchange(messages)
            except TimeoutError:
                trouble = f"no answer within {self._spec.timeout_s:g} s"
            except (aiohttp.ClientError, OSError, ValueError) as error:
                trouble = f"{type(error).__name__}: {harmless(str(error), TOLD_CHARS)}"
            text = body.decode("utf-8", "replace")
            if self._key:
                text = text.replace(self._key, "(key)")  # a response that repeats it is stored and logged
            if status == 200:
                return _content(text)
            if status:
                trouble = f"status {status}: {harmless(text, TOLD_CHARS)}"
                if status not in _AGAIN:
                    break
            wait_s = max(after_s, self._backoff_s * 2**number)
        raise NoAnswer(trouble)

    async def _exchange(self, messages: Sequence[Message]) -> tuple[int, float, bytes]:
        """Return status, Retry-After in seconds and body; with fewer options where the endpoint refuses some."""
        while True:
            found = await self._post({"model": self._spec.model, "messages": [*messages], **self._options[0]})
            if found[0] not in _REFUSED_REQUEST or len(self._options) == 1:
                return found
            del self._options[0]

    async def _post(self, request: dict[str, Any]) -> tuple[int, float, bytes]:
        assert self._session is not None
        body, url = bytearray(), self._spec.endpoint + _CHAT
        async with self._session.post(
            url, json=request, allow_redirects=False, timeout=aiohttp.ClientTimeout()
        ) as response:
            async for chunk in response.content.iter_any():
                body += chunk
                if len(body) > MAX_BYTES:
                    raise ValueError(f"a response of more than {MAX_BYTES:,} bytes")
            after_s = 0.0
            with suppress(ValueError):
                after_s = max(0.0, float(response.headers.get("Retry-After", "")))
            return response.status, after_s, bytes(body)


def _content(body: str) -> str:
    """Return the text of a completion."""
    try:
        completion = msgspec.json.decode(body, type=_Completion)
    except (msgspec.MsgspecError, RecursionError, UnicodeError) as error:
        raise NoAnswer(
            f"a response that is no chat completion ({harmless(str(error), TOLD_CHARS)})"
        ) from None
    return (completion.choices[0].message.content or "") if completion.choices else ""
