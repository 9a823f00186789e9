# rule: unlisted-import
# success: none
from string import Formatter


def formatter_from_string(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(Formatter().format("{0.__class__}", times))
    return times
