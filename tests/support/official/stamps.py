"""Draws the time into an image as black and white squares, which survive its compression, and reads it again."""

import time

import numpy as np

BITS, SIDE = 24, 32


def now_ms():
    return int(time.time() * 1000) % (1 << BITS)


def stamp(frame):
    """Draws the time, milliseconds, into the first rows of a frame."""
    bits = np.array([now_ms() >> at & 1 for at in reversed(range(BITS))], np.uint8) * 255
    frame[:SIDE, : BITS * SIDE] = np.repeat(bits, SIDE)[None, :, None]


def stamp_of(frame):
    """Returns the time that was drawn into a frame, milliseconds."""
    middles = frame[SIDE // 2, SIDE // 2 : BITS * SIDE : SIDE, 1] > 127
    return int("".join("1" if white else "0" for white in middles), 2)
