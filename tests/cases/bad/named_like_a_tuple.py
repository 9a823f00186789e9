# rule: unlisted-attribute
# success: none
import random


def named_like_a_tuple(times: int = 2) -> int:
    """Take a private name that named tuples have.

    Args:
        times: How often.
    """
    print(random._make)
    return times
