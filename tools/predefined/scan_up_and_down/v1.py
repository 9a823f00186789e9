from reachy_mini import ReachyMini
from motion import head, perform, repeat, wait


def scan_up_and_down(robot: ReachyMini, times: int = 1, size: float = 1.0) -> str:
    """Look up, then down, and ahead again.

    Args:
        times: How often it looks up and down, between 1 and 5.
        size: How far the head goes, between 0.5 and 1.4.
    """
    if not 1 <= times <= 5:
        raise ValueError("times must be between 1 and 5")
    if not 0.5 <= size <= 1.4:
        raise ValueError("size must be between 0.5 and 1.4")
    return perform(
        robot,
        repeat(
            times,
            head(up=18 * size, seconds=1),
            wait(0.4),
            head(down=18 * size, seconds=1.6),
            wait(0.4),
        ),
        head(seconds=1),
    )
