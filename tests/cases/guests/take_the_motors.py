# raises: PermissionError
from reachy_mini import ReachyMini


def take_the_motors(robot: ReachyMini) -> None:
    robot.disable_motors()
