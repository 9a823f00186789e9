# rule: unlisted-import
# class: from_import_leak
# success: file PWNED
from typing import sys as leak


def sys_of_typing(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    leak.modules["posix"].mkdir("PWNED")
    return times
