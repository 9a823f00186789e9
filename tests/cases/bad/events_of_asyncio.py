# rule: unlisted-import
# class: from_import_leak
# success: file PWNED
from asyncio import events as leak


def events_of_asyncio(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    leak.os.mkdir("PWNED")
    return times
