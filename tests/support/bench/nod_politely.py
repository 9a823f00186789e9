import time

from reachy_mini import ReachyMini


def nod_politely(robot: ReachyMini, nods: int = 2, pace: float = 1.0) -> str:
    """Look down and up again, some times, and then ahead.

    Args:
        robot: The robot.
        nods: How often, between 1 and 10.
        pace: Above one is faster.

    Returns:
        What was done.

    Raises:
        ValueError: If there are too many nods, or the pace is not positive.
    """
    if nods < 1 or nods > 10:
        raise ValueError("nods must be from 1 to 10")
    if pace <= 0:
        raise ValueError("pace must be more than 0")
    seconds = max(0.3, 0.5 / pace)
    for _ in range(nods):
        for height in (-0.12, 0.12):
            robot.look_at_world(x=0.5, y=0.0, z=height, duration=seconds)
            time.sleep(0.05)
    robot.look_at_world(x=0.5, y=0.0, z=0.0, duration=seconds)
    return f"nodded {nods} times"
