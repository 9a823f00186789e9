from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, Optional

Side = Literal["left", "right"]


def many_types(
    side: Side,
    points: Sequence[tuple[float, float]],
    weights: Optional[dict[str, float]] = None,
    label: str | None = "none",
    *,
    extra: Any = None,
) -> dict[str, Any]:
    """Show what an argument may be.

    Args:
        side: Which side.
        points: Places in metres.
        weights: By name.
        label: A word.
        extra: Anything.

    Returns:
        All of it.
    """
    return {"side": side, "points": list(points), "weights": weights or {}, "label": label, "extra": extra}
