"""Page ids in paths: at most 18 digits, which fit SQLite's integers."""

from __future__ import annotations

from starlette.convertors import IntegerConvertor, register_url_convertor


class PageId(IntegerConvertor):
    """`{id:page_id}`: digits that fit 64 bits; longer ones are not found."""

    regex = "[0-9]{1,18}"


register_url_convertor("page_id", PageId())
PAGE_ID = "{id:page_id}"
