# stopped: died
import ctypes

from reachy_mini import ReachyMini


def crash(robot: ReachyMini) -> None:
    robot.set_target(antennas=[-1.0, 1.0])
    ctypes.string_at(8)
