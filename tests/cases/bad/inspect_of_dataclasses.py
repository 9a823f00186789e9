# rule: unlisted-import
# class: from_import_leak
# success: file PWNED
from dataclasses import inspect as leak


def inspect_of_dataclasses(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    leak.os.mkdir("PWNED")
    return times
