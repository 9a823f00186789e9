# stopped: turn_seconds
from reachy_mini import ReachyMini


def hang_in_loop(robot: ReachyMini) -> None:
    robot.goto_target(antennas=[0.5, -0.5], duration=0.2)
    while True:
        pass
