# rule: unlisted-attribute
# class: whitelisted_io
# success: file PWNED
import json


def json_dump(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    json.dump(times, open("PWNED", "w"))
    return times
