"""Profiles on media-sharing sites: page types by path strings, tags, and ranks [Zhang & Nasraoui 2009]."""

from __future__ import annotations

from lycosa.methods.seam import Commands, Demo, Lazy, Method

METHOD = Method(
    name="profile",
    strategies={"profile": Lazy(f"{__name__}.strategy:Profile")},
    commands=Commands(
        train=Lazy(f"{__name__}.commands:register"),
        demo=Demo(
            run=Lazy(f"{__name__}.demo:run_demo"),
            help="Its site where people share pictures instead, by `profile`.",
        ),
    ),
)
