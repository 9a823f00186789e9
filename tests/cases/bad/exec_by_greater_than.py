# rule: forbidden-builtin
# class: call_free_exec
# success: file PWNED


class Run:
    """Runs what it is compared with."""

    __gt__ = exec


def exec_by_greater_than(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(Run() > '__import__("os").close(__import__("os").open("PWNED", 0o101))')
    return times
