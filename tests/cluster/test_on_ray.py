"""Shards as Ray actors: the command, what it says without Ray, and processes that are killed in the middle of a crawl."""

from __future__ import annotations

import asyncio
import gc
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from ipaddress import IPv6Address, ip_address
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import msgspec
import pytest

from lycosa.cluster import on_ray
from lycosa.cluster.division import shard_directory
from lycosa.cluster.driver import ANSWER_S as DRIVER_ANSWER_S
from lycosa.cluster.driver import Begin, Driver
from lycosa.cluster.on_ray import CONNECT_S, ShardActor, State, ray_library, refuse_silent, start_ray
from lycosa.cluster.run import BEGIN_S, SILENT_S, Watched, _private_folder
from lycosa.engine.watch.control import ask
from lycosa.errors import InputError, LycosaError, StoppedEarly
from lycosa.processes import YOUNG
from lycosa.testing import Site
from tests.cluster.shards import contents, of_shards
from tests.cluster.test_shards import DELAY_S, assert_polite, requests, text_for
from tests.collection.archives import records_of
from tests.crawling import ROOT, crawl, small_web

HOSTS, PAGES = 12, 20
LISTENING = "0A"
WAIT_S = 300.0


def test_without_ray_the_error_ends_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r"pip install 'lycosa\[cluster\]'$"):
        ray_library()


def test_what_a_shard_has_loaded_is_not_looked_through_for_garbage(monkeypatch):
    """Ray's processes come with Python's own setting, and with all that Ray has loaded."""
    for name in ("load_plan", "shard_of", "RayExchange", "_Loop"):
        monkeypatch.setattr(on_ray, name, Mock())
    before = gc.get_threshold()
    try:
        ShardActor("plan", 0, "crawl")
        assert gc.get_threshold()[0] == YOUNG
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()
        gc.set_threshold(*before)


