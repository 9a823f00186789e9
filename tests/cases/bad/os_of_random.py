# rule: unlisted-import
# class: from_import_leak
# success: file PWNED
from random import _os as leak


def os_of_random(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    leak.mkdir("PWNED")
    return times
