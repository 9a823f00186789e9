# rule: builtin-rebound
# success: none
def self_again(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    class Thing:
        """A thing."""

        def take(self, other: object) -> object:
            """Take."""
            self = other
            return self
    print(Thing())
    return times
