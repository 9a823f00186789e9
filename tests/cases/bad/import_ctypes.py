# rule: unlisted-import
# class: unlisted_import
# success: file PWNED
import ctypes


def import_ctypes(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(ctypes.CDLL(None).mkdir(b"PWNED", 511))
    return times
