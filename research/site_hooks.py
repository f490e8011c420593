"""Hooks of `mkdocs build`.

Links to files of the repository outside docs/ become plain text. Colours, logo and fonts come from `report/design.py`.

Command line: make site    (mkdocs calls it)
Expected time: ten seconds.
"""

from __future__ import annotations

import re
from typing import Any

from mkdocs.structure.files import File, Files

from lycosa.report import design

_OUTSIDE = re.compile(
    r"\[([^\]]+)\]\((?:\.\./)+(?:README\.md|CONTRIBUTING\.md|research/|src/|examples/)[^)\s]*\)"
)


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Remove links that lead out of the site."""
    del page
    return _OUTSIDE.sub(r"\1", markdown)


def on_post_page(output: str, **_: Any) -> str:
    """Add names for screen readers: the theme names neither its search nor its copy buttons.

    And code can be reached by keys, as a narrow screen scrolls it.
    """
    named = output.replace(
        'data-md-component="search" role="dialog"',
        'data-md-component="search" role="dialog" aria-label="Search"',
    )
    reached = named.replace("<pre><span></span><code>", '<pre><span></span><code tabindex="0">')
    return reached.replace("</body>", f"<script>{_NAME_CODE}</script></body>")


_NAME_CODE = """new MutationObserver(() => {
  document.querySelectorAll("nav.md-code__nav:not([aria-label])").forEach((nav) => {
    const all = [...document.querySelectorAll("nav.md-code__nav")];
    nav.setAttribute("aria-label", `Code ${all.indexOf(nav) + 1}`);
  });
}).observe(document.body, { childList: true, subtree: true });"""


def on_files(files: Files, config: Any) -> Files:
    """Add the generated style, logo and fonts."""
    look = (
        design.font_faces("fonts")
        + _colours("default", design.LIGHT)
        + _colours("slate", design.DARK)
        + _TYPE
    )
    files.append(File.generated(config, "assets/look.css", content=look))
    files.append(File.generated(config, "assets/logo.svg", content=_logo()))
    for name in design.FONTS:
        if (file := design.font_file(name)) is not None:
            files.append(File.generated(config, f"assets/fonts/{name}", content=file.read_bytes()))
    return files


def _logo() -> str:
    """The logo in one colour, for the coloured header."""
    style = ".body, .page { fill: #fff } .leg { fill: none; stroke: #fff; stroke-width: 2.3; stroke-linecap: round } .eye { fill: #0a655d }"
    return re.sub(r"<style>.*?</style>", f"<style>{style}</style>", design.logo(), flags=re.S)


def _colours(scheme: str, of: dict[str, str]) -> str:
    head = design.LIGHT["accent"]
    return (
        f'[data-md-color-scheme="{scheme}"] {{ --md-primary-fg-color: {head}; --md-primary-fg-color--dark: {head}; '
        f"--md-primary-bg-color: #ffffff; --md-accent-fg-color: {of['warm']}; --md-default-bg-color: {of['paper']}; "
        f"--md-default-fg-color: {of['ink']}; --md-default-fg-color--light: {of['soft']}; "
        f"--md-typeset-a-color: {of['accent']}; --md-code-bg-color: {of['card']}; --md-code-fg-color: {of['ink']}; }}\n"
    )


_TYPE = (
    f":root {{ --md-text-font: {design.TYPE['sans']}; --md-code-font: {design.TYPE['mono']}; }}\n"
    f".md-typeset h1, .md-typeset h2, .md-typeset h3 {{ font-family: {design.TYPE['serif']}; font-weight: 600; color: inherit; }}\n"
    ".md-typeset pre > code, .md-typeset table:not([class]) { border: 1px solid var(--md-default-fg-color--lightest); }\n"
    ".md-typeset img { border-radius: .3rem; }\n"
    # The theme marks links by colour alone, and dims closed entries.
    ".md-typeset a:not(.headerlink, .md-button) { text-decoration: underline; text-underline-offset: .15em; }\n"
    ".md-tabs__link { opacity: 1; }\n"
    ".md-tabs__item--active .md-tabs__link { text-decoration: underline; text-underline-offset: .4em; text-decoration-thickness: 2px; }\n"
)
