"""Colours, type and logo of report, library, plots and documentation, as CSS.

Fonts come from the packages in FONTS if installed (`pip install 'lycosa[fonts]'`), otherwise from the system.
Text colours have a contrast of at least 4.5 (WCAG AA) in both schemes; a test measures it.
"""

from __future__ import annotations

import base64
import io
from collections.abc import Mapping
from importlib import resources
from importlib.util import find_spec
from pathlib import Path

LIGHT = {
    "paper": "#fbfaf7",
    "card": "#ffffff",
    "ink": "#1d2125",
    "soft": "#5a636a",
    "line": "#e0ddd5",
    "accent": "#0a655d",
    "wash": "#e5f0ee",
    "warm": "#a8480f",
    "mark": "#fbe7a5",
    "land": "#e9e5db",
    "shore": "#cfc8b8",
    "bad": "#9f2f2f",
}
"""What each colour is for: the ground, what lies on it, text, text of less weight, lines; what acts or is kept, and its
ground; what warns or limits; marked words; land and coasts, and what is not kept; errors."""
DARK = {
    "paper": "#15181b",
    "card": "#1c2024",
    "ink": "#e7e4dd",
    "soft": "#a3abb0",
    "line": "#31373c",
    "accent": "#62cbbf",
    "wash": "#1d3330",
    "warm": "#eba06b",
    "mark": "#5c4b12",
    "land": "#2a3035",
    "shore": "#4a545b",
    "bad": "#f09a9a",
}
TYPE = {
    "serif": '"Source Serif Pro", "Source Serif 4", "Iowan Old Style", "Palatino Linotype", Palatino, Georgia, serif',
    "sans": '"Source Sans Pro", "Source Sans 3", system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", sans-serif',
    "mono": 'ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
}
FONTS = {
    "SourceSerifPro-Regular.ttf": ("font_source_serif_pro", "Source Serif Pro", 400, "normal"),
    "SourceSerifPro-Semibold.ttf": ("font_source_serif_pro", "Source Serif Pro", 600, "normal"),
    "SourceSerifPro-It.ttf": ("font_source_serif_pro", "Source Serif Pro", 400, "italic"),
    "SourceSansPro-Regular.ttf": ("font_source_sans_pro", "Source Sans Pro", 400, "normal"),
    "SourceSansPro-Semibold.ttf": ("font_source_sans_pro", "Source Sans Pro", 600, "normal"),
}
"""Font files (SIL Open Font License 1.1) with their package, family, weight and style."""


def font_file(name: str) -> Path | None:
    """Return a file of FONTS; None if its package is not installed."""
    package = find_spec(FONTS[name][0]) if name in FONTS else None
    if package is None or not package.origin:
        return None
    file = Path(package.origin).parent / "files" / name
    return file if file.is_file() else None


def font_faces(at: str) -> str:
    """Return CSS for the installed fonts below an address; '' without any."""
    return "".join(
        _face(family, weight, style, f"{at}/{name}")
        for name, (_, family, weight, style) in FONTS.items()
        if font_file(name)
    )


def embedded_fonts(text: str) -> str:
    """Return CSS with embedded fonts, reduced to the characters of a text, for a self-contained file.

    Return '' if the fonts or fontTools are not installed.
    """
    if find_spec("fontTools") is None:
        return ""
    return "".join(
        _face(
            family, weight, style, f"data:font/woff;base64,{base64.b64encode(cut_font(file, text)).decode()}"
        )
        for name, (_, family, weight, style) in FONTS.items()
        if (file := font_file(name))
    )


def cut_font(file: Path, text: str) -> bytes:
    """Return the font as WOFF with the glyphs of a text alone."""
    from fontTools.subset import Options, Subsetter
    from fontTools.ttLib import TTFont

    with TTFont(file) as font:
        # Hints and layout features make up most of a small font.
        cut = Subsetter(Options(hinting=False, layout_features=["kern", "liga", "lnum", "tnum"]))
        cut.populate(text=text)
        cut.subset(font)
        font.flavor = "woff"
        out = io.BytesIO()
        font.save(out)
        return out.getvalue()


def _face(family: str, weight: int, style: str, source: str) -> str:
    return (
        f'@font-face {{ font-family: "{family}"; font-weight: {weight}; font-style: {style}; '
        f'font-display: swap; src: url("{source}"); }}\n'
    )


def variables() -> str:
    """Return colours and type as CSS variables, for light and dark."""
    return (
        f":root {{ {_declared(LIGHT)} {_declared(TYPE)} color-scheme: light dark; }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {_declared(DARK)} }} }}\n"
    )


def drawings() -> str:
    """Return the CSS of charts and maps."""
    return _file("drawings.css")


def logo() -> str:
    """Return the logo as SVG for light and dark."""
    return _file("logo.svg")


def _file(name: str) -> str:
    return (resources.files("lycosa.report") / "static" / name).read_text(encoding="utf-8")


def _declared(values: Mapping[str, str]) -> str:
    """
    >>> _declared({"ink": "#111", "line": "#eee"})
    '--ink: #111; --line: #eee;'
    """
    return " ".join(f"--{name}: {value};" for name, value in values.items())
