"""Run shards and the coordinator as Ray actors, which keep no state of their own.

Ray restarts an actor that dies, on any machine that is left; it resumes from the shard's folder. Only this module imports
Ray, when it is needed.
"""

from __future__ import annotations

import asyncio
import gc
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable, Coroutine
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from lycosa.cluster.coordination.coordinator import Coordinator
from lycosa.cluster.coordination.exchange import coordinate
from lycosa.cluster.coordination.messages import Orders, Report, Unreachable
from lycosa.cluster.plan import load_plan
from lycosa.cluster.running import run_shard, shard_of
from lycosa.collection.shards.mail import Parcel
from lycosa.engine.rules.limits import Limits
from lycosa.errors import InputError
from lycosa.processes import YOUNG

T = TypeVar("T")
NAMESPACE = "lycosa"
LOOPBACK = "127.0.0.1"
OBJECT_STORE_BYTES = 150_000_000
"""Object store of a Ray that this program starts: messages are small, and none is kept."""
CONNECT_S = 5.0
"""Timeout of a TCP connection to a cluster."""
ANSWER_S = 30.0
"""A message that is not answered within this time counts as lost."""
CONSULT_S = 5.0
"""The same for what the coordinator asks: while one shard does not answer, the others wait for orders."""

_encode = msgspec.msgpack.Encoder().encode


class State(msgspec.Struct, frozen=True):
    """The coordinator's state of the whole crawl."""

    pages: int
    relevant: int
    bytes: int
    seconds: float
    limit: int | None
    price: float
    ended: str
    is_over: bool
    is_paused: bool
    reports: tuple[Report, ...]


