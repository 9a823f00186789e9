# rule: format-string
# class: indirect_getattr
# success: none
from collections import UserString


def format_of_user_string(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return UserString("{0.__class__.__mro__}").format(times).data
