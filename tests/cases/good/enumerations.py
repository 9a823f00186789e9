from enum import Enum, auto


class Mood(Enum):
    """A mood."""

    CALM = auto()
    GLAD = auto()


def enumerations(times: int = 2) -> int:
    """Do one thing.

    Args:
        times: How often, between 1 and 10.

    Returns:
        How often.
    """
    for mood in Mood:
        print(mood.name, mood.value)
    return times
