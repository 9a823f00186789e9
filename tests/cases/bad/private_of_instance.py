# rule: private-attribute
# success: none
import random


def private_of_instance(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(random.Random(times)._randbelow(2))
    return times
