# rule: patched-import
# class: binding_target
# success: none
import time


def comprehension_patches_time(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print([0 for time.sleep in (print, print)])
    return times
