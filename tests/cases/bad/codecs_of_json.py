# rule: unlisted-import
# class: from_import_leak
# success: file PWNED
from json import codecs as leak


def codecs_of_json(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    leak.open("PWNED", "w").close()
    return times
