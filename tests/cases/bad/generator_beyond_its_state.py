# rule: unsafe-attribute
# class: numpy_memory
# success: none
import numpy as np


def generator_beyond_its_state(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    chance = np.random.RandomState(times)
    state = chance.get_state(legacy=False)
    state["state"]["pos"] = 2_000_000_000
    chance.set_state(state)
    return str(chance.randint(0, 2**32, 64, dtype=np.uint64))
