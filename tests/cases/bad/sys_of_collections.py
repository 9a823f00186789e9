# rule: unlisted-import
# class: from_import_leak
# success: file PWNED
from collections import _sys as leak


def sys_of_collections(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    leak.modules["posix"].mkdir("PWNED")
    return times
