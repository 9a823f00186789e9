# layer: rehearsal
# class: cpu_dos
# success: runs for ever
from itertools import count


def endless_generator(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return sum(1 for _ in count(times))
