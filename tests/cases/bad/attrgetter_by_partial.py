# rule: unlisted-attribute
# class: indirect_getattr
# success: file PWNED
import operator
from functools import partial


def attrgetter_by_partial(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    reach = partial(operator.attrgetter("__self__.open"))(print)
    reach("PWNED", "w").close()
    return times
