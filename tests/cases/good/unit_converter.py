from decimal import Decimal
from fractions import Fraction
from typing import Annotated

FACTORS = {("mm", "m"): Fraction(1, 1000), ("in", "mm"): Fraction(254, 10), ("ft", "in"): Fraction(12)}


def unit_converter(
    value: Annotated[float, "the number"] = 1.0, source: str = "in", target: str = "m"
) -> Annotated[float, "the number in the other unit"]:
    """Convert between units of length.

    Args:
        value: How much.
        source: The unit that it is in.
        target: The unit that it shall be in.

    Returns:
        How much in the other unit.
    """
    graph: dict[str, dict[str, Fraction]] = {}
    for (one, other), factor in FACTORS.items():
        graph.setdefault(one, {})[other] = factor
        graph.setdefault(other, {})[one] = 1 / factor
    seen, stack = {source}, [(source, Fraction(Decimal(str(value))))]
    while stack:
        unit, amount = stack.pop()
        if unit == target:
            return float(amount)
        for neighbour, factor in graph.get(unit, {}).items():
            if neighbour not in seen:
                seen.add(neighbour)
                stack.append((neighbour, amount * factor))
    raise KeyError(f"no way from {source} to {target}")
