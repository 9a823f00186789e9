# rule: forbidden-builtin
# class: call_free_exec
# success: file PWNED
from functools import reduce


def exec_by_reduce(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    reduce(exec, [{}], '__import__("os").close(__import__("os").open("PWNED", 0o101))')
    return times
