from functools import lru_cache


@lru_cache(maxsize=None)
def _fib(n: int) -> int:
    if n < 2:
        return n
    return _fib(n - 1) + _fib(n - 2)


def fibonacci_memo(n: int = 30) -> list[int]:
    """List Fibonacci numbers.

    Args:
        n: How many, between 1 and 90.

    Returns:
        The numbers.
    """
    return [_fib(i) for i in range(max(0, min(n, 90)))]
