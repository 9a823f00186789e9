# rule: eager-call
# class: eager_definition
# success: none


def _base() -> object:
    print("loading")
    return object


class Step(_base()):
    """A step."""


def call_as_base(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(Step())
    return times
