# rule: dunder-attribute
# class: func_globals
# success: file PWNED
from functools import partial
from statistics import fmean


def globals_of_partial(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    partial(fmean).func.__globals__["sys"].modules["posix"].mkdir("PWNED")
    return times
