# rule: patched-import
# success: none
import time


def patched_sleep(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    time.sleep = print
    return times
