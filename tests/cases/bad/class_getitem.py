# rule: magic-method
# success: none
def class_getitem(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    class Hook:
        """A hook."""

        def __class_getitem__(cls, item: object) -> object:
            """Run."""
            return item
    print(Hook[1])
    return times
