"""The user's callback for concluded pages, and batches for judges that judge many pages at once."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from lycosa.errors import CodeError, LycosaError, fault_in
from lycosa.learn.judges.kinds import Judge
from lycosa.values import Judgement, Page

OnPage = Callable[[Page, Judgement], object]
"""Called with each concluded page, after its commit, in the process of the crawl. An error in it ends the crawl."""

BATCH = 32
"""Pages that a judge is given at once."""


def tell_of(pages: Sequence[tuple[Page, Judgement]], on_page: OnPage) -> None:
    """Call the callback for each page; a CodeError for an error in it."""
    for page, judgement in pages:
        try:
            on_page(page, judgement)
        except LycosaError:
            raise
        except Exception as error:
            name, module = getattr(on_page, "__qualname__", "on_page"), getattr(on_page, "__module__", "")
            raise CodeError(fault_in(f"The callback {name}", module, error, f"at {page.url}")) from error


class NoBatches:
    """Judges no page beforehand: the judge is asked when a page is concluded."""

    async def judge(self, page: Page) -> Judgement | None:
        """None."""
        return None


class Batches(NoBatches):
    """Gathers pages while the judge is busy with others, so that it judges them together."""

    def __init__(self, judge: Judge) -> None:
        self._judge_many = judge.judge_many
        self._waiting: list[tuple[Page, asyncio.Future[Judgement]]] = []
        self._task: asyncio.Task[None] | None = None

    async def judge(self, page: Page) -> Judgement | None:
        """The judgement of a page, when its batch is judged."""
        future: asyncio.Future[Judgement] = asyncio.get_running_loop().create_future()
        self._waiting.append((page, future))
        if self._task is None:
            self._task = asyncio.ensure_future(self._work())
        return await future

    async def _work(self) -> None:
        assert self._judge_many is not None
        while self._waiting:
            batch, self._waiting = self._waiting[:BATCH], self._waiting[BATCH:]
            try:
                found = await self._judge_many([page for page, _ in batch])
            except Exception as error:
                for _, future in batch:
                    if not future.done():
                        future.set_exception(error)
                continue
            for (_, future), judgement in zip(batch, found, strict=True):
                if not future.done():
                    future.set_result(judgement)
        self._task = None


def batches_of(judge: Judge) -> NoBatches:
    """Batches for a judge that judges many pages at once; none for others."""
    return Batches(judge) if judge.judge_many is not None else NoBatches()
