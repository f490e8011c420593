"""PDF files as pages: what they say, and what hostile ones may cost."""

from __future__ import annotations

import io
import resource

import pytest

from lycosa.page.document import Document
from lycosa.page.files.paper import MEMORY_BYTES, Paper
from lycosa.page.files.reading import read_pdf
from lycosa.page.response import document_of
from lycosa.values import Fetched, Link, Reason, Refusal
from tests.page.pdfs import OWLS, bomb, form_loop, page_loop, pdf


def document(body: bytes, content_type: str = "application/pdf") -> Document | Refusal:
    headers = (("Content-Type", content_type),)
    return document_of(Fetched(Link("http://a.test/owls.pdf", 1), 200, headers, body, b"", b"", 0.0, 0.0))


def test_a_pdf_is_a_page():
    """Text, title, date, language, links with their words, and how many pages it has."""
    page = document(
        pdf(OWLS, ("A second page.",), title="Owls", date="D:20240503120000Z", link="http://b.test/x")
    )

    assert isinstance(page, Document)
    assert (page.title, page.date, page.language, page.page_count) == ("Owls", "2024-05-03", "en", 2)
    assert page.main_text == page.text
    assert [" ".join(page.text.split())] == [" ".join([*OWLS, "A second page."])]
    assert [(link.url, link.anchor) for link in page.links] == [("http://b.test/x", OWLS[0])]
    assert page.terms["owl"] == 1


def test_a_pdf_is_known_by_its_bytes():
    """Whatever its server calls it; and what is only called one is refused."""
    mislabelled, wrong = document(pdf(OWLS), "text/html"), document(b"<p>no such file", "application/pdf")

    assert isinstance(mislabelled, Document)
    assert "plumage" in mislabelled.text
    assert wrong == Refusal(Reason.NOT_A_PAGE, "called a PDF, but it is none")


@pytest.mark.parametrize("title", ["", "Microsoft Word - draft7.doc", "owls.indd", "untitled", "--- 12"])
def test_the_first_line_is_the_title_where_nobody_gave_one(title: str):
    page = document(pdf(OWLS, title=title))

    assert isinstance(page, Document)
    assert page.title.startswith("The barn owl")


def test_urls_in_the_text_are_links():
    page = document(pdf(("See http://b.test/owls.", "and (https://c.test/a_b)")))

    assert isinstance(page, Document)
    assert [link.url for link in page.links] == ["http://b.test/owls", "https://c.test/a_b"]


def test_a_file_of_another_program_is_read():
    """As matplotlib writes it: embedded fonts, letters by number."""
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    figure, out = Figure(), io.BytesIO()
    figure.text(0.1, 0.5, "Größe und Ähnlichkeit der Eulen: 3½ Ελληνικά")
    figure.savefig(out, format="pdf", metadata={"Title": "Eulen"})
    page = document(out.getvalue())

    assert isinstance(page, Document)
    assert page.title == "Eulen"
    assert "Größe und Ähnlichkeit der Eulen: 3½ Ελληνικά" in page.text


@pytest.mark.parametrize("cut", [0.3, 0.6, 0.95])
def test_a_cut_file_is_read_as_far_as_it_goes_or_refused(cut: float):
    whole = pdf(OWLS, OWLS, title="Owls")
    page = document(whole[: int(cut * len(whole))])

    assert isinstance(page, Document) or page.reason is Reason.NOT_A_PAGE


def test_a_locked_file_is_refused():
    refused = document(pdf(OWLS, encrypted=True))

    assert isinstance(refused, Refusal)
    assert "wants a password" in str(refused)


def peak_of_children() -> int:
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024


@pytest.mark.parametrize("make", [bomb, page_loop, form_loop])
def test_a_hostile_file_costs_at_most_its_cap(make, monkeypatch: pytest.MonkeyPatch):
    """Text or a refusal, when the time that one file has is over, and within its memory."""
    monkeypatch.setattr("lycosa.page.files.reading.DEADLINE_S", 3.0)
    before = peak_of_children()  # other tests had children too, some of them larger
    result = read_pdf(make())

    assert peak_of_children() <= max(before, MEMORY_BYTES)
    assert isinstance(result, Paper | Refusal)
    if isinstance(result, Paper):
        assert sum(len(part) for page in result.pages for part in page.paragraphs) <= 1_000_000
