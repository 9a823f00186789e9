# rule: unsupported-type
# success: none
import numpy as np


def array_parameter(values: np.ndarray) -> int:
    """Count."""
    return len(values)
