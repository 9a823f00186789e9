# layer: rehearsal
# class: timeout_evasion
# success: runs for ever
import time


def clock_stands_still(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    deadline = time.monotonic() + 1.0
    now = deadline - 1.0
    while now < deadline:
        now = min(time.monotonic(), deadline - 0.5)
    return times
