"""Serve style, logo and fonts."""

from __future__ import annotations

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import FileResponse, Response
from starlette.routing import Route

from lycosa.report import design

FONT_AGE_S = 30 * 24 * 3600
"""Seconds that a browser keeps a font, whose file never changes."""


def design_routes() -> list[Route]:
    """Return routes below /static that are generated, or come from installed packages."""
    return [
        Route("/static/design.css", _style),
        Route("/static/logo.svg", _logo),
        Route("/static/fonts/{name}", _font),
    ]


def _style(_: Request) -> Response:
    text = design.font_faces("/static/fonts") + design.variables() + design.drawings()
    return Response(text, media_type="text/css")


def _logo(_: Request) -> Response:
    return Response(design.logo(), media_type="image/svg+xml")


def _font(request: Request) -> Response:
    file = design.font_file(request.path_params["name"])
    if file is None:
        raise HTTPException(404, "There is no such font here. Install them with: pip install 'lycosa[fonts]'")
    headers = {"Cache-Control": f"public, max-age={FONT_AGE_S}"}
    return FileResponse(file, media_type="font/ttf", headers=headers)
