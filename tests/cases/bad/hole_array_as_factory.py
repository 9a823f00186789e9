# rule: restricted-use
from dataclasses import dataclass, field
import numpy as np


@dataclass
class Cells:
    """Cells."""

    cells: object = field(default_factory=np.ndarray)


def hole_array_as_factory(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(Cells())
    return times
