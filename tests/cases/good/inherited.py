class Voice:
    """A voice."""

    def __init__(self, word: str) -> None:
        self.word = word

    def say(self) -> str:
        """Say it."""
        return self.word


class Loud(Voice):
    """A loud voice."""

    def __init__(self, word: str) -> None:
        super().__init__(word)

    def say(self) -> str:
        """Say it loudly."""
        return super().say().upper()


def inherited(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    print(Loud("hey").say())
    return times
