"""How commands end: exit codes as docs/commands.md lists them, Ctrl-C, missing extras, places to write to."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from lycosa import cli, errors
from lycosa.collection.collection import Collection
from lycosa.commands import reference
from lycosa.testing import Site
from tests.crawling import ROOT, small_web, spec_text


@pytest.fixture(scope="module")
def collection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("ending")
    with Site(small_web(1, 6)) as site:
        (folder / "crawl.toml").write_text(spec_text(site, ["http://h0.test/"]), encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "lycosa", "crawl", folder, "--quiet"], cwd=ROOT, timeout=600, check=False
        )
        assert done.returncode == 0, "a folder stands for its crawl.toml"
        yield folder / "crawl"


def test_the_exit_codes_are_documented():
    """Every code that an error has is in the table of docs/commands.md, and no other."""
    listed = set(map(int, re.findall(r"^\| (\d+) \|", reference.HEAD, re.M)))
    known = {
        kind.exit_code
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.LycosaError)
    }
    assert listed == known | {0, 130}


@pytest.mark.parametrize(
    ("arguments", "where"),
    [
        (["lab", "run", "."], "lycosa_lab.webs.web.VirtualWeb.open"),
        (["lab", "reproduce", "selective"], "lycosa_lab.papers.reproduce_paper"),
        (["bench"], "lycosa_lab.bench.run.run_bench"),
        (["index", "."], "lycosa.engine.catch_up.index.index_collection"),
        (["export", ".", "--wacz", "x"], "lycosa.collection.exports.wacz.export_wacz"),
        (["report", "."], "lycosa.report.html.write_report"),
        (["seeds", ROOT / "README.md"], "lycosa.engine.start.post_seeds.find_seeds"),
        (
            ["train", "text", ".", "--negative", ".", "--out", "x"],
            "lycosa.learn.training.examples.example_pages",
        ),
        (["train", "event", ".", "--out", "x"], "lycosa.learn.training.examples.documents_in"),
        (["train", "genre", "x.csv", "--out", "x"], "lycosa.methods.genre.training_files.read_examples"),
        (["train", "links", "x.csv", "--out", "x"], "lycosa.methods.multimedia.link_training.read_links"),
        (["train", "images", ".", "--out", "x"], "lycosa.methods.multimedia.image_training.train_images"),
        (["judge", "x.model", "x.html"], "lycosa.evidence.text_model.TextModel.load"),
    ],
)
def test_an_interrupted_command_ends_with_130(arguments, where, lycosa, monkeypatch, tmp_path):
    """Ctrl-C anywhere: no traceback, and the code that shells know."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(where, interrupted)
    code, _, said = lycosa(*arguments)
    assert (code, "Traceback" in said) == (130, False), said


def test_an_interrupted_crawl_ends_with_3(lycosa, monkeypatch, tmp_path):
    """Also while it only prepares: it can be gone on with."""

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    text = "[topic]\nkeywords = ['owl']\n[seeds]\nurls = ['http://127.0.0.1:9/']\n"
    (tmp_path / "crawl.toml").write_text(text, encoding="utf-8")
    monkeypatch.setattr("lycosa.engine.start.webs.live_fetcher", interrupted)
    code, _, said = lycosa("crawl", tmp_path)
    assert code == 3
    assert "run the same command again" in said


@pytest.mark.parametrize(
    ("arguments", "sign"),
    [
        (["lab", "run", "{web}", "--topic", "owls", "--runs", "4000", "--workers", "2"], "runs: "),
        (["bench", "--pages", "200", "--repeat", "100"], "round 1"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_ctrl_c_reaches_commands_with_processes(arguments, sign, demo_folder, tmp_path):
    """A terminal tells every process of the command; only one line or none is said, and all of them end.

    They have more to do than any machine does before it is told.
    """
    words = [word.format(web=demo_folder) for word in arguments]
    process = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-m", "lycosa", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        cwd=tmp_path,
    )
    assert process.stderr
    try:
        for line in process.stderr:
            if sign in line:
                break
        os.killpg(process.pid, signal.SIGINT)
        _, said = process.communicate()
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in said


@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_closed_stream_costs_nothing(closed, tmp_path):
    """As some daemons and shells start programs: no file of ours gets its number, and no worker dies of it."""
    with Site(small_web(1, 6)) as site:
        text = spec_text(site, ["http://h0.test/"], process={"workers": 1})
        (tmp_path / "crawl.toml").write_text(text, encoding="utf-8")
        command = f'"{sys.executable}" -m lycosa crawl "{tmp_path}" --quiet {closed}'
        done = subprocess.run(["sh", "-c", command], cwd=ROOT, timeout=600, check=False)
    assert done.returncode == 0
    with Collection.open(tmp_path / "crawl") as made:
        assert made.reader.counts().relevant == 6


def test_whoever_ignores_the_ends_of_processes_can_start_us(tmp_path):
    """As some supervisors do, and the programs that they start inherit it: the ends of our workers are ours to hear of."""
    with Site(small_web(1, 6)) as site:
        text = spec_text(site, ["http://h0.test/"], process={"workers": 2})
        (tmp_path / "crawl.toml").write_text(text, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "lycosa", "crawl", tmp_path, "--quiet"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN),
            timeout=600,
            check=False,
        )
    assert done.returncode == 0, done.stderr
    with Collection.open(tmp_path / "crawl") as made:
        assert made.reader.counts().relevant == 6


def test_a_closed_standard_input_answers_nothing(collection):
    """`label` ends as where nobody types anything more."""
    command = f'"{sys.executable}" -m lycosa label "{collection}" <&-'
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, timeout=600, check=False, capture_output=True)
    assert (done.returncode, b"Traceback" in done.stderr) == (0, False)


