# rule: unlisted-import
# class: indirect_getattr
# success: none
from operator import methodcaller


def methodcaller_import(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(methodcaller("__class__"))
    return times
