"""Record a terminal session of real commands as a picture for the documentation.

Command line: python -m research.recording [docs/images/terminal.svg]
Expected time: half a minute; the demo web is served and crawled on this machine.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from lycosa.report import design

OUT = Path(__file__).parents[1] / "docs" / "images" / "terminal.svg"
COLUMNS = 112
SESSION = (
    ("lycosa demo", 12),
    ("lycosa why demo http://www.nightbirds.test/reports/page07.html", 18),
    ("lycosa export demo --wacz owls.wacz --jsonl owls.jsonl --only relevant", 4),
)
"""Commands, and how many lines of output are shown; a mark shows what is left out."""

# rich's picture loads its font from a server; this one uses the reader's.
_FORMAT = """<svg class="rich-terminal" viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg" role="img" aria-label="A session in the terminal">
<style>.{unique_id}-matrix {{ font-family: MONO; font-size: {char_height}px; line-height: {line_height}px; font-variant-east-asian: full-width; }}
{styles}</style>
<defs><clipPath id="{unique_id}-clip-terminal"><rect x="0" y="0" width="{terminal_width}" height="{terminal_height}" /></clipPath>{lines}</defs>
{chrome}<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


def main(out: Path = OUT) -> None:
    """Run the session in an empty folder, and write the picture."""
    console = Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, highlight=False)
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "NO_COLOR": "1", "PYTHONWARNINGS": "ignore"}
    with tempfile.TemporaryDirectory() as folder:
        for command, limit in SESSION:
            words = [sys.executable, "-m", *command.split()]
            done = subprocess.run(
                words, cwd=folder, env=environment, capture_output=True, text=True, check=True
            )
            said = done.stdout.replace(f"{sys.executable} -m lycosa", "lycosa")
            lines = said.rstrip().splitlines()
            console.print(Text.assemble(("$ ", "bold green"), (command, "bold")))
            console.print(
                Text("\n".join(lines[:limit]) + ("\n…" if len(lines) > limit else "")), soft_wrap=False
            )
            console.print()
    paper, ink, accent = (_rgb(design.DARK[name]) for name in ("paper", "ink", "accent"))
    theme = TerminalTheme(paper, ink, [accent] * 8)
    svg = console.export_svg(
        title="",
        theme=theme,
        code_format=_FORMAT.replace("MONO", design.TYPE["mono"].replace('"', "'")),
        unique_id="lycosa",
    )
    out.write_text(svg, encoding="utf-8")
    print(f"Wrote {out}")


def _rgb(colour: str) -> tuple[int, int, int]:
    """
    >>> _rgb("#0a655d")
    (10, 101, 93)
    """
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:2]))
