# rule: unlisted-attribute
# success: none
import functools


def update_wrapper_copies(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    functools.update_wrapper(print, print, assigned=("__self__",))
    return times