def ray_library(*, is_started_here: bool = False) -> Any:
    """Ray, which is an extra of this package. One that is going to be started here is bound to this machine."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    if is_started_here:
        # Read when Ray is imported. Without it Ray takes 127.0.0.1 for this machine's address in the network, and listens on all.
        os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
    os.environ.setdefault(
        "RAY_worker_niceness", "0"
    )  # Ray's default lets any other program go before a crawl
    require_ray()
    import ray

    return ray


def require_ray() -> None:
    """Raise InputError if Ray is not installed, without loading it."""
    if sys.modules.get("ray", "") is None or ("ray" not in sys.modules and find_spec("ray") is None):
        raise InputError(
            "A crawl of several shards needs Ray, which is not installed. Install it with: pip install 'lycosa[cluster]'"
        )


def start_ray(shards: int, address: str, folder: Path) -> Any:
    """Connect to a Ray cluster; without an address, start one on this machine that only this user reaches.

    Its files and its token are in `folder`.
    """
    if address:
        return _connect(address)
    os.environ |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN_PATH": str(_new_token(folder))}
    os.environ.pop("RAY_AUTH_TOKEN", None)
    ray = ray_library(is_started_here=True)
    ray.init(
        address="local",
        namespace=NAMESPACE,
        num_cpus=shards + 1,
        object_store_memory=OBJECT_STORE_BYTES,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
        _node_ip_address=LOOPBACK,
        _temp_dir=str(folder / "r"),  # which Ray opens to everybody; `folder` it leaves closed
    )
    if (address := ray.util.get_node_ip_address()) != LOOPBACK:
        ray.shutdown()
        raise InputError(
            f"Ray was loaded before and listens on {address}, which others may reach. Begin the crawl in a process of its own "
            "(lycosa crawl --shards), or set RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER=0 before Ray is imported."
        )
    return ray


def _new_token(folder: Path) -> Path:
    """Write a token that only this user can read: without one, every user of this machine could run code in this Ray."""
    path = folder / "token"
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        file.write(secrets.token_hex(32))
    return path


def _connect(address: str) -> Any:
    """Ray, connected to a cluster that runs already."""
    refuse_silent(address)
    use_token()
    ray = ray_library()
    try:
        ray.init(address=address, namespace=NAMESPACE, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, ValueError, RuntimeError, ray.exceptions.RayError) as error:
        raise no_cluster(address, str(error).splitlines()[0]) from None
    return ray


def refuse_silent(address: str) -> None:
    """Raise InputError if nobody listens at HOST:PORT: Ray would wait for two minutes, and end the program."""
    host, colon, port = address.rpartition(":")
    if not colon or "/" in host or not port.isdecimal():
        return  # auto, or an address that Ray reads
    try:
        socket.create_connection((host.strip("[]"), int(port)), CONNECT_S).close()
    except (OSError, OverflowError, UnicodeError) as error:
        raise no_cluster(address, getattr(error, "strerror", None) or str(error)) from None


def no_cluster(address: str, reason: str) -> InputError:
    """The error that no cluster is there."""
    return InputError(
        f"No Ray cluster answers at {address} ({reason}). See that it runs with: ray status --address {address}"
    )


def use_token() -> None:
    """Authenticate to Ray with this user's token, if there is one, unless the environment says otherwise.

    `ray get-auth-token --generate` leaves it readable for everybody on the machine; here it becomes the user's own.
    """
    path = _token_path()
    with suppress(OSError):
        if path.is_file() and path.stat().st_mode & 0o077:
            path.chmod(0o600)
    if "RAY_AUTH_MODE" not in os.environ and _has_token():
        # `ray start` asks for the token where there is one, but a program that connects shows it only if told to.
        os.environ["RAY_AUTH_MODE"] = "token"


def _token_path() -> Path:
    return Path(os.environ.get("RAY_AUTH_TOKEN_PATH") or Path.home() / ".ray" / "auth_token")


def _has_token() -> bool:
    """Whether this user has a token for Ray clusters."""
    return "RAY_AUTH_TOKEN" in os.environ or _token_path().is_file()


def start_actors(shards: int, path: str, crawl: str) -> tuple[Any, list[Any]]:
    """Start the shards of the plan in a file, and their coordinator; `crawl` names them among others of the cluster.

    Return the coordinator and the shards. What is in Ray's memory may be gone when an actor is started again.
    """
    ray = ray_library()
    again = {"max_restarts": -1, "max_task_retries": 0}
    actors = []
    for number in range(shards):
        options = {"name": _name(crawl, number), "num_cpus": 1, "scheduling_strategy": "SPREAD", **again}
        actors.append(ray.remote(ShardActor).options(**options).remote(path, number, crawl))
    coordinator = ray.remote(CoordinatorActor).options(name=_name(crawl, -1), num_cpus=0, **again)
    return coordinator.remote(path, crawl), actors


def _name(crawl: str, shard: int) -> str:
    return f"{crawl} shard {shard}" if shard >= 0 else f"{crawl} coordinator"


async def answer_of(reference: Any, timeout_s: float) -> Any:
    """The answer of an actor's call; TimeoutError if it takes longer."""
    # Not wait_for: that of Python 3.11 loses a cancel that comes together with the answer.
    async with asyncio.timeout(timeout_s):
        return await asyncio.wrap_future(reference.future())


class RayExchange:
    """Messages as calls of actors, found by name: one that was started again has the same."""

    def __init__(self, crawl: str) -> None:
        self._crawl = crawl
        self._actors: dict[int, Any] = {}
        self._ray = ray_library()

    async def deliver(self, parcel: Parcel) -> int:
        actor = self._actor(parcel.receiver)
        return int(await self._answer(actor.take_in.remote(_encode(parcel)), ANSWER_S, parcel.receiver))

    async def consult(self, shard: int, orders: Orders) -> Report:
        answer = await self._answer(self._actor(shard).consult.remote(_encode(orders)), CONSULT_S, shard)
        return msgspec.msgpack.decode(answer, type=Report)

    def _actor(self, shard: int) -> Any:
        if shard not in self._actors:
            try:
                self._actors[shard] = self._ray.get_actor(_name(self._crawl, shard), NAMESPACE)
            except ValueError:
                raise Unreachable(f"shard {shard} has not begun") from None
        return self._actors[shard]

    async def _answer(self, reference: Any, timeout_s: float, shard: int) -> Any:
        try:
            return await answer_of(reference, timeout_s)
        except (self._ray.exceptions.RayError, Unreachable, TimeoutError) as error:
            self._actors.pop(shard, None)
            raise Unreachable(str(error)) from None


