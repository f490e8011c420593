"""From received bytes to text, whatever the server sent."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import brotli
import pytest
import zstandard
from hypothesis import given
from hypothesis import strategies as st

from lycosa.fetch import decode, deflate
from lycosa.fetch.decode import content_encodings, decoded_body, decoded_start, decoded_text
from lycosa.values import Fetched, Reason, Refusal
from tests.fetch.conftest import link_to

TEXT = "".join(
    f"<p>Paragraph {n} of a page about wolf spiders, {n * 7919 % 1000}.\n" for n in range(6000)
).encode()


def bare_deflate(data: bytes) -> bytes:
    squeeze = zlib.compressobj(wbits=-15)
    return squeeze.compress(data) + squeeze.flush()


PACK: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "x-gzip": gzip.compress,
    "deflate": zlib.compress,
    "DEFLATE": bare_deflate,
    "br": lambda data: brotli.compress(data, quality=5),
    "zstd": zstandard.ZstdCompressor().compress,
}


def received(body: bytes, *encodings: str) -> Fetched:
    headers = tuple(("Content-Encoding", encoding) for encoding in encodings)
    return Fetched(link_to("http://a.test/"), 200, headers, body, b"", b"", 0.0, 0.0)


def reason(result: bytes | Refusal) -> Reason:
    assert isinstance(result, Refusal), result[:80]
    return result.reason


@pytest.mark.parametrize("encoding", PACK)
def test_each_encoding_is_undone(encoding):
    """gzip, both deflates, br and zstd; empty bodies too."""
    assert decoded_body(received(PACK[encoding](TEXT), encoding), 10**6) == TEXT
    assert decoded_body(received(b"", encoding), 10**6) == b""


def test_stacked_encodings_are_undone_up_to_three():
    """The last applied is undone first; a tower of them is refused."""
    body = brotli.compress(gzip.compress(zlib.compress(TEXT)))
    assert decoded_body(received(body, "deflate, gzip", "br"), 10**6) == TEXT
    assert reason(decoded_body(received(body, "gzip, gzip, gzip, gzip"), 10**6)) is Reason.BAD_ENCODING


@pytest.mark.parametrize("name", ["", "identity", "utf-8", "none", "binary"])
def test_what_is_no_encoding_is_passed_over(name):
    """As browsers do with servers that confuse encodings and charsets."""
    assert decoded_body(received(TEXT, name), 10**6) == TEXT


@pytest.mark.parametrize("encoding", PACK)
def test_bombs_are_stopped_while_they_grow(encoding):
    """Output over the cap is a BOMB; exactly the cap is not."""
    body = PACK[encoding](b"\0" * 3_000_000)
    assert reason(decoded_body(received(body, encoding), 100_000)) is Reason.BOMB
    assert decoded_body(received(PACK[encoding](TEXT), encoding), len(TEXT)) == TEXT
    assert reason(decoded_body(received(PACK[encoding](TEXT), encoding), len(TEXT) - 1)) is Reason.BOMB


def test_stacked_bombs_are_stopped():
    """A bomb in a bomb is capped at each stage."""
    inner = gzip.compress(b"\0" * 3_000_000)
    assert reason(decoded_body(received(gzip.compress(inner), "gzip, gzip"), 100_000)) is Reason.BOMB
    assert reason(decoded_body(received(brotli.compress(b"\0" * 10**6), "gzip, br"), 100_000)) is Reason.BOMB


def test_a_plain_body_over_the_cap_is_refused():
    """The cap holds without any encoding as well."""
    assert reason(decoded_body(received(TEXT), 100)) is Reason.BOMB


def test_zstd_windows_are_capped():
    """A frame that demands a huge window of memory is refused."""
    params = zstandard.ZstdCompressionParameters.from_level(3, window_log=27)
    huge = zstandard.ZstdCompressor(compression_params=params)
    squeeze = huge.compressobj()
    body = squeeze.compress(TEXT) + squeeze.flush()
    assert reason(decoded_body(received(body, "zstd"), 10**6)) is Reason.BAD_ENCODING


@pytest.mark.parametrize("encoding", PACK)
def test_of_broken_bodies_the_start_is_kept(encoding):
    """Cut off or damaged in the middle: what came out before is used."""
    whole = PACK[encoding](TEXT)
    cut = decoded_body(received(whole[: len(whole) * 3 // 4], encoding), 10**6)
    assert isinstance(cut, bytes)
    assert TEXT.startswith(cut)
    assert len(cut) > 1000
    middle = len(whole) // 2
    damaged = decoded_body(received(whole[:middle] + b"\xff" * 64 + whole[middle + 64 :], encoding), 10**6)
    assert isinstance(damaged, Refusal) or damaged[:500] == TEXT[:500]


def test_gzip_members_and_padding():
    """Several members are one body; zeros after them are no damage; a wrong checksum is forgiven."""
    assert decoded_body(received(gzip.compress(b"one ") + gzip.compress(b"two"), "gzip"), 100) == b"one two"
    assert decoded_body(received(gzip.compress(b"one") + b"\0" * 50, "gzip"), 100) == b"one"
    assert decoded_body(received(gzip.compress(b"one")[:-8] + b"badcheck", "gzip"), 100) == b"one"


def test_damaged_gzip_is_decoded_as_zlib_does(monkeypatch):
    """Whichever library unpacks sound members: of damaged and cut ones as much comes out as before."""
    whole, answers = gzip.compress(TEXT) + gzip.compress(b"more"), []
    damages = [whole[:size] for size in range(0, len(whole), 7)]
    damages += [whole[:at] + bytes([whole[at] ^ 0x10]) + whole[at + 1 :] for at in range(10, len(whole), 7)]
    for _ in range(2):
        answers.append([decode._gzip(damaged, 10**6) for damaged in damages])
        monkeypatch.setattr(deflate, "_library", zlib)
    assert answers[0] == answers[1]


@pytest.mark.parametrize("content", [b"", b"x"])
def test_many_gzip_members_are_bounded(content, monkeypatch):
    """Half a million members without output do not keep us busy; what came before is used."""
    member, asked = decode._member, []

    def counted(data: bytes, room: int) -> tuple[bytes, bool, bytes]:
        asked.append(len(data))
        return member(data, room)

    monkeypatch.setattr(decode, "_member", counted)
    body = gzip.compress(b"one ") + gzip.compress(content) * 50_000
    found = decoded_body(received(body, "gzip"), 10**6)
    assert isinstance(found, bytes)
    assert found.startswith(b"one " + content)
    assert len(asked) <= decode.MAX_MEMBERS + 1


@pytest.mark.parametrize("encoding", [*PACK, "compress"])
def test_what_cannot_be_decoded_is_refused(encoding):
    """Plain text that claims to be compressed is BAD_ENCODING."""
    assert reason(decoded_body(received(b"<html>plain</html>", encoding), 10**6)) is Reason.BAD_ENCODING


@given(st.binary(max_size=300), st.lists(st.sampled_from([*PACK, "compress", "x"]), max_size=5))
def test_any_body_is_decoded_or_refused(body, encodings):
    """Garbage never crashes, and nothing exceeds the cap."""
    result = decoded_body(received(body, ", ".join(encodings)), 1000)
    assert isinstance(result, Refusal) or len(result) <= 1000
    assert len(decoded_start([("content-encoding", ",".join(encodings))], body, 100)) <= 100


def test_encodings_are_read_from_all_headers():
    """Names are matched in any case."""
    assert content_encodings([("CONTENT-ENCODING", " Gzip ,br"), ("X", "zstd")]) == ["br", "gzip"]


# --- charsets ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "content_type", "text", "charset"),
    [
        (b"\xef\xbb\xbfcaf\xc3\xa9", "text/html; charset=latin1", "café", "utf-8"),
        ("é".encode("utf-16-le").join([b"\xff\xfe", b""]), "", "é", "utf-16-le"),
        ("é".encode("utf-16-be").join([b"\xfe\xff", b""]), "", "é", "utf-16-be"),
        (b"\x93caf\xe9\x94", "text/html; charset=ISO-8859-1", "“café”", "cp1252"),
        (b"caf\xc3\xa9", "text/html;charset='UTF8'", "café", "utf-8"),
        (b"<meta charset=windows-1251>\xef\xf0", "text/html", "<meta charset=windows-1251>пр", "cp1251"),
        (b"<META HTTP-EQUIV=x CONTENT='text/html; charset=koi8-r'>\xd0", "", None, "koi8-r"),
        (b"<?xml version='1.0' encoding='shift_jis'?>\x82\xa0", "", None, "cp932"),
        (b"<!-- <meta charset=koi8-r> --><meta charset=big5>", "", None, "big5hkscs"),
        (b"<meta charset=utf-16>caf\xc3\xa9", "", "<meta charset=utf-16>café", "utf-8"),
        (b"caf\xc3\xa9", "text/html; charset=unicode_escape", "café", "utf-8"),
        (b"caf\xc3\xa9", "text/html; charset=", "café", "utf-8"),
        (b"caf\xe9", "", "café", None),
        ("Привет, мир. Как дела сегодня?".encode("cp1251") * 5, "", None, "cp1251"),
        (b"bad \xff utf", "text/html; charset=utf-8", "bad � utf", "utf-8"),
        (b"", "", "", "utf-8"),
    ],
)
def test_charsets(body, content_type, text, charset):
    """Mark, header, declaration, validity, guess: in this order, with WHATWG's labels."""
    found, used = decoded_text(body, content_type)
    if text is not None:
        assert found == text
    if charset is not None:
        assert used == charset


@given(st.binary(), st.text(max_size=60))
def test_any_bytes_have_a_text(body, content_type):
    """Decoding never fails and the text can be stored."""
    for said in (content_type, f"text/html; charset={content_type}"):
        text, charset = decoded_text(body, said)
        text.encode("utf-8")
        assert charset
