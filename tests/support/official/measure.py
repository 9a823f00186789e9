"""Times the official packages as their users call them, on orders that come line by line.

    measure.py kinematics    first line {"poses": [[16 numbers], ..], "body_yaws": [..]}; then "ik" or "fk" for one round
    measure.py bus PORT      "cycles N": so many times, goals to all nine motors and positions of all nine

Standard input is a socket: orders come in on it, and an answer of one line of JSON goes back for each.
"""

import importlib.util
import json
import logging
import socket
import sys
from time import perf_counter

# A forward solution that is nearer than this to the pose counts as found. The official one settles at about 4e-7 m and
# 1e-5 rad from it, so that a closer bound would measure its rounding and not its speed.
CLOSE_METRES = 1e-5
CLOSE_RADIANS = 1e-4
# A pose that has not been found after so many calls is not found at all.
MOST_CALLS = 20

channel = socket.socket(fileno=0).makefile("rw")


def answer(value):
    print(json.dumps(value), file=channel, flush=True)


def leave_out_init(package):
    """Makes the package importable without running its `__init__`, which would bring in the whole SDK and GLib."""
    folder = importlib.util.find_spec("reachy_mini").submodule_search_locations[0]
    inside = "/".join([folder, *package.split(".")[1:]])
    spec = importlib.util.spec_from_file_location(package, f"{inside}/__init__.py", submodule_search_locations=[inside])
    sys.modules[package] = importlib.util.module_from_spec(spec)


def kinematics():
    import numpy as np

    for package in ["reachy_mini", "reachy_mini.kinematics"]:
        leave_out_init(package)
    from reachy_mini.kinematics.analytical_kinematics import AnalyticalKinematics

    # It warns on each call in which it loses the head; the poses that it loses are counted instead.
    logging.disable(logging.CRITICAL)
    work = json.loads(channel.readline())
    poses = [np.array(pose).reshape(4, 4) for pose in work["poses"]]
    body_yaws = work["body_yaws"]
    engine = AnalyticalKinematics()
    neutral = np.eye(4)
    neutral[2, 3] = engine.head_z_offset

    def reset():
        # As the class itself does it when it has lost the head.
        engine.kin.reset_forward_kinematics(neutral.tolist())

    def is_close(found, pose):
        shift = np.linalg.norm(found[:3, 3] - pose[:3, 3])
        # The angle between two rotations that are near to each other.
        turn = np.linalg.norm(found[:3, :3] - pose[:3, :3]) / np.sqrt(2)
        return shift < CLOSE_METRES and turn < CLOSE_RADIANS

    def calls_needed(joints, pose):
        reset()
        return next((calls for calls in range(1, MOST_CALLS + 1) if is_close(engine.fk(joints), pose)), 0)

    joints = [engine.ik(pose, body_yaw) for pose, body_yaw in zip(poses, body_yaws)]
    calls = [calls_needed(angles, pose) for angles, pose in zip(joints, poses)]
    answer({"joints": [angles.tolist() for angles in joints], "calls": calls})

    def ik():
        began = perf_counter()
        for pose, body_yaw in zip(poses, body_yaws):
            engine.ik(pose, body_yaw)
        return perf_counter() - began

    def fk():
        # The reset is not counted, and poses that are not found are left out.
        seconds = 0.0
        for angles, needed in zip(joints, calls):
            if needed:
                reset()
                began = perf_counter()
                for _ in range(needed):
                    engine.fk(angles)
                seconds += perf_counter() - began
        return seconds

    rounds = {"ik": ik, "fk": fk}
    for line in channel:
        answer({"seconds": rounds[line.strip()]()})


def bus(port):
    from reachy_mini_motor_controller import ReachyMiniMotorController

    controller = ReachyMiniMotorController(port)
    failures = 0

    def patiently(word):
        # The library waits 10 ms for an answer, which a busy machine may not keep.
        nonlocal failures
        for _ in range(100):
            try:
                return word()
            except RuntimeError:
                failures += 1
        return word()

    here = patiently(controller.read_all_positions)
    answer({"start": here})
    for line in channel:
        cycles, failures = int(line.removeprefix("cycles ")), 0
        began = perf_counter()
        for _ in range(cycles):
            controller.set_all_goal_positions(here)
            patiently(controller.read_all_positions)
        answer({"seconds": perf_counter() - began, "failures": failures})


match sys.argv[1:]:
    case ["kinematics"]:
        kinematics()
    case ["bus", port]:
        bus(port)
    case _:
        sys.exit(__doc__)
