# asks: wrong-unit
import time


def lint_named_milliseconds(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    pause_ms = 100 * times
    time.sleep(pause_ms)
    return times
