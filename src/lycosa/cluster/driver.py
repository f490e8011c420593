"""The process that speaks with Ray for `lycosa crawl --shards`.

Ray ends a program that has lost it, ignores its signals and keeps it waiting for minutes. So it has a process of its own,
which answers one message at a time and is killed when it does not.
"""

from __future__ import annotations

import os
import socket
from pathlib import Path
from typing import Any

import msgspec

from lycosa.cluster.on_ray import State, start_actors, start_ray
from lycosa.cluster.plan import load_plan
from lycosa.errors import LycosaError
from lycosa.processes import answer_all, live_with_parent

ANSWER_S = 4.0
"""Timeout of one call of the coordinator. A message makes at most two, within `run.SILENT_S`."""


class Begin(msgspec.Struct, frozen=True, tag=True):
    """Start Ray, or connect to it, and start the actors of a crawl. `folder` is private to this user."""

    plan: str
    crawl: str
    address: str
    folder: str


class Asked(msgspec.Struct, frozen=True, tag=True):
    """Give the coordinator an order ('' for none) and ask for its state."""

    order: str = ""


class Told(msgspec.Struct, frozen=True):
    """What is known of the crawl: its state, or why there is none. `is_dead`: Ray has given the coordinator up."""

    state: State | None = None
    is_obeyed: bool = False
    is_dead: bool = False
    is_lost: bool = False
    error: str = ""
    exit_code: int = 1


_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder(Begin | Asked).decode


class Driver:
    """Ray, the coordinator and the shards of one crawl."""

    def __init__(self) -> None:
        self._ray: Any = None
        self._coordinator: Any = None
        self._actors: list[Any] = []  # an actor that nobody refers to is ended

    def answer(self, message: bytes) -> bytes:
        """Answer a Begin or an Asked with a Told."""
        asked = _decode(message)
        try:
            told = self._begin(asked) if isinstance(asked, Begin) else self.ask(asked.order)
        except LycosaError as error:
            told = Told(error=str(error), exit_code=error.exit_code)
        except (Exception, SystemExit) as error:  # Ray says SystemExit where it gives up
            told = Told(is_lost=True, error=f"{type(error).__name__}: {error}")
        return _encode(told)

    def _begin(self, begin: Begin) -> Told:
        plan = load_plan(Path(begin.plan))
        ray = start_ray(plan.shards, begin.address, Path(begin.folder))
        self.use(ray, *start_actors(plan.shards, begin.plan, begin.crawl))
        return Told()

    def use(self, ray: Any, coordinator: Any, actors: list[Any]) -> None:
        """Speak with this coordinator."""
        self._ray, self._coordinator, self._actors = ray, coordinator, actors

    def end(self) -> None:
        """End the shards, and a Ray that was started here."""
        if self._ray is not None:
            self._ray.shutdown()

    def ask(self, order: str) -> Told:
        """Ask the coordinator. One that does not answer may have been started again, and is asked again."""
        ray = self._ray
        if not any(node["Alive"] for node in ray.nodes()):  # a call of Ray's own centre: it hangs with it
            return Told(is_lost=True, error="no machine of the cluster is left")
        is_obeyed = False
        try:
            if order:
                ray.get(self._coordinator.order.remote(order), timeout=ANSWER_S)
                is_obeyed = True
            answer = ray.get(self._coordinator.state.remote(), timeout=ANSWER_S)
        except ray.exceptions.ActorDiedError:
            return Told(is_obeyed=is_obeyed, is_dead=True)
        except (ray.exceptions.RayError, TimeoutError):
            return Told(is_obeyed=is_obeyed)
        return Told(msgspec.msgpack.decode(answer, type=State), is_obeyed=is_obeyed)


def work(stream: socket.socket) -> None:
    """Speak with Ray until the crawl closes the stream. Ray's own words go nowhere: it prints tracebacks."""
    live_with_parent()
    if "LYCOSA_DEBUG" not in os.environ:
        nowhere = os.open(os.devnull, os.O_RDWR)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
    driver = Driver()
    with stream, stream.makefile("rwb") as file:
        answer_all(file, driver.answer)
        driver.end()
    os._exit(0)
