"""Profiles on media-sharing sites [Zhang & Nasraoui 2009]: page types by path strings, what they say, ranks.

In: a Document and a site's PageTypes. Out: the page's type, its tags, uploader, sets and contacts, and the
kind of each link.
"""
