"""Build the documentation as a web site with Zensical, from the pages of docs/ and the settings of zensical.toml.

Zensical has no hooks, so it gets a copy of docs/ in which links that leave the site are plain text. Colours, logo and
fonts come from `report/design.py`, so that the site looks like the product.

Command line: python -m research.site [FOLDER]    (make site; the default folder is site/)
Expected time: five seconds.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from lycosa.report import design

ROOT = Path(__file__).parents[1]
_OUTSIDE = re.compile(
    r"\[([^\]]+)\]\((?:\.\./)+(?:README\.md|CONTRIBUTING\.md|research/|src/|examples/)[^)\s]*\)"
)


def build(out: Path) -> None:
    """Write the site into a folder, replacing it. Raise CalledProcessError if Zensical warns, such as of a broken link."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        shutil.copy(ROOT / "zensical.toml", folder)
        shutil.copytree(ROOT / "docs", folder / "docs")
        for page in (folder / "docs").rglob("*.md"):
            page.write_text(_OUTSIDE.sub(r"\1", page.read_text(encoding="utf-8")), encoding="utf-8")
        _write_look(folder / "docs" / "assets")
        command = [sys.executable, "-m", "zensical", "build", "--strict"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
        shutil.rmtree(out, ignore_errors=True)
        shutil.copytree(folder / "site", out)


def _write_look(assets: Path) -> None:
    """Write the style sheet, logo, script and fonts."""
    (assets / "fonts").mkdir(parents=True)
    look = (
        design.font_faces("fonts")
        + _colours("default", design.LIGHT)
        + _colours("slate", design.DARK)
        + _TYPE
    )
    (assets / "look.css").write_text(look, encoding="utf-8")
    (assets / "logo.svg").write_text(_logo(), encoding="utf-8")
    (assets / "names.js").write_text(_NAMES, encoding="utf-8")
    for name in design.FONTS:
        if (file := design.font_file(name)) is not None:
            shutil.copy(file, assets / "fonts" / name)


def _logo() -> str:
    """The logo in white, for the coloured header."""
    style = ".body, .page { fill: #fff } .leg { fill: none; stroke: #fff; stroke-width: 2.3; stroke-linecap: round } .eye { fill: #0a655d }"
    return re.sub(r"<style>.*?</style>", f"<style>{style}</style>", design.logo(), flags=re.S)


def _colours(scheme: str, of: dict[str, str]) -> str:
    header = design.LIGHT["accent"]
    return (
        f'[data-md-color-scheme="{scheme}"] {{ --md-primary-fg-color: {header}; --md-primary-fg-color--dark: {header}; '
        f"--md-primary-bg-color: #ffffff; --md-accent-fg-color: {of['warm']}; --md-default-bg-color: {of['paper']}; "
        f"--md-default-fg-color: {of['ink']}; --md-default-fg-color--light: {of['soft']}; "
        f"--md-typeset-a-color: {of['accent']}; --md-code-bg-color: {of['card']}; --md-code-fg-color: {of['ink']}; }}\n"
    )


_TYPE = (
    f":root {{ --md-text-font: {design.TYPE['sans']}; --md-code-font: {design.TYPE['mono']}; }}\n"
    f".md-typeset h1, .md-typeset h2, .md-typeset h3 {{ font-family: {design.TYPE['serif']}; font-weight: 600; color: inherit; }}\n"
    ".md-typeset pre > code, .md-typeset table:not([class]) { border: 1px solid var(--md-default-fg-color--lightest); }\n"
    ".md-typeset img { border-radius: .3rem; }\n"
    # The theme shows links by colour alone and fades inactive tabs, which axe reports.
    ".md-typeset a:not(.headerlink, .md-button) { text-decoration: underline; text-underline-offset: .15em; }\n"
    ".md-tabs__link { opacity: 1; }\n"
    ".md-tabs__item--active .md-tabs__link { text-decoration: underline; text-underline-offset: .4em; text-decoration-thickness: 2px; }\n"
)
# The theme gives its copy buttons no distinct names, and code that scrolls on a narrow screen no keyboard focus.
_NAMES = """function nameCode() {
  document.querySelectorAll("pre > code:not([tabindex])").forEach((code) => { code.tabIndex = 0; });
  document.querySelectorAll("nav.md-code__nav:not([aria-label])").forEach((nav) => {
    const all = [...document.querySelectorAll("nav.md-code__nav")];
    nav.setAttribute("aria-label", `Code ${all.indexOf(nav) + 1}`);
  });
}
new MutationObserver(nameCode).observe(document.documentElement, { childList: true, subtree: true });
document.addEventListener("DOMContentLoaded", nameCode);
"""


if __name__ == "__main__":
    try:
        build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "site")
    except subprocess.CalledProcessError as error:
        sys.exit(f"{error.stdout}{error.stderr}")
