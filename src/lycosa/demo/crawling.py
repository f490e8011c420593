"""Crawl the demo web, served on this machine."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable
from pathlib import Path

from lycosa.demo.web import ArchivedDemo
from lycosa.engine.run import crawl_request
from lycosa.engine.start.request import CrawlRequest
from lycosa.engine.watch.summary import Summary
from lycosa.methods.lookup import all_settings
from lycosa.spec.reading import parse_spec
from lycosa.spec.writing import toml
from lycosa.testing import Site
from lycosa.values import Say


def where(site: Site) -> str:
    """The [fetch] of a spec: where the demo web really is."""
    return f"""[fetch]
per_host_delay_s = 0.05     # this web is our own; on the live Web leave the default of 2 seconds
allow_private = {toml(site.allow_private)}
connect_to = {toml(site.connect_to)}
"""


def crawl_demo(
    web: ArchivedDemo, spec_of: Callable[[Site], str], out: Path, *, say: Say, quiet: bool
) -> Summary:
    """Serve the web, and crawl it into `out` as the spec says that is made for the served site."""
    with web.serve() as site:
        text = spec_of(site)
        request = CrawlRequest(parse_spec(text, all_settings()), text, Path(), out)
        return crawl_request(request, say=say, quiet=quiet)


def program_name() -> str:
    """How the user called us: from `make demo` we are not on the PATH, and what is printed must run."""
    if shutil.which("lycosa"):
        return "lycosa"
    return sys.argv[0] if Path(sys.argv[0]).name == "lycosa" else f"{sys.executable} -m lycosa"
