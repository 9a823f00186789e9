# rule: dunder-name
# class: call_free_exec
# success: file PWNED


class Run:
    """Runs its parameters."""

    __class_getitem__ = eval


def exec_by_item(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    Run['__import__("os").close(__import__("os").open("PWNED", 0o101))']
    return times
