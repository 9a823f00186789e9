# stopped: died
import os

from reachy_mini import ReachyMini


def exit_hard(robot: ReachyMini) -> None:
    robot.set_target(antennas=[1.0, -1.0])
    os._exit(0)
