"""Page ids in addresses. In: digits of a path. Out: a number that a database can look up; longer ones lead nowhere."""

from __future__ import annotations

from starlette.convertors import IntegerConvertor, register_url_convertor


class PageId(IntegerConvertor):
    """`{id:page_id}`: as many digits as fit 64 bits. Any number of them would be an error of Python's."""

    regex = "[0-9]{1,18}"


register_url_convertor("page_id", PageId())
PAGE_ID = "{id:page_id}"
