"""The papers' own tables and figures, drawn on a given web: one folder a paper, with `reproduce.py`."""

from __future__ import annotations

import pkgutil
from importlib import import_module
from pathlib import Path

from lycosa.errors import InputError
from lycosa.values import Say


def reproduce_paper(paper: str, web: Path | None, out: Path, say: Say) -> list[Path]:
    """Write a paper's tables and figures; without a web, on the demo web."""
    papers = [found.name for found in pkgutil.iter_modules(__path__) if found.ispkg]
    if paper not in papers:
        raise InputError(f"There is no paper {paper!r}. Known are: {', '.join(papers)}.")
    if web is None:
        web = demo_folder(say)
    elif not web.is_dir():
        raise InputError(f"{web} is not a directory. Give --web a virtual web, or none for the demo web.")
    out.mkdir(parents=True, exist_ok=True)
    before = set(out.iterdir())
    import_module(f"{__name__}.{paper}.reproduce").reproduce(web, out, say)
    return sorted(set(out.iterdir()) - before) or sorted(out.iterdir())


def demo_folder(say: Say) -> Path:
    """The demo web as a virtual web in the cache folder."""
    from lycosa.files import cache_directory
    from lycosa_lab.demo_web import demo_web
    from lycosa_lab.webs.cache import all_code_digest

    folder = cache_directory() / f"demo-web-{all_code_digest()}"
    if not (folder / "web.toml").exists():
        say("Writing the demo web …")
        demo_web().write(folder)
    return folder
