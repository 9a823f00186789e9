# rule: module-as-value
# success: none
import random


def module_in_list(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print([random][0].random())
    return times