def test_an_address_that_nobody_listens_on_is_said_at_once():
    """Ray itself waits for two minutes, and then ends the program."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    with pytest.raises(InputError, match=rf"127.0.0.1:{port} \(Connection refused\).*ray status --address"):
        refuse_silent(f"127.0.0.1:{port}")
    for address in ("auto", "ray://127.0.0.1:1", "local"):
        refuse_silent(address)  # Ray reads them


class ConnectingRay:
    """As much of Ray as connecting needs; it notes how the token is to be used."""

    class exceptions:
        class RayError(Exception):
            pass

    def __init__(self) -> None:
        self.mode: str | None = None

    def init(self, **_: object) -> None:
        self.mode = os.environ.get("RAY_AUTH_MODE")
        raise self.exceptions.RayError("the token is wrong\nlonger")


@pytest.mark.parametrize(
    ("token", "mode", "used"), [(True, None, "token"), (False, None, None), (True, "disabled", "disabled")]
)
def test_a_cluster_is_shown_the_token_of_its_user(monkeypatch, tmp_path, token, mode, used):
    ray = ConnectingRay()
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(tmp_path / "token"))
    monkeypatch.delenv("RAY_AUTH_TOKEN", raising=False)
    monkeypatch.setenv("RAY_AUTH_MODE", mode or "")
    if mode is None:
        monkeypatch.delenv("RAY_AUTH_MODE")
    if token:
        (tmp_path / "token").write_text("secret")
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        pytest.raises(InputError, match=r"127.0.0.1:\d+ \(the token is wrong\).* ray status --address"),
    ):
        start_ray(2, f"127.0.0.1:{server.getsockname()[1]}", tmp_path)
    assert ray.mode == used


def test_a_ray_that_listens_on_the_network_is_ended(monkeypatch, tmp_path):
    """It was imported before it could be told to keep to this machine."""
    ray = Mock()
    ray.util.get_node_ip_address.return_value = "192.0.2.7"
    monkeypatch.setitem(sys.modules, "ray", ray)
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.delenv("RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER", raising=False)
    with pytest.raises(InputError, match=r"listens on 192.0.2.7.*before Ray is imported\.$"):
        start_ray(2, "", tmp_path)
    ray.shutdown.assert_called_once()
    assert os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] == "0"


class DyingRay:
    """As much of Ray as asking the coordinator needs: each answer is one of those given, or an error."""

    class exceptions:
        class RayError(Exception):
            pass

        class ActorDiedError(RayError):
            pass

    def __init__(self, answers: list[State | Exception]) -> None:
        self.state = self
        self._answers = answers

    def nodes(self) -> list[dict[str, bool]]:
        return [{"Alive": True}]

    def remote(self) -> DyingRay:
        return self

    def get(self, _: object, timeout: float) -> bytes:
        assert timeout < SILENT_S
        answer = self._answers.pop(0)
        if isinstance(answer, BaseException):
            raise answer
        return msgspec.msgpack.encode(answer)


class InThisProcess:
    """The process that speaks with Ray, in this one."""

    def __init__(self, ray: Any) -> None:
        self._driver = Driver()
        self._driver.use(ray, ray, [])

    async def ask(self, message: bytes) -> bytes:
        return self._driver.answer(message)


def watched(answers: list[State | Exception]) -> State:
    child = InThisProcess(DyingRay(answers))
    return asyncio.run(Watched(child, None, "", 30.0).until_over())  # type: ignore[arg-type]


def test_a_coordinator_is_waited_for_until_ray_gives_it_up(monkeypatch):
    """It is started again whenever it died; where Ray says that it is dead, and goes on saying so, nobody waits for ever."""
    monkeypatch.setattr("lycosa.cluster.run.ASK_S", 0.0)
    over = State(1, 1, 1, 1.0, None, 0.0, "pages", is_over=True, is_paused=False, reports=())
    dead, lost = DyingRay.exceptions.ActorDiedError("dead"), DyingRay.exceptions.RayError("away")
    assert watched([dead, lost, TimeoutError(), dead, over]) == over
    monkeypatch.setattr("lycosa.cluster.run.DEAD_S", 0.0)
    with pytest.raises(LycosaError, match=r"without one.*run it again: it goes on\.$"):
        watched([lost, dead])


@pytest.mark.parametrize(
    ("fails", "reason"),
    [(SystemExit(15), "SystemExit: 15"), (RuntimeError("gcs\nlonger"), r"RuntimeError: gcs\)")],
)
def test_ray_that_fails_is_one_sentence(monkeypatch, fails, reason):
    """No traceback, and the same command goes on."""
    monkeypatch.setattr("lycosa.cluster.run.ASK_S", 0.0)
    with pytest.raises(StoppedEarly, match=rf"Ray is lost \({reason}.* Run the same command: it goes on\.$"):
        watched([fails])


class Silent:
    """A process that never answers, or has ended."""

    def __init__(self, *, has_ended: bool) -> None:
        self._has_ended = has_ended

    async def ask(self, _: bytes) -> bytes:
        if self._has_ended:
            raise asyncio.IncompleteReadError(b"", 4)
        await asyncio.Event().wait()
        raise AssertionError


@pytest.mark.parametrize(
    ("has_ended", "reason"), [(True, "its process has ended"), (False, "no answer for 0 s")]
)
def test_a_process_that_hangs_or_ends_is_said(monkeypatch, has_ended, reason):
    monkeypatch.setattr("lycosa.cluster.run.ASK_S", 0.0)
    monkeypatch.setattr("lycosa.cluster.run.SILENT_S", 0.01)
    monkeypatch.setattr("lycosa.cluster.run.BEGIN_S", 0.01)
    for address, said in (
        ("", "Run the same command"),
        ("h:1", "ray status --address h:1; then run the same"),
    ):
        crawl = Watched(Silent(has_ended=has_ended), None, address, 30.0)  # type: ignore[arg-type]
        assert crawl.is_silent
        with pytest.raises(StoppedEarly, match=rf"\({reason}\).*{said}"):
            asyncio.run(crawl.until_over())
    with pytest.raises(InputError, match=rf"No Ray cluster answers at h:1 \({reason}\)"):
        asyncio.run(crawl.begin(Begin("plan", "crawl", "h:1", "folder")))


def test_all_fits_into_fifteen_seconds():
    """An address that nobody listens on, one that never answers, and a cluster that is lost."""
    assert CONNECT_S < 15
    assert 2 * DRIVER_ANSWER_S < SILENT_S <= 13
    assert BEGIN_S <= 13


def test_a_token_is_private(tmp_path, monkeypatch):
    """The one of a Ray that is started here, and the one that Ray's own command has left for everybody to read."""
    path = on_ray._new_token(tmp_path)
    assert (path.stat().st_mode & 0o777, len(path.read_text())) == (0o600, 64)
    with pytest.raises(FileExistsError):
        on_ray._new_token(tmp_path)
    path.chmod(0o644)
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", str(path))
    monkeypatch.setenv("RAY_AUTH_MODE", "disabled")
    on_ray.use_token()
    assert path.stat().st_mode & 0o777 == 0o600


