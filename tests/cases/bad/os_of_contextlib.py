# rule: unlisted-attribute
# class: stdlib_leak
# success: file PWNED
import contextlib


def os_of_contextlib(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(contextlib.os.mkdir('PWNED'))
    return times
