# rule: unlisted-attribute
# class: stdlib_leak
# success: file PWNED
import asyncio


def base_events_of_asyncio(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(asyncio.base_events.os.mkdir('PWNED'))
    return times
