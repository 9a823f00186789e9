from reachy_mini import ReachyMini
from motion import antennas, head, perform, repeat, together, wait


def respectful_bow(robot: ReachyMini, times: int = 1, size: float = 1.0) -> str:
    """Bow politely: bend the head forward, hold it low for a moment, and come up again.

    Args:
        times: How often it bows, between 1 and 5.
        size: How deep the bow is, between 0.5 and 1.4.
    """
    if not 1 <= times <= 5:
        raise ValueError("times must be between 1 and 5")
    if not 0.5 <= size <= 1.4:
        raise ValueError("size must be between 0.5 and 1.4")
    return perform(
        robot,
        repeat(
            times,
            together(
                head(down=20 * size, forward_mm=8 * size, seconds=1.1),
                antennas(both=25, seconds=1.1),
            ),
            wait(0.8),
            together(head(seconds=1.1), antennas(seconds=1.1)),
            wait(0.3),
        ),
    )
