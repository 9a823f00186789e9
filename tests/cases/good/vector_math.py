from __future__ import annotations

import math
from typing import NamedTuple


class Vector(NamedTuple):
    x: float
    y: float
    z: float = 0.0

    def __add__(self, other: Vector) -> Vector:  # type: ignore[override]
        return Vector(self.x + other.x, self.y + other.y, self.z + other.z)

    def __mul__(self, factor: float) -> Vector:  # type: ignore[override]
        return Vector(*(factor * part for part in self))

    @property
    def length(self) -> float:
        return math.hypot(*self)

    @classmethod
    def polar(cls, radius: float, degrees: float) -> Vector:
        angle = math.radians(degrees)
        return cls(radius * math.cos(angle), radius * math.sin(angle))


def vector_math(radius: float = 2.0, degrees: float = 60.0) -> dict[str, float]:
    """Add two vectors.

    Args:
        radius: Length of the first.
        degrees: Direction of the first.

    Returns:
        The sum and its length.
    """
    total = Vector.polar(radius, degrees) + Vector(1.0, 0.0) * 0.5
    return {**total._asdict(), "length": total.length}
