# rule: unsafe-attribute
import numpy as np


def hole_chance_state(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    chance = np.random.RandomState(0)
    chance.set_state(("MT19937", np.zeros(624), 100000))
    print(chance.randint(5))
    return times
