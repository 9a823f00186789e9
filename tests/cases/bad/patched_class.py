# rule: patched-import
# success: none
from random import Random


def patched_class(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    Random.seed = print
    return times
