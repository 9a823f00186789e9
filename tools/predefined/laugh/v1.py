from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together, wait


def laugh(robot: ReachyMini, times: int = 4, speed: float = 1.0) -> str:
    """Laugh: throw the head up a little and shake it up and down with fluttering antennas.

    Args:
        times: How often it shakes, between 1 and 10.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 10:
        raise ValueError("times must be between 1 and 10")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        together(head(up=10, rise_mm=5, seconds=0.6), antennas(both=25, seconds=0.6)),
        together(
            repeat(times, head(up=4, seconds=0.3), head(up=12, seconds=0.3)),
            repeat(times, antennas(both=5, seconds=0.3), antennas(both=30, seconds=0.3)),
        ),
        wait(0.2),
        neutral(seconds=0.9),
        speed=speed,
    )
