# rule: dunder-attribute
# class: func_globals
# success: file PWNED
from functools import cache


@cache
def _double(n: int) -> int:
    return 2 * n


def wrapped_function(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    _double.__wrapped__.__builtins__["open"]("PWNED", "w").close()
    return times
