from datetime import datetime

from reachy_mini import ReachyMini


def greet_by_hour(robot: ReachyMini, hour: int | None = None) -> str:
    """Say good morning, good day or good evening, as it fits.

    Args:
        hour: The hour, 0 to 23; now when left out.

    Returns:
        The greeting.
    """
    if hour is None:
        hour = datetime.now().hour
    greeting = "Good morning" if hour < 11 else "Good day" if hour < 18 else "Good evening"
    robot.goto_target(antennas=[0.4, -0.4], duration=0.4)
    robot.goto_target(antennas=[0.0, 0.0], duration=0.4)
    return greeting
