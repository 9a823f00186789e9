# rule: restricted-use
from functools import cached_property


def hole_cache_by_call(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(cached_property(abs))
    return times
