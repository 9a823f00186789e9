from reachy_mini import ReachyMini
from motion import head, neutral, perform, wait


def scan_the_room(robot: ReachyMini, pause_seconds: float = 0.6, speed: float = 1.0) -> str:
    """Scan the room: look from far left to far right in five steps, with a pause at each.

    Args:
        pause_seconds: How long it looks in each direction in seconds, between 0.3 and 4.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.3 <= pause_seconds <= 4.0:
        raise ValueError("pause_seconds must be between 0.3 and 4")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        head(left=50, up=4, seconds=1.8),
        wait(pause_seconds),
        head(left=25, seconds=0.9),
        wait(pause_seconds),
        head(left=0, seconds=0.9),
        wait(pause_seconds),
        head(right=25, seconds=0.9),
        wait(pause_seconds),
        head(right=50, seconds=0.9),
        wait(pause_seconds),
        neutral(seconds=1.8),
        speed=speed,
    )
