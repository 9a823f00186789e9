# rule: unlisted-decorator
# success: none
import functools


def wraps_with_assigned(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    @functools.wraps(print, assigned=("__self__",))
    def helper(x: int) -> int:
        return x
    print(helper)
    return times
