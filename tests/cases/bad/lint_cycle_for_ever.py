# rule: busy-loop
from itertools import cycle


def lint_cycle_for_ever(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    for step in cycle([1, 2]):
        times += step
    return times
