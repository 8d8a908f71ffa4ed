"""Embed pictures in the page as `data:` URIs (RFC 2397)."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from typing import Final

from docxchunk.model.document import Document
from docxchunk.model.objects import Drawing

LARGEST: Final = 2 << 20  # bytes of one picture
MOST: Final = 12 << 20  # bytes of all, counted as often as they are shown

_SIGNATURES: Final = (
    (b"\x89PNG\r\n\x1a\n", "png"),
    (b"\xff\xd8\xff", "jpeg"),
    (b"GIF8", "gif"),
    (b"BM", "bmp"),
)


def data_uris(document: Document, times: int) -> dict[str, str]:
    """Return asset name -> URI for each asset that browsers can show, in document order, within the
    size limits.

    `times` is how often the page repeats all pictures.
    """
    shown = Counter(asset_of(drawing) for drawing in document.drawings.values())
    found: dict[str, str] = {}
    room = MOST
    for name, often in shown.items():
        data = document.assets[name] if name in document.assets else b""  # noqa: SIM401 - each access reads from disk
        cost = len(data) * often * times
        if (kind := media_type(data)) and len(data) <= LARGEST and cost <= room:
            found[name] = f"data:{kind};base64,{b64encode(data).decode()}"
            room -= cost
    return found


def media_type(data: bytes) -> str:
    """Return the media type by the first bytes; "" for formats that browsers do not show (EMF, WMF,
    TIFF).
    """
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    if (
        data[:200].lstrip(b"\xef\xbb\xbf \r\n").startswith((b"<svg", b"<?xml"))
        and b"<svg" in data[:2000]
    ):
        return "image/svg+xml"
    return next(
        (f"image/{name}" for signature, name in _SIGNATURES if data.startswith(signature)), ""
    )


def asset_of(drawing: Drawing) -> str:
    return drawing.path.rpartition("/")[2]


def picture_text(drawing: Drawing, *, shown: bool) -> str:
    """Return the alternative text of a picture; for one that is not embedded, with its kind and
    format.
    """
    text = drawing.alt or drawing.caption or drawing.name
    return (
        (text or str(drawing.kind))
        if shown
        else " · ".join(filter(None, (str(drawing.kind), text, drawing.format)))
    )
