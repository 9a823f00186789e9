"""Conversions for `InputFile` and `OutputFiles`. Nothing here opens a file."""

import binascii
import csv
import io
import json as documents

import numpy

# Number of bytes per chunk before base64 encoding.
CHUNK_SIZE = 384 << 10

COLORS = ("#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf")


def install():
    csv.field_size_limit(1 << 30)


def text(content, about):
    encoding = about.get("encoding")
    if encoding is None:
        raise ValueError(f"a file of type {about.get('type')} is not text; use bytes()")
    return content.decode(encoding, "replace")


def lines(content, about):
    return text(content, about).splitlines()


def rows(content, about):
    table = io.StringIO(text(content, about), newline="")
    return list(csv.DictReader(table, restkey="", delimiter=about.get("delimiter", ",")))


def json(content, about):
    return documents.loads(text(content, about))


def array(content, about):
    return numpy.lib.format.read_array(io.BytesIO(content), allow_pickle=False)


def pieces(content):
    if isinstance(content, str):
        content = content.encode()
    elif not isinstance(content, (bytes, bytearray)):
        raise TypeError(f"a file is written as str or bytes, not {type(content).__name__}")
    for start in range(0, max(len(content), 1), CHUNK_SIZE):
        yield binascii.b2a_base64(content[start : start + CHUNK_SIZE], newline=False).decode()


def as_json(value):
    return documents.dumps(value, indent=2, allow_nan=False) + "\n"


def as_rows(table):
    table = list(table)
    written = io.StringIO(newline="")
    if table:
        writer = csv.DictWriter(written, list(table[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(table)
    return written.getvalue()


def as_array(values):
    values = numpy.asarray(values)
    if values.dtype.hasobject:
        raise ValueError("cannot write an array of objects; write numbers or text")
    written = io.BytesIO()
    numpy.lib.format.write_array(written, values, allow_pickle=False)
    return written.getvalue()


def plain(word):
    return str(word).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def scale(values, low, high):
    """Scales numbers to a range of positions, and returns their minimum and maximum too."""
    known = values[numpy.isfinite(values)]
    least, most = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    span = most - least
    share = (values - least) / span if span else numpy.full(values.shape, 0.5)
    return low + share * (high - low), least, most


def as_plot(x, named, title):
    x = numpy.asarray(x, dtype=float).ravel()
    series = [(name, numpy.asarray(values, dtype=float).ravel()) for name, values in dict(named).items()]
    for name, values in series:
        if values.size != x.size:
            raise ValueError(f"the line {name!r} has {values.size} values, x has {x.size}")
    across, left, right = scale(x, 60, 620)
    every = numpy.concatenate([values for _, values in series] or [numpy.zeros(0)])
    up, low, high = scale(every, 340, 40)
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 400" font-family="sans-serif" font-size="12">',
        '<rect width="640" height="400" fill="white"/>',
        '<path d="M60 40V340H620" fill="none" stroke="#888"/>',
        f'<text x="340" y="24" text-anchor="middle" font-size="15">{plain(title)}</text>',
    ]
    for word, at, place, anchor in (
        (left, 60, 356, "middle"),
        (right, 620, 356, "middle"),
        (low, 54, 344, "end"),
        (high, 54, 44, "end"),
    ):
        parts.append(f'<text x="{at}" y="{place}" text-anchor="{anchor}">{word:.4g}</text>')
    for number, (name, values) in enumerate(series):
        color = COLORS[number % len(COLORS)]
        heights = up[number * x.size : (number + 1) * x.size]
        seen = numpy.isfinite(across) & numpy.isfinite(heights)
        points = " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(across[seen], heights[seen]))
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="1.5"/>')
        parts.append(f'<text x="{64 + 110 * (number % 5)}" y="{376 + 14 * (number // 5)}" fill="{color}">{plain(name)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"
