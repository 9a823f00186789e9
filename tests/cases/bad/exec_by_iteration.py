# rule: forbidden-builtin
# class: call_free_exec
# success: file PWNED
from functools import partial


def exec_by_iteration(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(list(iter(partial(exec, '__import__("os").close(__import__("os").open("PWNED", 0o101))'), None)))
    return times
