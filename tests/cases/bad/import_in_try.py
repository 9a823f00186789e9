# rule: module-level-code
# success: none
try:
    import numpy as np
except ImportError:
    np = None


def import_in_try(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(1)
    return times