def test_the_folder_of_ray_is_private_and_gone_afterwards(monkeypatch, tmp_path):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / ("long" * 10)))  # too long for Ray's sockets
    with _private_folder() as folder:
        assert folder.stat().st_mode & 0o777 == 0o700
        assert len(str(folder)) < 40
        (folder / "file").touch()
    assert not folder.exists()


@pytest.fixture
def ray_is_there() -> None:
    pytest.importorskip("ray", reason="shards on Ray need: pip install 'lycosa[cluster]'")


def command(spec: Path, shards: int) -> list[str]:
    return [sys.executable, "-m", "lycosa", "crawl", str(spec), "--shards", str(shards), "--json"]


def processes(mark: str, kind: str) -> Iterator[int]:
    """Processes of the Ray that was started with this mark in its environment, of this kind of actor."""
    for path in Path("/proc").glob("[0-9]*"):
        try:
            if kind in (path / "cmdline").read_text() and mark in (path / "environ").read_text():
                yield int(path.name)
        except OSError:
            continue


def listened_on(mark: str) -> list[str]:
    """The addresses on which processes listen that were started with this mark in their environment."""
    addresses = []
    for number in processes(mark, ""):
        tables = [Path(f"/proc/{number}/net/{name}").read_text().splitlines()[1:] for name in ("tcp", "tcp6")]
        of_socket = {
            row[9]: _address(row[1].split(":")[0])
            for row in (line.split() for table in tables for line in table)
            if row[3] == LISTENING
        }
        for opened in Path(f"/proc/{number}/fd").iterdir():
            with suppress(OSError):  # closed meanwhile
                found = re.fullmatch(r"socket:\[(\d+)\]", str(opened.readlink()))
                if found and found[1] in of_socket:
                    addresses.append(of_socket[found[1]])
    return addresses


def _address(written: str) -> str:
    """An address as the kernel writes it: words of four bytes, each in the machine's own order."""
    words = [bytes.fromhex(written[at : at + 8])[::-1] for at in range(0, len(written), 8)]
    found = ip_address(b"".join(words))
    return str(found.ipv4_mapped or found if isinstance(found, IPv6Address) else found)


def until(is_so: Any, what: str) -> Any:
    """Wait for a state."""
    end = time.monotonic() + WAIT_S
    while not (found := is_so()):
        assert time.monotonic() < end, f"{what}: not within {WAIT_S} s"
        time.sleep(0.1)
    return found


def pages(out: Path) -> int:
    answer = ask(out, "status")
    return int(answer["pages"]) if answer and answer.get("ok") else 0


@pytest.mark.usefixtures("ray_is_there")
def test_shards_and_coordinator_are_killed(tmp_path: Path) -> None:
    """They come back by themselves; nothing is lost or there twice, no host is hurried, every record can be read.

    And nobody else on the network can talk to them meanwhile."""
    with Site(small_web(HOSTS, PAGES)) as site:
        spec = tmp_path / "crawl.toml"
        slowly = text_for(site).replace(f"per_host_delay_s = {DELAY_S}", "per_host_delay_s = 0.3")
        spec.write_text(slowly, encoding="utf-8")  # it has not ended when it is killed
        crawl(text_for(site), tmp_path / "one")
        site.log.clear()
        mark, out = f"LYCOSA_TEST={os.getpid()}", tmp_path / "web"
        environment = os.environ | dict([mark.split("=")])
        with subprocess.Popen(command(spec, 2), cwd=ROOT, env=environment, stdout=subprocess.PIPE) as process:
            try:
                until(lambda: pages(out) > 20 or process.poll() is not None, "the first pages")
                addresses = listened_on(mark)
                assert len(addresses) >= 5  # of Ray's own processes, the shards and the coordinator
                assert set(addresses) == {"127.0.0.1"}
                os.kill(int((shard_directory(out, 1) / "lock").read_text()), signal.SIGKILL)
                status = [sys.executable, "-m", "lycosa", "status", str(out)]
                told = subprocess.run(status, cwd=ROOT, capture_output=True, text=True, check=True).stdout
                assert told.startswith("running")
                for number in processes(mark, "CoordinatorActor"):
                    os.kill(number, signal.SIGKILL)
                said, _ = process.communicate(timeout=2 * WAIT_S)
            finally:
                process.kill()
        assert process.returncode == 0
        assert b'"nothing is left to fetch"' in said
        assert_polite(site)
        asked_again = [url for url, count in requests(site).items() if count > 1]
        assert len(asked_again) <= 32  # those that were under way when the shard was killed
    for directory in of_shards(out, 2):
        records_of(directory / "archive")  # checks every digest
    assert contents(of_shards(out, 2)) == contents([tmp_path / "one"])
