# rule: module-rebound
# success: none
import time


def module_as_parameter(time: float = 1.0, times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(time)
    return times
