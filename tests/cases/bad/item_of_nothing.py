# rule: eager-call
# class: eager_definition
# success: none


STEP = [print][0]("loading")


def item_of_nothing(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(STEP)
    return times
