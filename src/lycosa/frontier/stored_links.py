"""Links and their notes as they are on disk, those of earlier versions too. In: bytes. Out: values."""

from __future__ import annotations

from typing import Any

import msgspec

from lycosa.values import Link, Notes

_pack = msgspec.msgpack.Encoder().encode
_link = msgspec.msgpack.Decoder(Link).decode
_notes = msgspec.msgpack.Decoder(Notes).decode
_plain = msgspec.msgpack.Decoder(list[Any]).decode
_memo = msgspec.msgpack.Decoder(dict[str, Any]).decode
_NOTED = Link.__struct_fields__.index("noted")


def packed_notes(notes: Notes | None) -> bytes | None:
    """As stored: most have a memo and nothing else, which is then stored alone."""
    if notes is None:
        return None
    return notes.memo if notes.memo and notes == Notes(notes.memo) else _pack(notes)


def read_notes(data: bytes | None) -> Notes | None:
    """What `packed_notes` made, or a memo of an earlier version."""
    if data is None:
        return None
    if data[0] >> 4 == 0x9:  # a list: not the map of a memo that was stored alone
        return _notes(data)
    memo = _memo(data)
    return Notes(data) if "type" in memo else _of_old(memo)


def read_link(data: bytes) -> Link:
    """A link as it was stored, by this version or an earlier one."""
    try:
        return _link(data)
    except msgspec.ValidationError:
        fields = _plain(data)
        fields[_NOTED] = _of_old(fields[_NOTED])
        return msgspec.convert(fields, Link)


def _of_old(memo: dict[str, Any]) -> Notes | None:
    """Before there were notes, the engine and the strategies wrote into one map."""
    via, by = memo.pop("via", ()), memo.pop("by", "")
    etag, last_modified = memo.pop("etag", ""), memo.pop("last_modified", "")
    opened_by = memo.get("v", 0)  # stays in the memo, too: it was the multimedia strategy's
    notes = Notes(
        _pack(memo) if memo else b"", tuple(via), by == "stylesheet", etag, last_modified, opened_by
    )
    return None if notes == Notes() else notes
