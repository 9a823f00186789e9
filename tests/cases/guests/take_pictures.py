# stopped: frames
from reachy_mini import ReachyMini


def take_pictures(robot: ReachyMini) -> None:
    while True:
        robot.media.get_frame()
