# rule: module-as-value
# success: none
import math


def module_in_match(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    match times:
        case 1:
            found = math
        case _:
            found = None
    print(found)
    return times
