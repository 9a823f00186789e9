# rule: patched-import
# class: binding_target
# success: none
import math


def loop_binds_attribute(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    for math.pi in range(times):
        print(math.pi)
    return times
