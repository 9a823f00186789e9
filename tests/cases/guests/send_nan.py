# raises: ValueError
import math

from reachy_mini import ReachyMini


def send_nan(robot: ReachyMini) -> None:
    robot.set_target(antennas=[math.nan, math.nan])