class _Loop:
    """An event loop in a thread of its own: an engine that is busy must not keep Ray waiting."""

    def __init__(self, main: Callable[[], Coroutine[Any, Any, None]]) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._main = main
        threading.Thread(target=self._run, name="lycosa", daemon=True).start()

    def _run(self) -> None:
        import uvloop

        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            self._loop = runner.get_loop()
            runner.run(self._stay())

    async def _stay(self) -> None:
        """A shard that has ended still answers, until it is ended itself."""
        await self._main()
        await asyncio.Event().wait()

    async def do(self, work: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Do something in that loop, and wait for it in this one."""
        if self._loop is None:
            raise Unreachable("it has not begun")
        return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work(), self._loop))


class ShardActor:
    """One shard. It begins when it is made, wherever that is, with what its folder holds."""

    def __init__(self, plan: str, number: int, crawl: str) -> None:
        gc.set_threshold(YOUNG)
        gc.freeze()  # nothing of what Ray and we have loaded becomes garbage
        self._plan = load_plan(Path(plan))
        self._shard = shard_of(self._plan, number, RayExchange(crawl).deliver)
        self._loop = _Loop(self._run)

    async def take_in(self, parcel: bytes) -> int:
        """As `Shard.take_in`."""
        decoded = msgspec.msgpack.decode(parcel, type=Parcel)
        return await self._loop.do(lambda: self._shard.take_in(decoded))

    async def consult(self, orders: bytes) -> bytes:
        """As `Shard.consult`."""
        decoded = msgspec.msgpack.decode(orders, type=Orders)

        async def answer() -> bytes:
            report = _encode(self._shard.consult(decoded))
            self._shard.bytes_sent += len(report)
            return report

        return await self._loop.do(answer)

    async def _run(self) -> None:
        await run_shard(self._plan, self._shard)


class CoordinatorActor:
    """The coordinator. What it has to know the shards tell it, so it may be started again at any time."""

    def __init__(self, plan: str, crawl: str) -> None:
        self._plan = load_plan(Path(plan))
        spec = self._plan.spec()
        limits = Limits.of(spec.limits, spec.fetch)
        self._coordinator = Coordinator(self._plan.shards, limits, term=time.time())
        self._exchange = RayExchange(crawl)
        self._loop = _Loop(self._run)

    async def state(self) -> bytes:
        """The state of the crawl, as a State."""

        async def answer() -> bytes:
            return _encode(state_of(self._coordinator))

        return await self._loop.do(answer)

    async def order(self, do: str) -> None:
        """pause, resume or stop."""

        async def obey() -> None:
            if do == "stop":
                self._coordinator.end("interrupted")
            else:
                self._coordinator.is_paused = do == "pause"

        await self._loop.do(obey)

    async def _run(self) -> None:
        await coordinate(self._coordinator, self._exchange)


def state_of(coordinator: Coordinator) -> State:
    """The knowledge of a coordinator."""
    usage = coordinator.usage
    return State(
        pages=usage.pages,
        relevant=usage.relevant,
        bytes=usage.bytes,
        seconds=usage.seconds,
        limit=coordinator.limits.pages,
        price=coordinator.price,
        ended=coordinator.ended,
        is_over=coordinator.is_over,
        is_paused=bool(coordinator.is_paused),
        reports=tuple(report for _, report in sorted(coordinator.reports.items())),
    )
