"""Drives a serial port with the official motor controller library and prints as JSON what it saw.

    motor_controller.py drive PORT GOALS     torque on, go to nine goals (JSON, radians), read back until arrived
    motor_controller.py start_up PORT        the library's own start-up: all there, voltage, reboots, first position
"""

import json
import signal
import sys
import time
from datetime import timedelta

from reachy_mini_motor_controller import ReachyMiniMotorController, ReachyMiniPyControlLoop

# The library waits 10 ms for an answer, which a busy machine may not keep; so each word may be said again.
TRIES = 50


def patiently(word):
    for _ in range(TRIES - 1):
        try:
            return word()
        except RuntimeError:
            time.sleep(0.02)
    return word()


def drive(port, goals):
    controller = ReachyMiniMotorController(port)
    seen = {
        "start": patiently(controller.read_all_positions),
        "torque_before": patiently(controller.is_torque_enabled),
    }
    controller.set_all_goal_positions(seen["start"])
    controller.enable_torque()
    seen["torque_after"] = patiently(controller.is_torque_enabled)
    controller.set_body_rotation(goals[0])
    controller.set_stewart_platform_position(goals[1:7])
    controller.set_antennas_positions(goals[7:])
    on_the_way = []
    for _ in range(1000):
        present = patiently(controller.read_all_positions)
        on_the_way.append(present)
        if all(abs(is_at - goal) < 0.004 for is_at, goal in zip(present, goals)):
            break
        time.sleep(0.005)
    seen["arrived"] = on_the_way[-1]
    seen["body_on_the_way"] = [present[0] for present in on_the_way]
    seen["modes"] = patiently(controller.read_stewart_platform_operating_mode)
    seen["currents"] = patiently(controller.read_stewart_platform_current)
    # The mode is in the EEPROM, which is locked while torque is on.
    controller.set_stewart_platform_operating_mode(0)
    seen["modes_under_torque"] = patiently(controller.read_stewart_platform_operating_mode)
    controller.enable_stewart_platform(False)
    controller.set_stewart_platform_operating_mode(0)
    seen["modes_when_limp"] = patiently(controller.read_stewart_platform_operating_mode)
    controller.set_stewart_platform_operating_mode(3)
    return seen


def start_up(port):
    try:
        loop = ReachyMiniPyControlLoop(port, timedelta(milliseconds=20), allowed_retries=TRIES)
    except RuntimeError as error:
        return {"error": str(error)}
    position = loop.get_last_position()
    seen = {
        "ids": loop.get_motor_name_id(),
        "position": [position.body_yaw, *position.stewart, *position.antennas],
        "torque": loop.is_torque_enabled(),
        "mode": loop.get_stewart_platform_operating_mode(),
    }
    loop.async_write_pid_gains(11, 300, 0, 0)
    seen["gains"] = loop.async_read_pid_gains(11)
    seen["limits"] = loop.async_read_raw_bytes(11, 48, 8)
    seen["hardware_errors"] = [loop.async_read_raw_bytes(motor, 70, 1)[0] for motor in range(10, 19)]
    loop.close()
    return seen


# The library hands out some lists of small numbers as bytes; they are printed as lists.
# A library call that never comes back ends the program.
signal.alarm(60)
match sys.argv[1:]:
    case ["drive", port, goals]:
        print(json.dumps(drive(port, json.loads(goals)), default=list))
    case ["start_up", port]:
        print(json.dumps(start_up(port), default=list))
    case _:
        sys.exit(__doc__)
