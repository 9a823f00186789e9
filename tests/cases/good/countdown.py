import time

from reachy_mini import ReachyMini
from reachy_mini.utils import create_head_pose


def countdown(robot: ReachyMini, start: int = 3, *, silent: bool = True) -> str:
    """Count down with nods, then jump for joy.

    Args:
        start: From where to count.
        silent: Whether to leave out the sound.

    Returns:
        The words.
    """
    words = []
    for number in range(start, 0, -1):
        words.append(str(number))
        robot.goto_target(create_head_pose(pitch=10), duration=0.2)
        robot.goto_target(create_head_pose(), duration=0.2)
        time.sleep(0.4)
    if not silent:
        robot.media.play_sound("go.wav")
    robot.goto_target(create_head_pose(z=15, mm=True), antennas=[0.8, -0.8], duration=0.4)
    robot.goto_target(create_head_pose(), antennas=[0.0, 0.0], duration=0.6)
    return "... ".join(words + ["go!"])
