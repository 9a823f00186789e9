# asks: wrong-unit
import math


def lint_sine_of_degrees(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    angle_deg = 30.0 * times
    print(math.sin(angle_deg))
    return times
