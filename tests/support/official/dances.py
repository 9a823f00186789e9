"""Samples the moves of reachy_mini_dances_library at 100 Hz: one JSON line for each move.

{"move": name, "frames": [[t, [16 numbers of the head, row by row], [right, left], body_yaw], ...]}

Most begin and end at full speed.

The library's package opens with a class for the whole official SDK. The moves themselves need only numpy, so this
imports them without that class, and turns offsets into a head pose as the class does: at 114 beats a minute, angles
extrinsic about x, y and z, the body straight ahead.
"""

import importlib
import importlib.machinery
import json
import math
import sys
import types

RATE = 100
BEATS_PER_SECOND = 114 / 60


def moves():
    name = "reachy_mini_dances_library"
    found = importlib.machinery.PathFinder.find_spec(name)
    package = types.ModuleType(name)
    package.__path__ = list(found.submodule_search_locations)
    sys.modules[name] = package
    return importlib.import_module(name + ".collection.dance").AVAILABLE_MOVES


def head(position, angles):
    (sr, cr), (sp, cp), (sy, cy) = ((math.sin(angle), math.cos(angle)) for angle in angles)
    x, y, z = (float(offset) for offset in position)
    return [
        cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr, x,
        sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr, y,
        -sp, cp * sr, cp * cr, z,
        0.0, 0.0, 0.0, 1.0,
    ]  # fmt: skip


def main():
    for name, (move, parameters, metadata) in moves().items():
        seconds = metadata.get("default_duration_beats", 1) / BEATS_PER_SECOND
        frames = []
        for place in range(math.floor(seconds * RATE) + 1):
            offsets = move(place / RATE * BEATS_PER_SECOND, **parameters)
            antennas = [float(angle) for angle in offsets.antennas_offset]
            frames.append([place / RATE, head(offsets.position_offset, offsets.orientation_offset), antennas, 0.0])
        print(json.dumps({"move": name, "frames": frames}))


main()
