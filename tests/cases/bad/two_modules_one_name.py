# rule: module-rebound
# success: none
import math as m
import random as m


def two_modules_one_name(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(m.random())
    return times
