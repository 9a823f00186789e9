import random
from collections import Counter
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Roll:
    """One throw of several dice."""

    dice: tuple[int, ...]
    sides: int = 6

    @property
    def total(self) -> int:
        return sum(self.dice)


@dataclass
class Table:
    rolls: list[Roll] = field(default_factory=list)

    def throw(self, count: int, rng: random.Random) -> Roll:
        roll = Roll(tuple(rng.randint(1, 6) for _ in range(count)))
        self.rolls.append(roll)
        return roll


def dice_roll(count: int = 2, throws: int = 10, seed: int = 42) -> dict[str, int]:
    """Throw dice several times and count the totals.

    Args:
        count: Dice in one throw.
        throws: How many throws.
        seed: The same seed gives the same throws.

    Returns:
        How often each total came.
    """
    rng = random.Random(seed)
    table = Table()
    for _ in range(throws):
        table.throw(count, rng)
    totals = Counter(roll.total for roll in table.rolls)
    return {str(total): times for total, times in sorted(totals.items())}
