from functools import lru_cache


@lru_cache(maxsize=None)
def _fibonacci(n: int) -> int:
    return n if n < 2 else _fibonacci(n - 1) + _fibonacci(n - 2)


def cached_helper(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(_fibonacci(times))
    return times
