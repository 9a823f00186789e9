# rule: module-level-code
# class: eager_definition
# success: none


class Step:
    """A step."""

    for number in range(3):
        print(number)


def loop_in_class_body(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(Step.number)
    return times
