# rule: unlisted-import
# class: whitelisted_io
# success: file PWNED
from contextlib import redirect_stdout


def redirected_output(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    with redirect_stdout(open("PWNED", "w")):
        print(times)
    return times
