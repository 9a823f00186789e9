# rule: unlisted-import
# success: none
from operator import attrgetter


def attrgetter_import(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(attrgetter("__class__")(times))
    return times
