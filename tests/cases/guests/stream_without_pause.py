# stopped: motions_per_second
from reachy_mini import ReachyMini


def stream_without_pause(robot: ReachyMini) -> None:
    while True:
        try:
            robot.set_target(antennas=[0.1, -0.1])
        except BaseException:
            pass