def _outputs(collection: Path, given: Path, out: Path) -> list[list[Any]]:
    return [
        ["report", collection, "--out", out / "report.html"],
        ["export", collection, "--jsonl", out / "pages.jsonl"],
        ["export", collection, "--wacz", out / "pages.wacz"],
        ["seeds", given / "posts.txt", "--no-expand", "--out", out / "seeds.txt"],
        ["train", "links", given / "links.csv", "--out", out / "links.model"],
        ["init", out / "new", "--site"],
    ]


@pytest.mark.parametrize("number", range(6))
def test_folders_above_a_file_are_made(number, lycosa, collection, tmp_path):
    """Every command that writes a file makes its folders; a file in the way is said."""
    (tmp_path / "posts.txt").write_text("http://a.example/news\n", encoding="utf-8")
    rows = [f"owls {n},the night,birds,{n % 2},p{n % 7}" for n in range(60)]
    (tmp_path / "links.csv").write_text("\n".join(["anchor,before,after,relevant,page", *rows]))
    command = _outputs(collection, tmp_path, tmp_path / "a" / "b")[number]
    assert lycosa(*command)[0] == 0
    assert list((tmp_path / "a" / "b").iterdir())
    (tmp_path / "file").write_text("")
    code, _, said = lycosa(*_outputs(collection, tmp_path, tmp_path / "file")[number])
    assert code in (1, 2)
    assert "Traceback" not in said
    assert "cannot be written" in said


@pytest.mark.parametrize("wrong", ["file/a.parquet", ".", "-"])
def test_all_places_of_an_export_are_looked_at_first(wrong, lycosa, collection, tmp_path):
    """One that cannot be written to leaves the others unwritten too."""
    (tmp_path / "file").write_text("")
    place = wrong if wrong == "-" else tmp_path / wrong
    code, _, said = lycosa("export", collection, "--jsonl", tmp_path / "a.jsonl", "--parquet", place)
    assert code == 2, said
    assert not (tmp_path / "a.jsonl").exists()


def test_a_missing_extra_is_named(lycosa, collection, monkeypatch, tmp_path):
    """Whatever the extra brings that is not there."""
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    code, _, said = lycosa("export", collection, "--parquet", tmp_path / "pages.parquet")
    assert code in (1, 2)
    assert "pip install 'lycosa[parquet]'" in said
    several = [
        "--wacz",
        tmp_path / "a.wacz",
        "--jsonl",
        tmp_path / "a.jsonl",
        "--parquet",
        tmp_path / "a.parquet",
    ]
    code, _, said = lycosa("export", collection, *several)
    assert "pip install 'lycosa[parquet]'" in said
    assert not list(tmp_path.glob("a.*")), "all of them or none"

    def without(*_: object, **__: object) -> None:
        raise ModuleNotFoundError("No module named 'matplotlib'", name="matplotlib.pyplot")

    monkeypatch.setattr("lycosa.learn.training.examples.example_pages", without)
    code, _, said = lycosa("train", "text", ".", "--negative", ".", "--out", tmp_path / "x")
    assert code == 1
    assert "pip install 'lycosa[lab]'" in said


def test_debug_shows_the_traceback(lycosa, monkeypatch):
    """With --debug, before the one line that is always there."""
    monkeypatch.setenv(cli.DEBUG, "")
    assert "Traceback" not in lycosa("why", "nowhere", "http://a.example/")[2]
    code, _, said = lycosa("--debug", "why", "nowhere", "http://a.example/")
    assert code == 2
    assert "Traceback" in said
    assert said.strip().splitlines()[-1].startswith("lycosa: nowhere is not a collection")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full, which is Linux's")
def test_a_full_disk_is_said(lycosa, demo_folder):
    """Where no file is named by the error, too."""
    options = ["--topic", "owls", "--strategy", "breadth-first", "--pages", "5", "--runs", "1"]
    code, _, said = lycosa("lab", "run", demo_folder, *options, "--json", "/dev/full")
    assert code == 1
    assert "No space left" in said
    assert "Traceback" not in said
