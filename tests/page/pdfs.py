"""PDF files made by hand, whole and hostile."""

from __future__ import annotations

import zlib

OWLS = (
    "The barn owl hunts at night over open fields.",
    "Its plumage makes no sound, and it hears a vole below the snow.",
    "It nests in hollow trees and in church towers.",
)


def pdf(
    *pages: tuple[str, ...], title: str = "", date: str = "", link: str = "", encrypted: bool = False
) -> bytes:
    """A file with these lines on its pages; the link stands on the first line of the first page."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        4: f"<< /Title ({title}) {f'/CreationDate ({date})' if date else ''} >>".encode(),
    }
    kids = []
    for number, lines in enumerate(pages):
        page, content = 10 + 2 * number, 11 + 2 * number
        kids.append(f"{page} 0 R")
        shown = " ".join(f"({line}) Tj T*" for line in lines)
        objects[content] = stream(f"BT /F1 12 Tf 14 TL 72 720 Td {shown} ET".encode())
        annotation = (
            f"/Annots [<< /Type /Annot /Subtype /Link /Rect [70 715 500 735] /A << /S /URI /URI ({link}) >> >>]"
            if link and not number
            else ""
        )
        objects[page] = (
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {content} 0 R {annotation} "
            "/Resources << /Font << /F1 3 0 R >> >> >>"
        ).encode()
    objects[2] = f"<< /Type /Pages /Kids [{' '.join(kids)}] /Count {len(kids)} >>".encode()
    lock = (
        f"/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O <{'41' * 32}> /U <{'42' * 32}> >> /ID [<00> <00>]"
    )
    return put_together(objects, lock if encrypted else "")


def stream(data: bytes, packed: bytes | None = None, more: str = "") -> bytes:
    """A stream object."""
    packed = zlib.compress(data) if packed is None else packed
    head = f"<< /Length {len(packed)} /Filter /FlateDecode {more} >>\nstream\n"
    return head.encode() + packed + b"\nendstream"


def put_together(objects: dict[int, bytes], trailer: str = "") -> bytes:
    """A file of these objects; 1 is the catalogue, 4 what is said about it."""
    out, places = bytearray(b"%PDF-1.7\n"), {}
    for number, content in sorted(objects.items()):
        places[number] = len(out)
        out += b"%d 0 obj\n" % number + content + b"\nendobj\n"
    start, size = len(out), max(objects) + 1
    out += b"xref\n0 %d\n" % size
    for number in range(size):
        out += b"%010d 00000 n \n" % places[number] if number in places else b"0000000000 65535 f \n"
    about = "/Info 4 0 R" if 4 in objects else ""
    out += f"trailer\n<< /Size {size} /Root 1 0 R {about} {trailer} >>\nstartxref\n{start}\n%%EOF\n".encode()
    return bytes(out)


def bomb(megabytes: int = 4_000) -> bytes:
    """A page whose content unpacks to this much."""
    pack = zlib.compressobj(9)
    head = pack.compress(b"") + pack.flush(zlib.Z_FULL_FLUSH)
    megabyte = pack.compress(b"(owl) Tj \n" * 100_000) + pack.flush(
        zlib.Z_FULL_FLUSH
    )  # needs nothing before it
    packed = head + megabyte * megabytes
    return put_together(
        {
            1: b"<< /Type /Catalog /Pages 2 0 R >>",
            2: b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
            3: b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 6 0 R /Resources << /Font << /F1 3 0 R >> >> >>",
            6: stream(b"", packed),
        }
    )


def page_loop() -> bytes:
    """A tree of pages that holds itself, and lies about how many there are."""
    return put_together(
        {1: b"<< /Type /Catalog /Pages 2 0 R >>", 2: b"<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 1000000 >>"}
    )


def form_loop() -> bytes:
    """A form that shows itself twice, thirty deep: a billion times."""
    objects = {
        1: b"<< /Type /Catalog /Pages 2 0 R >>",
        2: b"<< /Type /Pages /Kids [5 0 R] /Count 1 >>",
        5: b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 6 0 R /Resources << /XObject << /X 10 0 R >> >> >>",
        6: stream(b"/X Do /X Do"),
    }
    for depth in range(30):
        below = f"/Resources << /XObject << /X {11 + depth if depth < 29 else 10} 0 R >> >>"
        objects[10 + depth] = stream(
            b"/X Do /X Do", more=f"/Type /XObject /Subtype /Form /BBox [0 0 9 9] {below}"
        )
    return put_together(objects)
