# rule: long-sleep
# success: none
from time import sleep


def an_hour(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    sleep(60 * 60)
    return times
