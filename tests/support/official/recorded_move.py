"""Reads a move with the official library, prints as JSON what it evaluates to, and writes one as the library's tools do.

    recorded_move.py OURS THEIRS
"""

import json
import math
import sys
import types

try:
    import huggingface_hub  # noqa: F401
except ImportError:
    # Only downloads need it; the class that plays a move does not.
    hub, errors = types.ModuleType("huggingface_hub"), types.ModuleType("huggingface_hub.errors")
    hub.snapshot_download, errors.LocalEntryNotFoundError = None, OSError
    sys.modules.update({"huggingface_hub": hub, "huggingface_hub.errors": errors})

from reachy_mini.motion.recorded_move import RecordedMove
from reachy_mini.utils import create_head_pose

ours, theirs = sys.argv[1:]
with open(ours) as file:
    move = RecordedMove(json.load(file))

samples = []
for time in move.timestamps[:-1]:
    head, antennas, body_yaw = move.evaluate(time)
    yaw = math.atan2(head[1][0], head[0][0])
    samples.append({"time": time, "yaw": yaw, "antennas": list(antennas), "body_yaw": body_yaw})

frames = []
for frame in range(60):
    wave = math.sin(frame / 60 * math.tau)
    head = create_head_pose(roll=10 * wave, z=5 * wave, mm=True, degrees=True)
    frames.append({"head": head.tolist(), "antennas": [wave, -wave], "body_yaw": 0.1 * wave, "check_collision": False})
written = {"description": "written by Python", "time": [0.01 * frame for frame in range(60)], "set_target_data": frames}
with open(theirs, "w") as file:
    json.dump(written, file)

print(json.dumps({"duration": move.duration, "frames": len(move.trajectory), "samples": samples}))
