# layer: rehearsal
# class: memory_dos
# success: runs for ever
from itertools import permutations


def all_permutations(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return len(list(permutations(range(10 + times))))
