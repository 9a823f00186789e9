# rule: module-level-code
# class: eager_definition
# success: none


assert print("loading") is None


def assert_at_top(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(times)
    return times
