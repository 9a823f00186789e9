# rule: unlisted-import
# class: from_import_leak
# success: none
from __future__ import annotations, all_feature_names as braces


def future_leak(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(annotations, braces)
    return times
