# rule: restricted-use
from numpy.typing import NDArray


def hole_array_by_generic(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(NDArray[object]((1,), dtype=object, buffer=bytearray(8)))
    return times
