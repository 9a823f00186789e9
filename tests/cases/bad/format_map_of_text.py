# rule: format-string
# class: indirect_getattr
# success: none


class Step:
    """A step."""

    def __init__(self) -> None:
        self.secret = 1


def format_map_of_text(times: int = 2) -> str:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    return "".join(map(str.format, ["{0.__class__.__init__.__globals__}"], [Step()]))
