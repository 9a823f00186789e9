# rule: magic-method
# success: none
def set_name(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    class Hook:
        """A hook."""

        def __set_name__(self, owner: object, name: str) -> None:
            """Run."""
            print(owner, name)
    print(Hook)
    return times
