# rule: eager-call
# success: none
import time

START = time.monotonic()


def clock_at_load(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(START)
    return times
