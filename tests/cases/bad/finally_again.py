# layer: rehearsal
# class: timeout_evasion
# success: runs for ever
import time


def _again(n: int) -> int:
    try:
        time.sleep(50.0)
    finally:
        _again(n + 1)
    return n


def finally_again(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return _again(times)
