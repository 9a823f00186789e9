import re

PATTERN = re.compile(r"nod (?P<count>\d+)")


def patterns_of_text(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    found = PATTERN.search("nod 3 times")
    if found is not None:
        times = int(found.group("count"))
    return times
