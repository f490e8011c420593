"""Decoding of response bodies: content encodings, with a limit on the output, and charsets as in browsers."""

from __future__ import annotations

import codecs
import re
import zlib
from collections.abc import Callable, Iterable

import brotli
import zstandard
from resiliparse.parse.encoding import detect_encoding, map_encoding_to_html5

from lycosa.fetch.deflate import GZIP, gunzipped
from lycosa.values import Fetched, Reason, Refusal

MAX_ENCODINGS = 3
META_BYTES = 4096
MAX_ZSTD_WINDOW = 8 * 1024 * 1024  # the limit of RFC 9659
READ = 1024 * 1024
MAX_MEMBERS = 256
"""Maximum number of members of one gzip body; a megabyte can hold fifty thousand empty ones."""
SALVAGE_STEPS = (256, 1)

Undo = Callable[[bytes, int], tuple[bytes, bool]]
"""(data, room) -> (at most `room` bytes of output, whether the data is complete)."""

_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_HEADER_CHARSET = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]{1,40})", re.IGNORECASE)
_COMMENT = re.compile(rb"<!--.*?(?:-->|\Z)", re.DOTALL)
_META_CHARSET = re.compile(
    rb"<(?:meta\b[^>]*?\bcharset|\?xml\b[^>]*?\bencoding)\s*=\s*[\"']?\s*([A-Za-z0-9_.:-]{1,40})",
    re.IGNORECASE,
)
# WHATWG means supersets of Python's codecs by these names.
_SUPERSETS = {
    "gbk": "gb18030",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "big5": "big5hkscs",
    "iso8859-11": "cp874",
}


def decoded_body(fetched: Fetched, max_bytes: int) -> bytes | Refusal:
    """Return the decoded body; BOMB if it is larger than `max_bytes`.

    A broken encoding is decoded up to the damage; BAD_ENCODING if nothing can be decoded.
    """
    encodings = content_encodings(fetched.headers)
    if len(encodings) > MAX_ENCODINGS:
        return Refusal(Reason.BAD_ENCODING, f"{len(encodings)} encodings on top of each other")
    data = fetched.body
    for name in encodings:
        undo = _UNDO.get(name)
        if undo is None:
            return Refusal(Reason.BAD_ENCODING, name)
        decoded, well = undo(data, max_bytes + 1)
        if not decoded and data and not well:
            return Refusal(Reason.BAD_ENCODING, name)
        data = decoded
        if len(data) > max_bytes:
            break
    if len(data) > max_bytes:
        return Refusal(Reason.BOMB, f"more than {max_bytes} bytes")
    return data


def decoded_start(headers: Iterable[tuple[str, str]], body: bytes, max_bytes: int) -> bytes:
    """Return the first bytes of a decoded body, up to any damage."""
    data = body
    for name in content_encodings(headers)[:MAX_ENCODINGS]:
        if name in _UNDO:
            data = _UNDO[name](data, max_bytes)[0]
    return data[:max_bytes]


def content_encodings(headers: Iterable[tuple[str, str]]) -> list[str]:
    """Return the content encodings, the last applied first. Unknown names (`utf-8`, `none`) are ignored, as in browsers.

    >>> content_encodings([("Content-Encoding", "deflate, GZIP"), ("content-encoding", "br")])
    ['br', 'gzip', 'deflate']
    """
    said = ",".join(value for name, value in headers if name.lower() == "content-encoding")
    names = (name.strip().lower().removeprefix("x-") for name in said.split(","))
    return [name for name in names if name in _UNDO or name == "compress"][::-1]


def _gzip(data: bytes, room: int) -> tuple[bytes, bool]:
    output, well, more = _member(data, room)
    if not more:
        return output, well or bool(output)
    parts, size = [output], len(output)
    for _ in range(MAX_MEMBERS):
        if not more or size >= room:
            break
        output, well, more = _member(more, room - size)
        parts.append(output)
        size += len(output)
    return b"".join(parts), well or size > 0


def _member(data: bytes, room: int) -> tuple[bytes, bool, bytes]:
    """Decompress a gzip member, as `_inflate` does."""
    if (sound := gunzipped(data, room)) is not None:
        return sound[0], True, sound[1]
    return _inflate(GZIP + zlib.MAX_WBITS, data, room)


def _deflate(data: bytes, room: int) -> tuple[bytes, bool]:
    """Decompress zlib format (RFC 9110), or the raw deflate that some servers send."""
    output, well, _ = _inflate(zlib.MAX_WBITS, data, room)
    if output or well:
        return output, well
    return _inflate(-zlib.MAX_WBITS, data, room)[:2]


