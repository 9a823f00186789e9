import re

_PART = re.compile(r"(?P<number>\d+(?:\.\d+)?)\s*(?P<unit>h|min|s)\b")
_SECONDS = {"h": 3600.0, "min": 60.0, "s": 1.0}


def parse_duration(text: str = "1 h 20 min 5 s") -> float:
    """Read a duration.

    Args:
        text: Such as "1 h 20 min".

    Returns:
        Seconds.

    Raises:
        ValueError: When there is no duration in it.
    """
    parts = list(_PART.finditer(text))
    if not parts:
        raise ValueError(f"no duration in {text!r}")
    return sum(float(part["number"]) * _SECONDS[part.group("unit")] for part in parts)
