# rule: relative-import
# success: none
from . import neighbour as other


def neighbour(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(times)
    return times
