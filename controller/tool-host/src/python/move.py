"""Base class of motions for `ReachyMini.play_move`."""

from abc import ABC, abstractmethod


class Move(ABC):
    """A motion as a function of time."""

    @property
    def sound_path(self):
        """The sound file that accompanies it, if any."""
        return None

    @property
    @abstractmethod
    def duration(self):
        """The duration in seconds."""

    @abstractmethod
    def evaluate(self, t):
        """Head (4x4), antennas and body yaw at `t` seconds; None leaves one of them alone."""
