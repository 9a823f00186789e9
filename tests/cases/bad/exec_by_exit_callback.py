# rule: forbidden-builtin
# class: call_free_exec
# success: file PWNED
from contextlib import ExitStack


def exec_by_exit_callback(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    with ExitStack() as stack:
        stack.callback(exec, '__import__("os").close(__import__("os").open("PWNED", 0o101))')
    return times
