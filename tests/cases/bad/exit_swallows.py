# layer: rehearsal
# class: timeout_evasion
# success: runs for ever
import time


class Deaf:
    """Hears nothing."""

    def __enter__(self) -> None:
        return None

    def __exit__(self, *what: object) -> bool:
        return True


def exit_swallows(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    n = 1
    while n:
        with Deaf():
            time.sleep(100.0)
    return times
