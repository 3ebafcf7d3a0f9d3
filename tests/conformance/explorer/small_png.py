"""A picture in at most 256 colours: a page of text is then half as large, and looks the same."""

import base64
import struct
import zlib
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from tests.conformance.explorer.browser import Browser

_COLOURS: Final = 256
_PIXELS: Final = """
const [png, done] = arguments, image = new Image();
image.onload = () => {
  const canvas = new OffscreenCanvas(image.width, image.height), context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  let text = "";
  for (const byte of context.getImageData(0, 0, image.width, image.height).data) text += String.fromCharCode(byte);
  done([image.width, btoa(text)]);
};
image.src = `data:image/png;base64,${png}`;
"""
"""Has the browser read its own PNG: width, and four bytes a pixel."""


def screenshot(browser: Browser) -> bytes:
    """What a browser shows, as PNG with a palette."""
    driver: Any = browser.driver
    width, text = driver.execute_async_script(_PIXELS, driver.get_screenshot_as_base64())
    pixels = np.frombuffer(base64.b64decode(text), np.uint8).reshape(-1, width, 4)[:, :, :3]
    palette, indices = _reduced(pixels)
    height = len(indices)
    rows = np.zeros((height, width + 1), np.uint8)
    rows[:, 1:] = indices
    head = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    body = zlib.compress(rows.tobytes(), 9)
    chunks = ((b"IHDR", head), (b"PLTE", palette.tobytes()), (b"IDAT", body), (b"IEND", b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(kind, data) for kind, data in chunks)


def _reduced(pixels: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """The commonest colours of a picture, and of each pixel the number of the nearest one."""
    colours, where, counts = np.unique(pixels.reshape(-1, 3), axis=0, return_inverse=True, return_counts=True)
    palette = colours[np.argsort(-counts)[:_COLOURS]]
    distances = ((colours[:, None].astype(np.int32) - palette[None].astype(np.int32)) ** 2).sum(axis=2)
    return palette, distances.argmin(axis=1).astype(np.uint8)[where.reshape(pixels.shape[:2])]


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
