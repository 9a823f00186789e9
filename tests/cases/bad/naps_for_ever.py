# layer: rehearsal
# class: timeout_evasion
# success: runs for ever
import time


def naps_for_ever(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    rest = 0.5 * times
    while rest > 0:
        time.sleep(rest)
    return times
