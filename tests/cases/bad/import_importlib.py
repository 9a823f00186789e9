# rule: unlisted-import
# class: unlisted_import
# success: file PWNED
import importlib


def import_importlib(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(importlib.import_module("os").mkdir("PWNED"))
    return times
