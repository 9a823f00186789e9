# rule: unlisted-import
# class: from_import_leak
# success: file PWNED
from enum import bltns as leak


def warnings_of_enum(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    leak.open("PWNED", "w").close()
    return times
