# rule: unlisted-decorator
# success: none
from functools import wraps


def wraps_as_value(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    copy_names = wraps
    print(copy_names)
    return times
