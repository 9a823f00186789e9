# stopped: stage_seconds
from reachy_mini import ReachyMini


def move_for_ever(robot: ReachyMini) -> None:
    side = 0.3
    while True:
        robot.goto_target(antennas=[side, side], duration=0.3)
        side = -side
