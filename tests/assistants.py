"""A fake OpenAI-compatible endpoint on 127.0.0.1, in a background thread."""

from __future__ import annotations

import asyncio
import json
import re
import threading
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any

from lycosa.spec.sections import AssistantSpec

Writer = asyncio.StreamWriter
Asked = Mapping[str, Any]
Answer = Callable[[Asked], "bytes | Awaitable[bytes] | Callable[[Writer], Awaitable[None]]"]


def response(status: int, body: bytes | str, *headers: str) -> bytes:
    """A whole response."""
    body = body.encode() if isinstance(body, str) else body
    head = [
        f"HTTP/1.1 {status} X",
        f"Content-Length: {len(body)}",
        "Content-Type: application/json",
        *headers,
    ]
    return "\r\n".join([*head, "", ""]).encode() + body


def completion(content: str | None) -> bytes:
    """The response with this text as the model's."""
    return response(200, json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}))


def verdict(relevant: bool | None, reason: str = "because") -> bytes:
    """A response in the right format."""
    return completion(json.dumps({"relevant": relevant, "reason": reason}))


def shown(asked: Asked, name: str) -> str:
    """A field of the page in a request: URL, Title or Text."""
    found = re.search(rf"^{name}: (.*)$", asked["messages"][1]["content"], re.MULTILINE)
    return found[1] if found else ""


class FakeEndpoint:
    """Answers each request as `answer` says; `asked` and `headers` are what it was sent."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.headers: list[str] = []
        self.port = 0
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    def __enter__(self) -> FakeEndpoint:
        self._thread.start()
        self._server = asyncio.run_coroutine_threadsafe(
            asyncio.start_server(self._serve, "127.0.0.1", 0), self._loop
        ).result()
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        async def end() -> None:
            self._server.close()
            tasks = asyncio.all_tasks() - {asyncio.current_task()}
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

        asyncio.run_coroutine_threadsafe(end(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    def spec(self, **more: Any) -> AssistantSpec:
        """The section that names it."""
        return AssistantSpec(**{"endpoint": self.url, "model": "fake", "timeout_s": 5.0, **more})

    async def _serve(self, reader: asyncio.StreamReader, writer: Writer) -> None:
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                head = (await reader.readuntil(b"\r\n\r\n")).decode()
                length = re.search(r"(?i)^content-length: *(\d+)", head, re.MULTILINE)
                body = await reader.readexactly(int(length[1])) if length else b"{}"
                self.headers.append(head)
                self.asked.append(json.loads(body))
                reply = self.answer(self.asked[-1])
                if callable(reply):
                    await reply(writer)
                else:
                    writer.write(reply if isinstance(reply, bytes) else await reply)
                    await writer.drain()
        finally:
            writer.close()
