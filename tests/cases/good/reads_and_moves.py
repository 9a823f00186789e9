import math

from minismith import InputFile
from reachy_mini import ReachyMini


def reads_and_moves(robot: ReachyMini, plan: InputFile) -> int:
    """Turn the body to each of the angles in a file.

    Args:
        robot: The robot.
        plan: A text file of at most 2 KB with one angle in degrees on each line, between -40 and 40.

    Returns:
        How often the body turned.
    """
    turns = 0
    for line in plan.lines():
        try:
            angle = float(line)
        except ValueError:
            continue
        if not abs(angle) <= 40:
            raise ValueError(f"{angle} degrees are too far")
        robot.goto_target(body_yaw=math.radians(angle), duration=0.6)
        turns += 1
    return turns
