# asks: endless-loop
# success: none
import time


def waits_for_ever(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    while 1:
        time.sleep(0.1)
    return times
