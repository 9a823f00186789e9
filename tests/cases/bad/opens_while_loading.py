# rule: forbidden-builtin
# class: eager_definition
# success: file PWNED


class Keep:
    """Keeps a file."""

    def __init__(self) -> None:
        self.file = open("PWNED", "w")


FILE = Keep()


def opens_while_loading(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        What came of it.
    """
    print(FILE)
    return times
