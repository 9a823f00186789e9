# rule: module-as-value
# success: none
from numpy import linalg


def module_from_import(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    lin = linalg
    print(lin.norm([3, 4]))
    return times
