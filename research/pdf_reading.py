"""How well PDF files are read, ours beside pypdf: files of several programs, whole, broken and locked. Out: a table of docs/documents.md.

The programs that make the files are no part of the project: pip install reportlab weasyprint fpdf2 pikepdf pypdf first, in
an environment of its own with lycosa; Chromium is taken where it is installed.
Command line: python -m research.pdf_reading FOLDER    (makes 200 files there, then reads them)
Expected time: a minute of CPU.
"""

from __future__ import annotations

import io
import subprocess
import sys
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from lycosa.page.pdf import read_pdf
from lycosa.values import Refusal
from research.measured import ROOT, commit_of, cpu_s, table, write_part

PAGE = ROOT / "docs" / "documents.md"
TEXTS = (
    "The barn owl hunts at night over open fields and catches voles in complete darkness. Ligatures such as office, "
    "fluffy, affine and final test the reader; so do numbers like 3.14 and 2026-11-16. Four to seven eggs lie in a church tower.",
    "Die Eule hört jedes Geräusch. Größere Eulen brüten in Höhlen, kleinere überall; die Jungvögel bleiben zwei Monate.",
    "La chouette étouffe le bruit grâce à ses plumes. Elle pond quatre œufs à la fin de l'été, près du clocher.",
    "Сова охотится ночью над полями и ловит мышей в полной темноте. Она гнездится в дуплах деревьев.",
    "Η κουκουβάγια κυνηγά τη νύχτα πάνω από ανοιχτά χωράφια και φωλιάζει σε κουφάλες δέντρων.",
)
PARAGRAPHS = 6
Make = Callable[[int, Path], None]


def paragraphs(number: int) -> list[str]:
    """What file number so-and-so says: the words of a text in another order in each paragraph."""
    chance, words = Random(number), TEXTS[number % len(TEXTS)].split()
    return [" ".join(chance.sample(words, len(words))) for _ in range(PARAGRAPHS)]


def _font() -> str:
    from matplotlib import font_manager

    return str(font_manager.findfont("DejaVu Sans"))


def _with_reportlab(number: int, path: Path) -> None:
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont
    from reportlab.platypus import Paragraph, SimpleDocTemplate

    pdfmetrics.registerFont(TTFont("DejaVu", _font()))
    style = ParagraphStyle("plain", fontName="DejaVu")
    SimpleDocTemplate(str(path)).build([Paragraph(part, style) for part in paragraphs(number)])


def _with_weasyprint(number: int, path: Path) -> None:
    import weasyprint

    columns = "column-count: 2" if number % 2 else ""
    body = "".join(f"<p>{part}</p>" for part in paragraphs(number))
    weasyprint.HTML(string=f"<body style='font-family: DejaVu Sans; {columns}'>{body}").write_pdf(str(path))


def _with_fpdf(number: int, path: Path) -> None:
    from fpdf import FPDF

    paper = FPDF()
    paper.add_font("DejaVu", fname=_font())
    paper.set_font("DejaVu", size=11)
    paper.add_page()
    for part in paragraphs(number):
        paper.multi_cell(0, 6, part)
        paper.ln()
    paper.output(str(path))


def _with_matplotlib(number: int, path: Path) -> None:
    import matplotlib
    from matplotlib.figure import Figure

    lines = [line for part in paragraphs(number) for line in textwrap.wrap(part, 80)]
    figure = Figure(figsize=(8.3, 11.7))
    figure.text(0.1, 0.9, "\n".join(lines), va="top", fontsize=9)
    with matplotlib.rc_context({"pdf.fonttype": 3 if number % 2 else 42}):
        figure.savefig(path)


def _with_chromium(number: int, path: Path) -> None:
    page = path.with_suffix(".html")
    page.write_text("<meta charset=utf-8>" + "".join(f"<p>{part}</p>" for part in paragraphs(number)))
    options = [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--no-pdf-header-footer",
        f"--print-to-pdf={path}",
    ]
    subprocess.run(["chromium", *options, str(page)], check=True, stderr=subprocess.DEVNULL)
    page.unlink()


