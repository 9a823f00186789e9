# rule: unlisted-decorator
class Door:
    """Takes functions."""

    def setter(self, given: object) -> object:
        """Keep it."""
        return given


@Door().setter
def _step() -> int:
    return 1


def hole_setter_of_anything(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(times)
    return times
