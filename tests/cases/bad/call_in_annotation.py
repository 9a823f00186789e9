# rule: eager-call
# class: eager_definition
# success: none


def _step(n: print("loading") = 1) -> int:
    return n


def call_in_annotation(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(_step)
    return times
