"""Bad input through the command line: one line that names the thing and the fix, the right exit code,
no traceback, and nothing lost that was already collected.
"""

from __future__ import annotations

import contextlib
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

from lycosa.cli import app
from lycosa.cluster.division import Division, note_division, shard_directory
from lycosa.collection.collection import Collection
from lycosa.collection.writer import CollectionWriter
from lycosa.testing import Site, links, redirect, text
from tests.collection.archives import records_of
from tests.crawling import ROOT, kept, small_web, spec_text

Told = tuple[int, str, str]


@pytest.fixture
def site() -> Iterator[Site]:
    with Site(small_web(2, 15)) as local:
        yield local


def write(tmp_path: Path, content: str) -> Path:
    path = tmp_path / "crawl.toml"
    path.write_text(content, encoding="utf-8")
    return path


def assert_one_line(told: Told, code: int, *words: str) -> None:
    """The last thing said is one line with these words."""
    exit_code, out, err = told
    assert exit_code == code, (out, err)
    line = err.strip().splitlines()[-1]
    assert line.startswith("lycosa: ")
    for word in words:
        assert word in line
    assert "Traceback" not in err + out


# --- the spec -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("[fetch]\nper_host_dely_s = 1\n", ("line 2", "per_host_dely_s", "Did you mean 'per_host_delay_s'?")),
        ("[fetsch]\nretries = 1\n", ("line 1", "fetsch", "Did you mean 'fetch'?")),
        ('strategy = "best-fist"\n', ("line 1", "best-fist", "'best-first'")),
        ('[limits]\npages = "many"\n', ("line 2", "[limits] pages", "many")),
        ("[best-first]\nkk = 3\n", ("line 2", "kk", "Did you mean 'k'?")),
        ("[limits\n", ("not valid TOML",)),
        ("[limits]\npages = -1\n", ("line 2", "[limits] pages", "-1")),
        ("[limits]\npages = 1e400\n", ("line 2", "[limits] pages", "inf")),
        ("[limits]\nhours = nan\n", ("line 2", "[limits] hours", "nan")),
        ("[limits]\nhours = 1e30\n", ("line 2", "[limits] hours", "1e+30")),
        (f"[limits]\npages = 1{'0' * 5000}\n", ("not valid TOML",)),
        (f"[limits]\npages = 1{'0' * 40}\n", ("line 2", "too large")),
        ("[fetch]\nread_timeout_s = 1e300\n", ("line 2", "read_timeout_s", "1e+300")),
        ("[process]\nworkers = 1000000\n", ("line 2", "workers", "1000000")),
        ("[best-first]\npage_threshold = nan\n", ("line 2", "page_threshold", "nan")),
        ("[scope]\ndate_from = 99999-01-01\n", ("not valid TOML", "line 2")),
        ('[scope]\ndate_from = "99999-01-01"\n', ("line 2", "date_from", "99999-01-01")),
        ("[scope]\ndate_from = 99999999999\n", ("line 2", "date_from", "2026-11-15")),
        ('[seeds]\nfiles = ["a\\u0000b"]\n', ("line 2", "[seeds] files", "NUL")),
        ('[topic]\nexamples = ["a\\u0000b"]\n', ("line 2", "[topic] examples", "NUL")),
        ('[profile]\npage_types = "a\\u0000b"\n', ("line 2", "[profile] page_types", "NUL")),
    ],
)
def test_a_wrong_spec_names_key_line_and_fix(
    spec: str, words: tuple[str, ...], tmp_path: Path, lycosa: Any
) -> None:
    """A misspelt key, section, strategy or value, and text that is no TOML."""
    assert_one_line(lycosa("crawl", write(tmp_path, spec)), 2, "crawl.toml", *words)


def test_a_missing_spec_says_how_to_get_one(tmp_path: Path, lycosa: Any) -> None:
    """The message is the next command."""
    assert_one_line(lycosa("crawl", tmp_path / "no.toml"), 2, "no.toml does not exist", "lycosa init")


