# rule: unlisted-attribute
# class: stdlib_leak
# success: file PWNED
import asyncio


def subprocess_of_asyncio(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(asyncio.subprocess.subprocess.run(['touch', 'PWNED']))
    return times
