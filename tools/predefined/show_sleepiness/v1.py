from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, wait


def show_sleepiness(robot: ReachyMini, times: int = 2, speed: float = 1.0) -> str:
    """Look sleepy: the head sinks slowly and starts up again, with drooping antennas.

    Args:
        times: How often the head sinks, between 1 and 5.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 5:
        raise ValueError("times must be between 1 and 5")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        antennas(both=70, seconds=1.5),
        repeat(
            times,
            head(down=20, lower_mm=8, seconds=2.2),
            wait(0.6),
            head(down=2, lower_mm=0, seconds=0.8),
            wait(0.3),
        ),
        neutral(seconds=1.5),
        speed=speed,
    )
