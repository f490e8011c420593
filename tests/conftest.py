"""What all tests share."""

from __future__ import annotations

import fcntl
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache, wraps
from pathlib import Path
from string import printable

import pytest

# Before numpy is imported, here and in all that tests start: threads that wait for each other burn the processor that
# the other tests need. The program itself does the same.
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(name, "1")
# In the background of a shell, or under nohup, these are ignored, here and in all that tests start: who presses Ctrl-C or
# closes a terminal in a test would wait for an answer that never comes.
for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGHUP, signal.SIG_DFL)):
    if signal.getsignal(number) is signal.SIG_IGN:
        signal.signal(number, usual)
# Some hundred processes import the package: compiled once is a third of their time.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

from hypothesis import settings  # noqa: E402

from lycosa.cli import main  # noqa: E402
from lycosa.report import design  # noqa: E402
from lycosa_lab.demo_web import demo_web  # noqa: E402

SHARED = Path(os.environ.get("LYCOSA_SHARED") or Path(__file__).parents[2] / "shared")
"""The developers' corpora: next to the checkout, or the path in LYCOSA_SHARED."""

# A busy machine must not fail a test: nothing here is measured by the clock.
settings.register_profile("lycosa", deadline=None)
settings.load_profile("lycosa")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Skip a test marked `shared(PATH)` where the developers' corpora do not have that path."""
    for mark in item.iter_markers("shared"):
        if not (SHARED / mark.args[0]).exists():
            pytest.skip(f"needs {SHARED / mark.args[0]}")


@pytest.fixture
def lycosa(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., tuple[int, str, str]]:
    """Runs a command in this process: exit code, standard output, standard error."""

    def run(*arguments: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["lycosa", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return int(ended.value.code or 0), printed.out, printed.err

    return run


MadeOnce = Callable[[str, Callable[[Path], object]], Path]
"""A folder by name, and what fills it: the fixture `made_once`."""


@pytest.fixture(scope="session")
def made_once(tmp_path_factory: pytest.TempPathFactory) -> MadeOnce:
    """Folders that all processes of this run share: whoever asks first makes one, the others wait. Read only."""
    own = tmp_path_factory.getbasetemp()
    common = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own

    def made(name: str, make: Callable[[Path], object]) -> Path:
        place, is_made = common / name, common / f"{name}.made"
        with (common / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not is_made.exists():
                shutil.rmtree(place, ignore_errors=True)  # of one that failed
                place.mkdir()
                make(place)
                is_made.touch()
        return place

    return made


@pytest.fixture(scope="session", autouse=True)
def own_cache(made_once: MadeOnce) -> Iterator[None]:
    """Parsed pages and runs go to a temporary folder, not to the user's cache; each web is parsed once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LYCOSA_CACHE", str(made_once("cache", lambda _: None)))
        yield


@pytest.fixture(scope="session", autouse=True)
def fonts_cut_once() -> Iterator[None]:
    """Reports have the same small fonts, whatever their text: cutting them takes most of the time of a report."""
    plain = design.cut_font

    @cache
    def cut(file: Path) -> bytes:
        return plain(file, printable)

    @wraps(plain)
    def cut_once(file: Path, _text: str) -> bytes:
        return cut(file)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(design, "cut_font", cut_once)
        yield


@pytest.fixture(scope="session")
def demo_folder(made_once: MadeOnce) -> Path:
    """The demo web, written as a virtual web."""
    return made_once("demo", demo_web().write)


@pytest.fixture(scope="session")
def crawled_demo(made_once: MadeOnce) -> Path:
    """A folder with `demo`, which `lycosa demo` has made, and what it said, in `said.txt`. Copy it to change it."""

    def crawl(folder: Path) -> None:
        command = [sys.executable, "-W", "ignore", "-m", "lycosa", "demo", "--out", "demo"]
        environment = {**os.environ, "NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
        done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        (folder / "said.txt").write_text(done.stdout, encoding="utf-8")

    return made_once("crawled", crawl)


@pytest.fixture(scope="session")
def docs_site(made_once: MadeOnce) -> Path:
    """The documentation as a site, built as `make site` does."""

    def build(folder: Path) -> None:
        command = [sys.executable, "-m", "research.site", str(folder)]
        done = subprocess.run(command, cwd=Path(__file__).parents[1], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr

    return made_once("site", build)
