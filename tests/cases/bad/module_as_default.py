# rule: module-as-value
# success: none
import random


def module_as_default(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    def helper(m: object = random) -> object:
        return m
    print(helper())
    return times
