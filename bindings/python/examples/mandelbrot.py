#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the Mandelbrot set in bands of rows on a device and writes it as a PNG file, with nothing but the standard library.

    mandelbrot.py --device cpu --size 1920x1280 --output mandelbrot.png

Two bands are in flight: while the device computes one, the host compresses the other. A host function of the stream moves the
progress bar.
"""

import argparse
import pathlib
import struct
import zlib
from functools import partial
from typing import List, Tuple

import manyrt
from progress import Progress

ROWS = 16  # of a band
SOURCE = """
kernel void mandelbrot(global uchar *pixels, int width, int height, int first_row, int limit) {
  int x = get_global_id(0), y = get_global_id(1);
  if (x >= width || y + first_row >= height) return;
  float step = 3.0f / width, cr = -2.25f + x * step, ci = (y + first_row - height / 2) * step, zr = 0.0f, zi = 0.0f;
  int n = 0;
  for (; n < limit && zr * zr + zi * zi < 4.0f; ++n) {
    float next = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = next;
  }
  float t = n == limit ? 0.0f : sqrt((float)n / limit);
  global uchar *pixel = pixels + 3 * (y * width + x);
  pixel[0] = (uchar)(255 * t);
  pixel[1] = (uchar)(255 * t * t);
  pixel[2] = (uchar)(255 * (n == limit ? 0.0f : 0.3f + 0.7f * (1.0f - t)));
}
"""


def chunk(kind: bytes, data: bytes) -> bytes:
    """A piece of a PNG file: length, kind, data, check sum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def write_png(path: pathlib.Path, width: int, height: int, compressed: bytes) -> None:
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)  # 8 bits, RGB
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", compressed) + chunk(b"IEND", b""))


def render(context: manyrt.Context, width: int, height: int, limit: int, progress: Progress) -> bytes:
    """The rows as the data of a PNG file: each begins with its filter, 0."""
    kernel = context.module(SOURCE)["mandelbrot"]
    compressor = zlib.compressobj()
    parts: List[bytes] = []
    pending: List[Tuple[manyrt.Stream, manyrt.Array, int]] = []

    def collect() -> None:
        stream, band, rows = pending.pop(0)
        stream.synchronize()
        pixels = band.host()
        for row in range(rows):
            parts.append(compressor.compress(b"\0" + bytes(pixels[row * width * 3:(row + 1) * width * 3])))

    slots = [(context.stream(), context.empty(ROWS * width * 3, "uint8"), context.empty(ROWS * width * 3, "uint8", "host"))
             for _ in range(2)]
    launch = kernel[kernel.shape((width, ROWS), (16, 4))]
    for at, first_row in enumerate(range(0, height, ROWS)):
        if len(pending) == len(slots):
            collect()
        stream, device_band, band = slots[at % len(slots)]
        rows = min(ROWS, height - first_row)
        launch(stream, device_band, width, height, first_row, limit)
        band.copy_from(device_band, stream)
        stream.call(partial(progress, rows))
        pending.append((stream, band, rows))
    while pending:
        collect()
    parts.append(compressor.flush())
    return b"".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", help='such as "cuda:0"; without it the best there is')
    parser.add_argument("--size", default="960x640", help="WIDTHxHEIGHT")
    parser.add_argument("--limit", type=int, default=400, help="iterations for each point")
    parser.add_argument("--output", type=pathlib.Path, default=pathlib.Path("mandelbrot.png"))
    args = parser.parse_args()
    width, height = (int(part) for part in args.size.split("x"))
    with manyrt.Context(args.device) as context, Progress("Rows", height) as progress:
        data = render(context, width, height, args.limit, progress)
        write_png(args.output, width, height, data)
    print(f"{args.output}: {width}x{height}, drawn on {context.device.name}")


if __name__ == "__main__":
    main()
