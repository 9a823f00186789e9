"""What `ReachyMini.play_move` plays."""

from abc import ABC, abstractmethod


class Move(ABC):
    """A motion as a function of time."""

    @property
    def sound_path(self):
        """The sound that goes with it, if any."""
        return None

    @property
    @abstractmethod
    def duration(self):
        """Seconds."""

    @abstractmethod
    def evaluate(self, t):
        """Head (4x4), antennas and body yaw at `t` seconds; None leaves one of them alone."""
