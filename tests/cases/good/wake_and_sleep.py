from reachy_mini import ReachyMini


def wake_and_sleep(robot: ReachyMini, sleep: bool = True) -> str:
    """Wake up, stretch, and go to sleep again.

    Args:
        sleep: Whether to go to sleep in the end.

    Returns:
        How it ended.
    """
    robot.wake_up()
    robot.goto_target(antennas=[-1.2, 1.2], duration=0.8, method="cartoon")
    robot.goto_target(antennas=[0.0, 0.0], duration=0.8, method="minjerk")
    if sleep:
        robot.goto_sleep()
    return "asleep" if sleep else "awake"
