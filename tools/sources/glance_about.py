from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, together, wait


def glance_about(robot: ReachyMini, size: float = 1.0, speed: float = 1.0) -> str:
    """Glance about idly: small looks in several directions with pauses of different length.

    Args:
        size: How far the glances go, between 0.5 and 1.5.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 0.5 <= size <= 1.5:
        raise ValueError("size must be between 0.5 and 1.5")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        head(left=14 * size, up=3, seconds=0.8),
        wait(1.4),
        head(left=5 * size, down=6, seconds=0.8),
        wait(0.8),
        head(right=18 * size, down=0, seconds=1.1),
        wait(1.7),
        together(
            head(right=8 * size, tilt_left=5, seconds=0.8),
            antennas(left=15, seconds=0.6),
        ),
        wait(1),
        neutral(seconds=1),
        speed=speed,
    )
