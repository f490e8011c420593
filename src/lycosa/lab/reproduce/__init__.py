"""The papers' own tables and figures, drawn on a given web: one module a paper."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from lycosa.errors import InputError
from lycosa.values import Say

PAPERS = {
    "selective": "lycosa.methods.selective.reproduce",
    "genre": "lycosa.methods.genre.paper.reproduce",
    "event": "lycosa.methods.event.paper.reproduce",
    "multimedia": "lycosa.methods.multimedia.paper.reproduce",
    "profile": "lycosa.methods.profile.paper.reproduce",
}
"""Each module has `reproduce(web, out, say)`, which writes into the folder `out`."""


def reproduce_paper(paper: str, web: Path | None, out: Path, say: Say) -> list[Path]:
    """Write a paper's tables and figures; without a web, on the demo web."""
    if paper not in PAPERS:
        raise InputError(f"There is no paper {paper!r}. Known are: {', '.join(PAPERS)}.")
    if web is None:
        web = demo_folder(say)
    elif not web.is_dir():
        raise InputError(f"{web} is not a directory. Give --web a virtual web, or none for the demo web.")
    out.mkdir(parents=True, exist_ok=True)
    before = set(out.iterdir())
    import_module(PAPERS[paper]).reproduce(web, out, say)
    return sorted(set(out.iterdir()) - before) or sorted(out.iterdir())


def demo_folder(say: Say) -> Path:
    """The demo web as a virtual web in the cache folder."""
    from lycosa.demo import demo_web
    from lycosa.lab.cache import all_code_digest, cache_directory

    folder = cache_directory() / f"demo-web-{all_code_digest()}"
    if not (folder / "web.toml").exists():
        say("Writing the demo web …")
        demo_web().write(folder)
    return folder
