# rule: forbidden-builtin
# class: call_free_exec
# success: file PWNED
import numpy as np


def exec_by_vectorize(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    np.vectorize(eval)(np.array(['__import__("os").close(__import__("os").open("PWNED", 0o101))']))
    return times