def test_a_missing_seed_file_is_named(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """With its path, and where paths begin."""
    path = write(tmp_path, spec_text(site, [], seeds={"files": ["seeds.txt"]}))
    told = lycosa("crawl", path, "--quiet")
    assert_one_line(told, 2, str(tmp_path / "seeds.txt"), "No such file", "relative to the spec's folder")


@pytest.mark.parametrize("name", ["/dev/zero", "pipe"])
def test_what_is_no_file_is_not_read(name: str, tmp_path: Path, site: Site, lycosa: Any) -> None:
    """A device never ends and a pipe may never begin: wherever a file is to be named, they are refused."""
    os.mkfifo(tmp_path / "pipe")
    there = tmp_path / name
    path = write(tmp_path, spec_text(site, [], seeds={"files": [name]}))
    assert_one_line(lycosa("crawl", path, "--quiet"), 2, str(there), "a device or pipe")
    out = ("--out", tmp_path / "x")
    for command in (
        ("crawl", there),
        ("seeds", there),
        ("judge", there, there),
        ("train", "text", there, "--negative", there, *out),
        ("train", "event", there, *out),
        ("train", "event", path, "--links", there, *out),
        ("train", "genre", there, *out),
        ("train", "links", there, *out),
    ):
        assert_one_line(lycosa(*command), 2, str(there), "a device or pipe")


def test_no_seeds_at_all(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """A spec without seeds, or with none that is a URL."""
    path = write(tmp_path, spec_text(site, ["mailto:me@a.test"]))
    told = lycosa("crawl", path, "--quiet")
    assert_one_line(told, 2, "There are no seeds")
    assert "mailto:me@a.test" in told[2]


def test_an_empty_topic_is_refused(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """A focused crawl needs to know of what."""
    path = write(tmp_path, spec_text(site, ["http://h0.test/"], judge={"kind": "topic"}))
    assert_one_line(lycosa("crawl", path, "--quiet"), 2, "The topic is empty", "keywords")


@pytest.mark.parametrize("web", ["none.warc.gz", "."])
def test_an_archive_that_is_none_is_wrong_use(web: str, tmp_path: Path, site: Site, lycosa: Any) -> None:
    """A file that is not there and a folder without archives, whichever command names them."""
    path = write(tmp_path, spec_text(site, ["http://h0.test/"]))
    there = (tmp_path / web).resolve()
    assert_one_line(lycosa("crawl", path, "--web", there), 2, str(there), "Name WARC or WACZ files")
    assert_one_line(
        lycosa("import", there, "--out", tmp_path / "out"), 2, str(there), "Name WARC or WACZ files"
    )


def test_a_missing_example_is_named(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """An example file that is not there."""
    path = write(tmp_path, spec_text(site, ["http://h0.test/"], topic={"examples": ["ex.html"]}))
    assert_one_line(lycosa("crawl", path, "--quiet"), 2, "ex.html", "No such file")


# --- the web ------------------------------------------------------------------------------------


def test_unreachable_seeds_are_no_success_and_are_tried_again(
    tmp_path: Path, site: Site, lycosa: Any
) -> None:
    """A crawl whose every seed failed says so and fails; when the host is back, the same command works."""
    gone = {"*.test": "127.0.0.1:9"}
    source = spec_text(site, ["http://h0.test/"])
    path = write(tmp_path, source)
    told = lycosa(
        "crawl",
        path,
        "--quiet",
        "--set",
        "fetch.retries=0",
        "--set",
        f'fetch.connect_to={{"*.test" = "{gone["*.test"]}"}}',
    )
    assert_one_line(told, 1, "No page was collected", "http://h0.test/", "Check [seeds] and the connection")
    assert lycosa("crawl", path, "--quiet", "--set", "fetch.obey_robots=false")[0] == 0
    assert len(kept(tmp_path / "crawl")) == 30


def test_seeds_that_lead_nowhere_are_no_success(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """A redirect out of the scope leaves nothing to fetch: that is said, with where to ask."""
    site.pages["h0.test", "/moved"] = redirect("http://h1.test/")
    path = write(tmp_path, spec_text(site, ["http://h0.test/moved"], scope={"hosts": ["h0.test"]}))
    told = lycosa("crawl", path, "--quiet")
    assert_one_line(told, 1, "No page was collected", f"lycosa why {tmp_path / 'crawl'} SEED")
    assert "redirects" in lycosa("why", tmp_path / "crawl", "http://h0.test/moved")[1]


@pytest.mark.parametrize("kind", ["topic", "event", "site"])
def test_the_template_as_written_is_not_crawled(kind: str, tmp_path: Path, lycosa: Any) -> None:
    """Its example URL only shows where one's own go; without a contact there is a word about it."""
    assert lycosa("init", tmp_path / "new", f"--{kind}")[0] == 0
    told = lycosa("crawl", tmp_path / "new")
    left = "[seeds] urls and [event] pages" if kind == "event" else "[seeds] urls"
    assert_one_line(told, 2, str(tmp_path / "new" / "crawl.toml"), left, "example.org", "Replace it")
    spec = tmp_path / "new" / "crawl.toml"
    text = re.sub(
        r"https://www\.example\.org/[\w-]*", "http://127.0.0.1:9/", spec.read_text(encoding="utf-8")
    )
    spec.write_text(text.replace('domains = ["example.org"]', ""), encoding="utf-8")
    code, _, said = lycosa("crawl", spec, "--quiet")
    assert code in (1, 2)
    assert "Set [fetch] contact" in said
    assert "Set [fetch] contact" not in lycosa("crawl", spec, "--quiet", "--set", "fetch.contact=a@b.c")[2]


def test_one_bad_seed_of_two_is_in_the_summary(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """The crawl goes on with the good one."""
    path = write(tmp_path, spec_text(site, ["http://h0.test/", "http://no.invalid/"]))
    code, out, _ = lycosa("crawl", path, "--json", "--set", "fetch.retries=0")
    assert code == 0
    assert "http://no.invalid/" in out


def test_an_unreadable_list_is_said_and_passed_over(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """A sitemap that is not there costs only itself."""
    site.pages["/bad.xml"] = text("this is no sitemap")
    seeds = {"urls": ["http://h0.test/"], "sitemaps": ["http://h0.test/no.xml", "http://h0.test/bad.xml"]}
    code, _, err = lycosa("crawl", write(tmp_path, spec_text(site, [], seeds=seeds)), "--quiet")
    assert code == 0
    assert "http://h0.test/no.xml could not be read" in err


# --- the disk -----------------------------------------------------------------------------------


@pytest.fixture
def begun(tmp_path: Path, site: Site, lycosa: Any) -> tuple[Path, Path]:
    """A spec and its collection, stopped after ten pages."""
    path = write(tmp_path, spec_text(site, ["http://h0.test/"]))
    assert lycosa("crawl", path, "--quiet", "--max-pages", 10)[0] == 0
    assert len(kept(tmp_path / "crawl")) == 10
    return path, tmp_path / "crawl"


def test_a_full_disk_stops_and_loses_nothing(begun: tuple[Path, Path], lycosa: Any) -> None:
    """The message says so; what was collected is whole; with room again the same command goes on.

    Files of the system's temporary directory cannot grow either: that must not cost pages.
    """
    path, out = begun
    most = max(file.stat().st_size for file in out.rglob("*") if file.is_file()) + 5_000
    for workers in (0, 1):
        told = _run_with_limit(
            resource.RLIMIT_FSIZE, most, "crawl", path, "--quiet", "--set", f"process.workers={workers}"
        )
        assert_one_line(told, 1, "disk", "run the same command")
    assert len(kept(out)) >= 10
    assert records_of(out / "archive")
    assert lycosa("crawl", path, "--quiet")[0] == 0
    assert len(kept(out)) == 30
    assert records_of(out / "archive")


def test_a_full_file_system_stops_and_loses_nothing(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """The same on a real file system without room."""
    path = write(tmp_path, spec_text(site, ["http://h0.test/"]))
    with _mounted(tmp_path / "small", "size=400k") as disk:
        told = lycosa("crawl", path, "--quiet", "--out", disk / "out")
        assert_one_line(told, 1, str(disk), "the disk is full", "run the same command")
        pages = kept(disk / "out")
        subprocess.run(["mount", "-o", "remount,size=20m", str(disk)], check=True)
        assert lycosa("crawl", path, "--quiet", "--out", disk / "out")[0] == 0
        assert kept(disk / "out")[: len(pages)] == pages
        assert len(kept(disk / "out")) == 30


def test_a_directory_that_may_not_be_written(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """Said before anything is fetched."""
    path = write(tmp_path, spec_text(site, ["http://h0.test/"]))
    with _read_only(tmp_path / "ro") as directory:
        told = lycosa("crawl", path, "--quiet", "--out", directory / "out")
    assert_one_line(told, 1, str(directory), "cannot be written", "--out")
    assert not site.log


def test_a_file_in_the_way(tmp_path: Path, site: Site, lycosa: Any) -> None:
    """--out that is a file."""
    path = write(tmp_path, spec_text(site, ["http://h0.test/"]))
    assert_one_line(lycosa("crawl", path, "--quiet", "--out", path), 1, str(path))


# --- the collection -----------------------------------------------------------------------------


def test_a_torn_archive_is_mended(begun: tuple[Path, Path], lycosa: Any) -> None:
    """What lies past the last commit is cut, and the crawl goes on."""
    path, out = begun
    (warc,) = (out / "archive").glob("*.warc.gz")
    with warc.open("ab") as stream:
        stream.write(b"\x1f\x8b half a record")
    assert lycosa("crawl", path, "--quiet")[0] == 0
    assert len(kept(out)) == 30
    assert records_of(out / "archive")


def test_a_shortened_archive_is_said(begun: tuple[Path, Path], lycosa: Any) -> None:
    """An archive that lost committed records is not written over."""
    path, out = begun
    (warc,) = (out / "archive").glob("*.warc.gz")
    os.truncate(warc, warc.stat().st_size - 100)
    size = warc.stat().st_size
    assert_one_line(lycosa("crawl", path, "--quiet"), 1, warc.name, "Put it back from a copy")
    assert warc.stat().st_size == size


OF_A_COLLECTION: dict[str, tuple[object, ...]] = {
    "crawl": ("SPEC", "--quiet"),
    "check": ("PRIORS",),
    "why": ("OUT", "http://h0.test/"),
    "report": ("OUT",),
    "status": ("OUT",),
    "pause": ("OUT",),
    "resume": ("OUT",),
    "stop": ("OUT",),
    "label": ("OUT",),
    "judge": ("OUT", "--history"),
    "serve": ("OUT", "--port", "0"),
    "export": ("OUT", "--jsonl", "NEW.jsonl"),
    "index": ("OUT", "--workers", "0"),
    "changes": ("OUT",),
    "publish": ("OUT", "--out", "NEW"),
    "merge": ("SHARDED",),
    "train event": ("--collection", "OUT", "--out", "NEW"),
    "train genre-prior": ("OUT", "--out", "NEW"),
    "train cotags": ("OUT", "--tag", "owl", "--out", "NEW.csv"),
    "train items": ("OUT", "--out", "NEW.jsonl"),
}
"""Every command that opens a catalogue, and how it is called. OUT is the collection, NEW a file in its parent folder, SHARDED the
folder of a crawl whose only shard it is."""
OPENS_NONE = {
    "init", "strategies", "demo", "bench", "import", "seeds", "help", "lab run", "lab record", "lab reproduce",
    "lab fit", "lab cache", "lab labels",
    "train text", "train genre", "train links", "train images", "train page-types",
}  # fmt: skip
"""Those that open none: archives are read without their catalogue."""


def test_every_command_is_known_to_open_a_catalogue_or_not() -> None:
    """A new command joins one of the two lists."""
    names = set()
    for name, command in typer.main.get_command(app).commands.items():  # type: ignore[attr-defined]
        inner = getattr(command, "commands", None)
        names |= {f"{name} {each}" for each in inner} if inner else {name}
    assert names == set(OF_A_COLLECTION) | OPENS_NONE


@pytest.mark.parametrize("damage", ["head", "pages"])
@pytest.mark.parametrize("command", OF_A_COLLECTION)
def test_a_damaged_catalogue_is_said(
    command: str, damage: str, begun: tuple[Path, Path], lycosa: Any
) -> None:
    """In one line, whoever opens it, wherever the damage is; the archive stays as it is."""
    path, out = begun
    catalogue = out / "catalogue.db"
    content = bytearray(catalogue.read_bytes())
    if damage == "head":
        content[:22] = b"this is not a database"
    else:  # all but the schema: it shows only when something is read
        for page in range(1, len(content) // 4096):
            content[page * 4096 : page * 4096 + 200] = b"\xff" * 200
    catalogue.write_bytes(content)
    priors = path.with_name("priors.toml")
    priors.write_text(
        f'{path.read_text(encoding="utf-8")}[event]\nsource_priors = "{out}"\n', encoding="utf-8"
    )
    named = {
        "SPEC": path,
        "OUT": out,
        "SHARDED": path.with_name("sharded"),
        "PRIORS": priors,
        "NEW": path.with_name("new"),
        "NEW.csv": path.with_name("new.csv"),
        "NEW.jsonl": path.with_name("new.jsonl"),
    }
    if command == "merge":
        note_division(named["SHARDED"], Division(1))
        out = shard_directory(named["SHARDED"], 0)
        shutil.copytree(catalogue.parent, out)
        catalogue = out / catalogue.name
    archive = {file: file.read_bytes() for file in (out / "archive").iterdir()}
    arguments = [named.get(str(each), each) for each in OF_A_COLLECTION[command]]
    assert_one_line(lycosa(*command.split(), *arguments), 1, str(catalogue), "damaged", "WARC files")
    assert {file: file.read_bytes() for file in (out / "archive").iterdir()} == archive


def test_a_collection_in_use_is_left_alone(begun: tuple[Path, Path], lycosa: Any) -> None:
    """A second crawl into it names the process that has it."""
    path, out = begun
    with CollectionWriter.create_or_open(out, path.read_text(encoding="utf-8")):
        assert_one_line(lycosa("crawl", path, "--quiet"), 1, str(out), f"in use by process {os.getpid()}")
    assert lycosa("crawl", path, "--quiet")[0] == 0


@pytest.mark.parametrize("command", [("report",), ("why", "http://h0.test/")])
def test_a_directory_that_is_no_collection(command: tuple[str, ...], tmp_path: Path, lycosa: Any) -> None:
    """Is said to be none, and stays empty."""
    name, *rest = command
    (tmp_path / "empty").mkdir()
    assert_one_line(
        lycosa(name, tmp_path / "empty", *rest), 2, str(tmp_path / "empty"), "is not a collection"
    )
    assert not list((tmp_path / "empty").iterdir())


def test_a_changed_spec_applies_at_once(begun: tuple[Path, Path], site: Site, lycosa: Any) -> None:
    """Limits and scope of the second run are the edited ones."""
    path, out = begun
    path.write_text(spec_text(site, ["http://h0.test/"], scope={"hosts": ["h0.test"]}), encoding="utf-8")
    asked = len(site.log)
    assert lycosa("crawl", path, "--quiet", "--max-pages", 12)[0] == 0
    assert len(kept(out)) == 12
    assert lycosa("crawl", path, "--quiet")[0] == 0
    later = {request.url for request in site.log[asked:]}
    assert later
    assert not [url for url in later if "h1.test" in url]
    assert len(set(kept(out)) - {url for url in kept(out) if "h1.test" in url}) == 15


def test_few_open_files_blame_no_host(tmp_path: Path) -> None:
    """The crawl goes on with fewer requests at once, and says so; where that is not enough it says what to do."""
    hosts = 60
    web: dict[Any, Any] = {(f"h{n}.test", "/"): f"<p>This is host number {n}." for n in range(hosts)}
    web["start.test", "/"] = links(*(f"http://h{n}.test/" for n in range(hosts)))
    with Site(web) as site:
        spec = spec_text(site, ["http://start.test/"], fetch=_all_at_once(site))
        path, out = write(tmp_path, spec), tmp_path / "out"
        code, _, err = _run_with_limit(resource.RLIMIT_NOFILE, 64, "crawl", path, "--out", out, "--quiet")
        assert code == 0, err
        assert "The limit of 64 open files allows 8 requests in flight instead of 200" in err
        assert len(kept(out)) == 1 + hosts
        with Collection.open(out) as collection:
            assert not list(collection.connection.execute("SELECT * FROM outcomes"))
        told = _run_with_limit(
            resource.RLIMIT_NOFILE, 40, "crawl", path, "--out", tmp_path / "other", "--quiet"
        )
        assert_one_line(told, 1, "The limit of 40 open files", "ulimit -n")


def test_a_closed_terminal_ends_a_crawl_in_order(tmp_path: Path) -> None:
    """SIGHUP lets what is under way finish; after nohup it is ignored. The same command goes on."""
    with Site(small_web(2, 60)) as site:
        path, out, said = (
            write(tmp_path, spec_text(site, ["http://h0.test/"])),
            tmp_path / "out",
            tmp_path / "said",
        )
        command = [sys.executable, "-m", "lycosa", "crawl", str(path), "--out", str(out), "--quiet"]
        # However busy the machine is, the first one has not ended when the signal comes: it rests for a minute in all.
        for before, after in (([], ["--set", "fetch.per_host_delay_s=1"]), (["nohup"], [])):
            asked = len(site.log)
            with said.open("w") as file:
                process = subprocess.Popen([*before, *command, *after], cwd=ROOT, stdout=file, stderr=file)
            while len(site.log) < asked + 4:
                assert process.poll() is None, said.read_text()
                time.sleep(0.02)
            process.send_signal(signal.SIGHUP)
            assert process.wait() == (0 if before else 3), said.read_text()
        with Collection.open(out) as collection:
            ends = [run.reason for run in collection.reader.runs()]
        assert ends[0] == "interrupted"
        assert len(ends) == 2
        assert len(kept(out)) == 120, said.read_text()


def _all_at_once(site: Site) -> dict[str, Any]:
    return {
        "concurrency": 200,
        "per_ip_concurrency": 200,
        "per_host_delay_s": 0,
        "connect_to": site.connect_to,
        "allow_private": list(site.allow_private),
    }


def _run_with_limit(what: int, most: int, *arguments: object) -> Told:
    """A command that may have no more than this much of a resource."""

    def limit() -> None:
        resource.setrlimit(what, (most, most))

    command = [sys.executable, "-m", "lycosa", *map(str, arguments)]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, preexec_fn=limit, timeout=600, check=False
    )
    return done.returncode, done.stdout, done.stderr


@contextlib.contextmanager
def _mounted(place: Path, options: str) -> Iterator[Path]:
    """A small file system; skips where one cannot be mounted."""
    place.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "-o", options, "tmpfs", place], capture_output=True, check=False
    ).returncode:
        pytest.skip("needs the right to mount a file system")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", place], check=True)


@contextlib.contextmanager
def _read_only(place: Path) -> Iterator[Path]:
    """A directory that nobody may write to: root is stopped only by a read-only mount."""
    if os.geteuid():
        place.mkdir(mode=0o555)
        yield place
    else:
        with _mounted(place, "ro") as mounted:
            yield mounted
