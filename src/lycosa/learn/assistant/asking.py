"""Ask an assistant about the pages whose answers teach the judge most, within a budget, and store its answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from lycosa import urls
from lycosa.collection.collection import Collection
from lycosa.collection.labels import Answer, answers_in, people_labels_in, set_answer
from lycosa.learn.assistant.client import BACKOFF_S, ChatClient, NoAnswer
from lycosa.learn.assistant.prompt import (
    LEAD_CHARS,
    MAX_TITLES,
    PageLead,
    UserRequest,
    Verdict,
    messages_about,
    request_text,
    verdict_in,
)
from lycosa.learn.questions import questions_in
from lycosa.spec.sections import AssistantSpec, Spec
from lycosa.values import Say
from lycosa.wording import counted

IN_A_ROW = 4
"""Questions in a row without an answer after which no more are asked."""


class Assistant:
    """Asks the model of a spec about the pages of a collection. Every answer is stored at once, also a refusal."""

    def __init__(self, directory: Path, spec: Spec, say: Say, *, backoff_s: float = BACKOFF_S) -> None:
        self.directory = directory
        self.settings: AssistantSpec = spec.judge.assistant
        self.say = say
        self.answers: list[Answer] = []
        """Answers of this run, with refusals."""
        self._spec = spec
        self._client = ChatClient(self.settings, backoff_s)
        self._request: UserRequest | None = None
        self._in_vain = 0
        self.has_failed = False
        """Whether it is not asked any more: it cannot be reached, or gives no answers."""
        self._unanswered: set[int] = set()  # by key; asked again in a later run
        self._left = 0

    async def __aenter__(self) -> Self:
        self._left = max(0, self.settings.questions - len(answers_in(self.directory)))
        try:
            await self._client.__aenter__()
        except NoAnswer as error:
            self._stop(str(error))
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.__aexit__()

    @property
    def left(self) -> int:
        """Questions left in the budget; 0 once the assistant has failed too often."""
        return 0 if self.has_failed else self._left

    @property
    def told(self) -> str:
        """What it answered in this run, and how many questions are left; '' if there were none."""
        if not self.answers and not self.left:
            return ""
        refused = sum(answer.relevant is None for answer in self.answers)
        answered = counted(len(self.answers) - refused, "question")
        more = f" {counted(refused, 'other response')} did not count." if refused else ""
        left = f" {counted(self.left, 'question')} left." if self.left else ""
        return f"The assistant {self.settings.model} answered {answered}.{more}{left}"

    async def ask(self, count: int) -> int:
        """Ask up to `count` questions. Return how many answers are new, refusals left out."""
        count = min(count, self.left)
        pages = await asyncio.to_thread(self._pages, count) if count else []
        answered = 0
        for key, page in pages:
            if self.left and (answer := await self._answer(key, page)) is not None:
                answered += answer.relevant is not None
        return answered

    async def _answer(self, key: int, page: PageLead) -> Answer | None:
        assert self._request is not None
        try:
            verdict = verdict_in(await self._client.ask(messages_about(page, self._request)))
        except NoAnswer as error:
            self._unanswered.add(key)
            self._count(in_vain=True, trouble=str(error))
            return None
        answer = await asyncio.to_thread(self._stored, key, page.url, verdict)
        self.answers.append(answer)
        self._left -= 1
        self._count(in_vain=verdict.relevant is None, trouble=verdict.reason)
        return answer

    def _stored(self, key: int, url: str, verdict: Verdict) -> Answer:
        """Store an answer. A person is asked about the page too while the share for people is not reached."""
        known = [answer.for_people for answer in answers_in(self.directory).values()]
        shared = sum(known) < self.settings.share_for_people * (len(known) + 1)
        answer = Answer(key, url, verdict.relevant, verdict.reason, self.settings.model, time.time(), shared)
        set_answer(self.directory, answer)
        return answer

    def _count(self, *, in_vain: bool, trouble: str) -> None:
        self._in_vain = self._in_vain + 1 if in_vain else 0
        if self._in_vain >= IN_A_ROW:
            self._stop(f"{IN_A_ROW} questions in a row had no answer. The last: {trouble}")

    def _stop(self, why: str) -> None:
        self.has_failed = True
        self.say(
            f"The assistant {self.settings.model} is not asked any more: {why}. Check [judge.assistant]."
        )

    def _pages(self, count: int) -> list[tuple[int, PageLead]]:
        """The pages to ask about, in another thread: it reads the collection."""
        asked = answers_in(self.directory).keys() | people_labels_in(self.directory).keys() | self._unanswered
        with Collection.open(self.directory) as collection:
            if self._request is None:
                self._request = UserRequest(
                    request_text(self._spec),
                    _titles(collection, self._spec.topic.examples),
                    _titles(collection, self._spec.topic.negatives),
                )
            return [
                (one.key, PageLead(one.url, one.title, collection.reader.text(one.id)[: 4 * LEAD_CHARS]))
                for one in questions_in(collection, count, without=asked)
            ]


def _titles(collection: Collection, named: Iterable[str]) -> tuple[str, ...]:
    """The titles of pages that the user named; the name where the page has none."""
    named = [*named][:MAX_TITLES]
    pages = [collection.reader.page(collection.reader.key_of(urls.parse(where) or where)) for where in named]
    return tuple(
        page.title if page and page.title else where for page, where in zip(pages, named, strict=True)
    )
