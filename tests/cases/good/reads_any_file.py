from typing import Any

import minismith


def reads_any_file(file: minismith.InputFile | None = None) -> dict[str, Any]:
    """Tell what is known of a file.

    Args:
        file: What to look at.

    Returns:
        What was found out about it, and how many bytes it has.
    """
    if file is None:
        return {}
    known = dict(file.about)
    known["bytes"] = len(file.bytes())
    if known["type"] == "json":
        known["value"] = file.json()
    elif known["type"] == "npy":
        known["sum"] = float(file.array().sum())
    elif "encoding" in known:
        known["first"] = "".join(file.lines()[:1])[:80]
    return known
