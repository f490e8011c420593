"""The papers' own tables and figures, drawn on a given web: one module a paper."""

from __future__ import annotations

from pathlib import Path

from lycosa.errors import InputError
from lycosa.methods.registry import methods
from lycosa.methods.seam import loaded
from lycosa.values import Say


def reproduce_paper(paper: str, web: Path | None, out: Path, say: Say) -> list[Path]:
    """Write a paper's tables and figures; without a web, on the demo web."""
    papers = {method.name: method.reproduce for method in methods() if method.reproduce}
    if paper not in papers:
        raise InputError(f"There is no paper {paper!r}. Known are: {', '.join(papers)}.")
    if web is None:
        web = demo_folder(say)
    elif not web.is_dir():
        raise InputError(f"{web} is not a directory. Give --web a virtual web, or none for the demo web.")
    out.mkdir(parents=True, exist_ok=True)
    before = set(out.iterdir())
    loaded(papers[paper])(web, out, say)
    return sorted(set(out.iterdir()) - before) or sorted(out.iterdir())


def demo_folder(say: Say) -> Path:
    """The demo web as a virtual web in the cache folder."""
    from lycosa.demo import demo_web
    from lycosa.files import cache_directory
    from lycosa.lab.cache import all_code_digest

    folder = cache_directory() / f"demo-web-{all_code_digest()}"
    if not (folder / "web.toml").exists():
        say("Writing the demo web …")
        demo_web().write(folder)
    return folder
