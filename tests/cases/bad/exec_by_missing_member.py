# rule: forbidden-builtin
# class: call_free_exec
# success: file PWNED
from enum import Enum


class Words(Enum):
    """Words that run when they are missing."""

    HERE = 1
    _missing_ = staticmethod(eval)


def exec_by_missing_member(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    try:
        Words('__import__("os").close(__import__("os").open("PWNED", 0o101))')
    except TypeError as error:
        print(error)
    return times
