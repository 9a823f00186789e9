# layer: rehearsal
# class: cpu_dos
# success: runs for ever
import re


def regex_backtracking(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return len(re.findall(r"(a+)+$", "a" * 40 + "b" * times))
