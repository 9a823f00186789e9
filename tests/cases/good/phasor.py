import cmath
from colorsys import hsv_to_rgb


def phasor(degrees: float = 30.0) -> dict[str, object]:
    """Turn a pointer in the complex plane, and give its angle a colour.

    Args:
        degrees: How far to turn.

    Returns:
        The pointer's end and the colour.
    """
    end = cmath.rect(1.0, degrees * cmath.pi / 180.0)
    if type(degrees) in (int, float) and isinstance(end, complex):
        colour = hsv_to_rgb((degrees % 360.0) / 360.0, 1.0, 1.0)
        return {"x": round(end.real, 3), "y": round(end.imag, 3), "colour": [round(part, 2) for part in colour]}
    raise TypeError("an angle is a number")
