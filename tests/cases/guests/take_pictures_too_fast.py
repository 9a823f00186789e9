# stopped: frames_per_second
import time

from reachy_mini import ReachyMini


def take_pictures_too_fast(robot: ReachyMini) -> None:
    while True:
        try:
            robot.media.get_frame()
            time.sleep(0.01)
        except TimeoutError:
            pass
