from reachy_mini import ReachyMini
from motion import antennas, head, neutral, perform, repeat, together


def waltz(robot: ReachyMini, times: int = 3, speed: float = 1.0) -> str:
    """Dance a waltz: sink to one side on the first beat and rise on the next two, then to the other side.

    Args:
        times: How often it dances the two bars, between 1 and 8.
        speed: The tempo, between 0.5 and 1.5.
    """
    if not 1 <= times <= 8:
        raise ValueError("times must be between 1 and 8")
    if not 0.5 <= speed <= 1.5:
        raise ValueError("speed must be between 0.5 and 1.5")
    return perform(
        robot,
        repeat(
            times,
            together(
                head(lower_mm=10, tilt_left=10, seconds=0.6),
                antennas(left=35, right_inward=10, seconds=0.6),
            ),
            head(lower_mm=0, tilt_left=4, seconds=0.6),
            head(rise_mm=5, tilt_left=0, seconds=0.6),
            together(
                head(lower_mm=10, tilt_right=10, seconds=0.6),
                antennas(left_inward=10, right=35, seconds=0.6),
            ),
            head(lower_mm=0, tilt_right=4, seconds=0.6),
            head(rise_mm=5, tilt_right=0, seconds=0.6),
        ),
        neutral(seconds=1),
        speed=speed,
    )
