# rule: encoding-cookie
# -*- coding: utf-7 -*-
# success: none
def cookie_in_line_two(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(1)
    return times