def _inflate(window: int, data: bytes, room: int) -> tuple[bytes, bool, bytes]:
    """Return the output, whether the stream ended or filled the room, and the bytes after it."""
    unzip = zlib.decompressobj(window)
    try:
        output = unzip.decompress(data, room)
    except zlib.error:
        return _salvaged(lambda: zlib.decompressobj(window).decompress, data, room), False, b""
    return output, unzip.eof or len(output) >= room, unzip.unused_data


def _brotli(data: bytes, room: int) -> tuple[bytes, bool]:
    unpack = brotli.Decompressor()
    output = bytearray()
    piece = data
    try:
        while len(output) < room and not unpack.is_finished():
            got = unpack.process(piece, output_buffer_limit=room - len(output))
            output += got
            if not got and unpack.can_accept_more_data():
                break  # incomplete
            piece = b""
    except brotli.error:
        return _salvaged(lambda: _brotli_steps(room), data, room), False
    return bytes(output[:room]), unpack.is_finished() or len(output) >= room


def _brotli_steps(room: int) -> Callable[[bytes], bytes]:
    unpack = brotli.Decompressor()
    return lambda step: bytes(unpack.process(step, output_buffer_limit=room))


def _zstd(data: bytes, room: int) -> tuple[bytes, bool]:
    unpack = zstandard.ZstdDecompressor(max_window_size=MAX_ZSTD_WINDOW)
    output = bytearray()
    try:
        with unpack.stream_reader(data, read_across_frames=True) as reader:
            while len(output) < room and (got := reader.read(min(room - len(output), READ))):
                output += got
    except zstandard.ZstdError:
        return _salvaged(lambda: unpack.decompressobj().decompress, data, room), False
    return bytes(output), bool(output)


def _salvaged(begin: Callable[[], Callable[[bytes], bytes]], data: bytes, room: int) -> bytes:
    """Return the output before the damage. Steps get smaller, because an error loses the output of its step."""
    good, output = 0, bytearray()
    for step in SALVAGE_STEPS:
        undo = begin()
        output = bytearray(undo(data[:good]) if good else b"")
        for start in range(good, len(data), step):
            try:
                output += undo(data[start : start + step])
            except (zlib.error, brotli.error, zstandard.ZstdError):
                break
            good = start + step
            if len(output) >= room:
                return bytes(output[:room])
    return bytes(output)


_UNDO: dict[str, Undo] = {"gzip": _gzip, "deflate": _deflate, "br": _brotli, "zstd": _zstd}


def decoded_text(body: bytes, content_type: str = "") -> tuple[str, str]:
    """Return the text of a decoded body and its charset. Never fails.

    The charset is that of the byte order mark, the Content-Type or the markup's declaration, in this order; else
    UTF-8 if the bytes are valid; else a guess.

    >>> decoded_text("caf\u00e9".encode("latin-1"), "text/html; charset=ISO-8859-1")
    ('café', 'cp1252')
    """
    for mark, charset in _BOMS:
        if body.startswith(mark):
            return body[len(mark) :].decode(charset, "replace"), charset
    said = _said_charset(body, content_type)
    if said is not None:
        return body.decode(said, "replace"), said
    try:
        return body.decode("utf-8"), "utf-8"
    except UnicodeDecodeError:
        charset = _guessed_charset(body)
        return body.decode(charset, "replace"), charset


def _said_charset(body: bytes, content_type: str) -> str | None:
    if (said := _HEADER_CHARSET.search(content_type)) and (charset := _codec(said[1])):
        return charset
    start = body[:META_BYTES]
    if b"<!--" in start:
        start = _COMMENT.sub(b"", start)
    meta = _META_CHARSET.search(start)
    charset = _codec(meta[1].decode("ascii")) if meta else None
    # A declaration that can be read as ASCII cannot itself be UTF-16 (WHATWG, HTML 13.2.3.2).
    return "utf-8" if charset and charset.startswith("utf-16") else charset


def _codec(label: str) -> str | None:
    """Return the codec of a WHATWG label; None if it is unknown.

    >>> _codec("latin1"), _codec("GB2312"), _codec("unicode_escape")
    ('cp1252', 'gb18030', None)
    """
    charset = map_encoding_to_html5(label.lower(), False)
    return None if charset is None else _SUPERSETS.get(charset, str(charset))


def _guessed_charset(body: bytes) -> str:
    charset = _codec(detect_encoding(body) or "")
    # The bytes are not valid UTF-8: this guess means "unknown".
    return charset if charset not in (None, "utf-8") else "cp1252"
