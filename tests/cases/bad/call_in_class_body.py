# rule: eager-call
# success: none
import random


class Dice:
    """A die."""

    side = random.random()


def call_in_class_body(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(Dice.side)
    return times
