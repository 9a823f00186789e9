import time
from typing import Final

from reachy_mini import ReachyMini

MORSE: Final[dict[str, str]] = {
    "a": ".-", "b": "-...", "c": "-.-.", "d": "-..", "e": ".", "f": "..-.", "g": "--.", "h": "....", "i": "..",
    "j": ".---", "k": "-.-", "l": ".-..", "m": "--", "n": "-.", "o": "---", "p": ".--.", "q": "--.-", "r": ".-.",
    "s": "...", "t": "-", "u": "..-", "v": "...-", "w": ".--", "x": "-..-", "y": "-.--", "z": "--..",
}
UNIT = 0.12


def _flash(robot: ReachyMini, units: int) -> None:
    robot.set_target(antennas=[0.5, -0.5])
    time.sleep(units * UNIT)
    robot.set_target(antennas=[0.0, 0.0])
    time.sleep(UNIT)


def antenna_semaphore(robot: ReachyMini, text: str = "sos") -> str:
    """Spell a word in Morse code with the antennas.

    Args:
        text: What to spell, letters only.

    Returns:
        The code.
    """
    words = [MORSE[letter] for letter in text.lower() if letter in MORSE]
    for word in words:
        for mark in word:
            _flash(robot, 1 if mark == "." else 3)
        time.sleep(2 * UNIT)
    return " ".join(words)
