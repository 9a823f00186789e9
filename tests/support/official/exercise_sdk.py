"""Calls every public method of the official SDK that needs no sound or camera, against a server that already runs, and
prints what came of each as one JSON object. The same script recorded what the official daemon answers.

usage: exercise_sdk.py PORT
"""

import json
import logging
import sys
import time

import numpy as np

from reachy_mini import ReachyMini
from reachy_mini.motion.move import Move
from reachy_mini.utils import create_head_pose
from reachy_mini.utils.interpolation import InterpolationTechnique

logging.disable(logging.ERROR)
seen = {}


class Sway(Move):
    """A second of the head swaying with the antennas."""

    @property
    def duration(self):
        return 1.0

    @property
    def sound_path(self):
        return None

    def evaluate(self, t):
        return create_head_pose(yaw=15 * np.sin(np.pi * t), degrees=True), np.array([0.3 * t, -0.3 * t]), 0.1 * t


def pose(robot):
    return [[round(float(value), 4) for value in row] for row in robot.get_current_head_pose()]


def joints(robot):
    head, antennas = robot.get_current_joint_positions()
    return {"head": [round(value, 4) for value in head], "antennas": [round(value, 4) for value in antennas]}


def rest():
    """Waits until nothing has moved for a while, at most five seconds."""
    last, still = None, 0
    for _ in range(100):
        time.sleep(0.05)
        now = (pose(robot), joints(robot))
        still = still + 1 if now == last else 0
        last = now
        if still == 4:
            return


def step(name, action, settle=0.15):
    try:
        value = action()
        failed = None
    except Exception as error:  # noqa: BLE001: whatever it is, it is what the SDK's user sees
        value, failed = None, f"{type(error).__name__}: {error}"
    time.sleep(settle)
    rest()
    seen[name] = {"failed": failed, "pose": pose(robot), **joints(robot)}
    if value is not None:
        seen[name]["value"] = value


def matrix(array):
    return [[round(float(value), 4) for value in row] for row in array]


def record():
    robot.start_recording()
    for place in range(50):
        robot.set_target(create_head_pose(z=place / 10, mm=True), antennas=[place / 100, -place / 100], body_yaw=0.0)
        time.sleep(0.01)
    frames = robot.stop_recording()
    return {"frames": len(frames), "keys": sorted(frames[-1]), "last": frames[-1]["antennas"]}


robot = ReachyMini(port=int(sys.argv[1]), connection_mode="localhost_only", media_backend="no_media")
status = robot.client.get_status()
seen["connected"] = {"state": status.state.value, "no_media": status.no_media, "version": status.version}
step("goto_neutral", lambda: robot.goto_target(create_head_pose(), antennas=[0.0, 0.0], duration=1.0, body_yaw=0.0))
step("set_target", lambda: robot.set_target(create_head_pose(z=10, roll=10, mm=True), antennas=[0.4, -0.4], body_yaw=0.1))
step("set_target_head_pose", lambda: robot.set_target_head_pose(create_head_pose(yaw=20, pitch=5)))
step("set_target_antenna_joint_positions", lambda: robot.set_target_antenna_joint_positions([-0.5, 0.5]))
step("set_target_body_yaw", lambda: robot.set_target_body_yaw(0.3))
for method in InterpolationTechnique:
    step(f"goto_{method.value}", lambda method=method: robot.goto_target(
        create_head_pose(x=10, y=-5, pitch=10, mm=True), antennas=[0.7, -0.2], duration=0.6, method=method, body_yaw=-0.2))
    step(f"back_{method.value}", lambda: robot.goto_target(create_head_pose(), antennas=[0, 0], duration=0.5))
step("goto_antennas_only", lambda: robot.goto_target(antennas=[1.0, -1.0], duration=0.5, body_yaw=None))
step("goto_body_only", lambda: robot.goto_target(duration=0.6, body_yaw=0.8))
step("goto_beyond_the_body_limit", lambda: robot.goto_target(create_head_pose(yaw=100), duration=1.2, body_yaw=None))
step("home", lambda: robot.goto_target(create_head_pose(), antennas=[0.0, 0.0], duration=1.5))
step("look_at_world", lambda: matrix(robot.look_at_world(0.5, 0.2, 0.1, duration=0.6)))
step("look_at_world_only_told", lambda: matrix(robot.look_at_world(0.5, -0.2, 0.1, perform_movement=False)))
step("automatic_body_yaw_off", lambda: robot.set_automatic_body_yaw(False))
step("automatic_body_yaw_on", lambda: robot.set_automatic_body_yaw(True))
step("home_again", lambda: robot.goto_target(create_head_pose(), antennas=[0.0, 0.0], duration=0.8))
step("record", record)
step("play_move", lambda: robot.play_move(Sway(), initial_goto_duration=0.5))
step("cancel_move", robot.cancel_move)
step("set_joints", lambda: robot._set_joint_positions([0.0, 0.65, -0.6, 0.63, -0.62, 0.62, -0.63], [0.2, 0.1]))
step("goto_joints", lambda: robot._goto_joint_positions(antennas_joint_positions=[0.0, 0.0], duration=0.4))
step("imu", lambda: {"imu": robot.imu})
step("tracked_face", lambda: {"detected": robot.get_tracked_face().detected})
step("start_head_tracking", lambda: robot.start_head_tracking(weight=0.5))
step("stop_head_tracking", robot.stop_head_tracking)
step("enable_wobbling", robot.enable_wobbling)
step("disable_wobbling", robot.disable_wobbling)
step("release_media", robot.release_media)
step("acquire_media", robot.acquire_media)
step("goto_sleep", robot.goto_sleep)
step("wake_up", robot.wake_up)
step("disable_one_motor", lambda: robot.disable_motors(["left_antenna"]))
step("enable_one_motor", lambda: robot.enable_motors(["left_antenna"]))
step("gravity_compensation_on", robot.enable_gravity_compensation)
step("gravity_compensation_off", robot.disable_gravity_compensation)
step("disable_motors", robot.disable_motors, settle=1.2)
seen["disabled"] = {"mode": robot.client.get_status().backend_status.motor_control_mode.value}
step("enable_motors", robot.enable_motors, settle=1.2)
seen["enabled"] = {"mode": robot.client.get_status().backend_status.motor_control_mode.value}
step("home_at_last", lambda: robot.goto_target(create_head_pose(), antennas=[0.0, 0.0], duration=1.0))
for name, wrong in {
    "no_target": lambda: robot.set_target(),
    "no_duration": lambda: robot.goto_target(create_head_pose(), duration=0.0),
    "small_matrix": lambda: robot.set_target(np.eye(3)),
    "three_antennas": lambda: robot.set_target(antennas=[0.1, 0.2, 0.3]),
    "word_as_yaw": lambda: robot.set_target(body_yaw="left"),
    "negative_look": lambda: robot.look_at_world(1, 0, 0, duration=-1),
}.items():
    step(name, wrong, settle=0.05)
with robot:
    pass
print(json.dumps(seen))
