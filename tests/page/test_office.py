"""Office files: text, title, date and links; whatever is hostile in them costs its cap and is refused with a reason."""

from __future__ import annotations

import io
import random
import zipfile

import pytest

from lycosa.page.files.office_process import read
from lycosa.page.files.paper import OFFICE_TYPES, Paper, Unread
from lycosa.page.files.reading import read_office
from lycosa.page.response import document_of
from lycosa.values import Fetched, Link, Refusal

W = 'xmlns:w="http://w" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
CORE = (
    '<c xmlns:dc="http://dc" xmlns:t="http://t"><dc:title>Owls of the north</dc:title>'
    "<t:created>2024-05-03T10:00:00Z</t:created></c>"
)
RELS = (
    '<Relationships xmlns="http://rels"><Relationship Id="r1" Target="https://owls.example/barn" TargetMode="External"/>'
    '<Relationship Id="r2" Target="media/a.png"/></Relationships>'
)
DOCX = {
    "word/document.xml": f"<w:document {W}><w:body><w:p><w:r><w:t>The barn owl </w:t></w:r><w:r><w:t>hunts at night.</w:t></w:r></w:p>"
    '<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink r:id="r1"><w:r><w:t>its page</w:t></w:r></w:hyperlink></w:p>'
    "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>Eggs</w:t><w:tab/><w:t>four</w:t></w:r></w:p></w:tc></w:tr></w:tbl></w:body></w:document>",
    "word/_rels/document.xml.rels": RELS,
    "docProps/core.xml": CORE,
}
ODT = {
    "mimetype": "application/vnd.oasis.opendocument.text",
    "content.xml": '<o:d xmlns:o="http://o" xmlns:t="http://t" xmlns:xlink="http://www.w3.org/1999/xlink"><t:h>Nests</t:h>'
    '<t:p>The tawny owl <t:span>nests</t:span> in <t:a xlink:href="https://owls.example/tawny">hollow trees</t:a>.</t:p></o:d>',
    "meta.xml": '<o:m xmlns:o="http://o" xmlns:dc="http://dc"><dc:title>Tawny owls</dc:title><dc:date>2023-02-01T00:00</dc:date></o:m>',
}
PPTX = {
    f"ppt/slides/slide{number}.xml": f'<a:s xmlns:a="http://a"><a:p><a:r><a:t>Slide {number}</a:t></a:r></a:p></a:s>'
    for number in (1, 2, 10)
}
XLSX = {"xl/sharedStrings.xml": '<sst xmlns="http://s"><si><t>Bird</t></si><si><t>Barn owl</t></si></sst>'}


def packed(parts: dict[str, str | bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as package:
        for name, content in parts.items():
            package.writestr(name, content)
    return buffer.getvalue()


def words_of(paper: Paper | Unread) -> list[str]:
    assert isinstance(paper, Paper), paper
    return [part for section in paper.pages for part in section.paragraphs]


def test_a_text_document_has_text_title_day_and_links():
    paper = read(packed({**DOCX}))

    assert words_of(paper) == ["The barn owl hunts at night.", "See its page", "Eggs four"]
    assert isinstance(paper, Paper)
    assert (paper.title, paper.date) == ("Owls of the north", "2024-05-03")
    assert [(link.url, link.words) for link in paper.pages[0].links] == [
        ("https://owls.example/barn", "its page")
    ]


def test_open_documents_slides_and_sheets_are_read_too():
    paper = read(packed({**ODT}))

    assert words_of(paper) == ["Nests", "The tawny owl nests in hollow trees."]
    assert isinstance(paper, Paper)
    assert (paper.title, paper.date, paper.pages[0].links[0].words) == (
        "Tawny owls",
        "2023-02-01",
        "hollow trees",
    )
    assert words_of(read(packed({**PPTX}))) == ["Slide 1", "Slide 2", "Slide 10"]
    assert words_of(read(packed({**XLSX}))) == ["Bird", "Barn owl"]


def test_an_office_file_becomes_a_page():
    """Read by a process of its own, judged and linked as pages are."""
    link = Link("http://a.test/owls.docx", 1)
    kind = next(one for one in OFFICE_TYPES if one.endswith("wordprocessingml.document"))
    body = packed({**DOCX})
    document = document_of(Fetched(link, 200, (("Content-Type", kind),), body, b"", b"", 0.0, 0.0))

    assert not isinstance(document, Refusal)
    assert document.title == "Owls of the north"
    assert "hunts at night" in document.main_text
    assert [out.url for out in document.links] == ["https://owls.example/barn"]


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (packed({"word/document.xml": b"<p>" + b" " * 50_000_000}), "unpacks to more than"),
        (
            packed({"word/document.xml": '<!DOCTYPE a [<!ENTITY b "bb"><!ENTITY c "&b;&b;&b;">]><p>&c;</p>'}),
            "declares a document type",
        ),
        (packed({"content.xml": "<!DOCTYPE a SYSTEM 'file:///etc/passwd'><p/>"}), "declares a document type"),
        (packed({"word/document.xml": "<p>not closed"}), "broken"),
        (packed({"photo.png": b"no text"}), "no office file"),
        (packed({**DOCX})[:-40], "broken"),
        (packed({"word/document.xml": "<p/>".encode("utf-16")}), "document type"),
    ],
)
def test_what_is_hostile_or_broken_is_refused_with_its_reason(body: bytes, why: str):
    found = read(body)

    assert isinstance(found, Unread)
    assert why in found.why


def test_encrypted_and_old_files_are_told():
    whole = bytearray(packed({"word/document.xml": "<p>secret</p>"}))
    for mark, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        whole[whole.index(mark) + flags] |= 1
    found = read(bytes(whole))

    assert isinstance(found, Unread)
    assert "password" in found.why
    old = read_office(b"\xd0\xcf\x11\xe0" + bytes(100))
    assert isinstance(old, Refusal)
    assert "old format" in old.detail


def test_files_that_were_damaged_anywhere_break_nothing():
    chance, whole = random.Random(7), packed({**DOCX})
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(chance.randrange(1, 20)):
            damaged[chance.randrange(len(damaged))] = chance.randrange(256)
        assert isinstance(read(bytes(damaged[: chance.randrange(4, len(damaged) + 1)])), Paper | Unread)


def test_a_deeply_nested_and_a_long_text_cost_their_caps():
    deep = packed({"word/document.xml": "<p>" * 20_000 + "</p>" * 20_000})
    text = " ".join(f"{number * 7919 % 99991}" for number in range(300_000))
    long = packed({"word/document.xml": f"<d><p><t>{text}</t></p></d>"})

    assert isinstance(read(deep), Paper | Unread)
    assert sum(map(len, words_of(read(long)))) <= 1_000_000
