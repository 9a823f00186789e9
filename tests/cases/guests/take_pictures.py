# stopped: frames
import time

from reachy_mini import ReachyMini


def take_pictures(robot: ReachyMini) -> None:
    while True:
        robot.media.get_frame()
        time.sleep(0.07)
