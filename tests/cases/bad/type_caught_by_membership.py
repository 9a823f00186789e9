# rule: class-by-type
# class: indirect_getattr
# success: none


class Catch:
    """Keeps what is looked for."""

    def __contains__(self, item: object) -> bool:
        self.item = item
        return True


def type_caught_by_membership(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(type(int) in Catch())
    return times