def broken(number: int, path: Path) -> None:
    """Without a table of its objects, with junk before it, cut, or with a table of nonsense."""
    (_with_weasyprint if number % 2 else _with_reportlab)(number, path)
    whole = path.read_bytes()
    path.write_bytes(
        (
            whole.replace(b"startxref", b"startxrex"),
            b"junk\n" * 50 + whole,
            whole[: len(whole) * 9 // 10],
            whole.replace(b"\nxref", b"\nxrxx"),
        )[number % 4]
    )


def locked(number: int, path: Path) -> None:
    """Encrypted, though no password is needed to read it."""
    import pikepdf

    _with_weasyprint(number, path)
    with pikepdf.open(path, allow_overwriting_input=True) as paper:
        paper.save(path, encryption=pikepdf.Encryption(owner="owner", user=""))


MAKERS: dict[str, tuple[Make, int]] = {
    "reportlab": (_with_reportlab, 50),
    "weasyprint": (_with_weasyprint, 50),
    "fpdf2": (_with_fpdf, 40),
    "matplotlib": (_with_matplotlib, 20),
    "chromium": (_with_chromium, 10),
    "broken": (broken, 20),
    "encrypted": (locked, 10),
}


def _ours(data: bytes) -> str:
    paper = read_pdf(data)
    if isinstance(paper, Refusal):
        return ""
    return "\n".join(part for page in paper.pages for part in page.paragraphs)


def _by_pypdf(data: bytes) -> str:
    import pypdf

    return "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)


def f1(found: Sequence[Any], wanted: Sequence[Any]) -> float:
    """Harmonic mean of precision and recall of two bags.

    >>> f1("abc", "abcd")
    0.8571428571428571
    """
    common = sum((Counter(found) & Counter(wanted)).values())
    return 2 * common / (len(found) + len(wanted)) if common else 0.0


def _threes(words: list[str]) -> list[tuple[str, ...]]:
    return list(zip(words, words[1:], words[2:], strict=False))


def make_files(folder: Path) -> None:
    """Make what is missing of the files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, (make, count) in MAKERS.items():
        for number in range(count):
            path = folder / f"{name}-{number:03}.pdf"
            if not path.exists():
                make(number, path)


def rows_of(name: str, read: Callable[[bytes], str], folder: Path) -> list[list[str]]:
    """What a reader makes of the files of each kind."""
    found: dict[str, list[tuple[float, float]]] = defaultdict(list)
    began = cpu_s()
    for path in sorted(folder.glob("*.pdf")):
        kind, _, place = path.stem.partition("-")
        wanted = " ".join(paragraphs(int(place))).split()
        try:
            words = read(path.read_bytes()).split()
        except Exception:  # whatever a reader makes of a broken file
            words = []
        found[kind].append((f1(words, wanted), f1(_threes(words), _threes(wanted))))
    took = (cpu_s() - began) / sum(map(len, found.values()))
    rows = []
    for kind, each in found.items():
        right, in_order = (sum(values) / len(each) for values in zip(*each, strict=True))
        empty = sum(not one for one, _ in each)
        rows.append(
            [name, f"{len(each)} {kind}", f"{right:.3f}", f"{in_order:.3f}", str(empty), f"{took:.2f}"]
        )
    return rows


def main(folder: Path) -> None:
    """Make the files, read all, and write the table."""
    make_files(folder)
    readers = (("Lycosa (PDFium, a process each)", _ours), ("pypdf", _by_pypdf))
    rows = [row for name, read in readers for row in rows_of(name, read, folder)]
    heads = ["reader", "files", "words, F1", "three in a row, F1", "without text", "CPU seconds a file"]
    write_part(PAGE, "readers", f"{table(heads, rows)}\n\nMeasured at {commit_of(ROOT)}.")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
