# stopped: forged
# Nobody listens any more after the first frame that is none.
import os


def speak_for_ever() -> None:
    while True:
        os.write(3, b"x" * 65536)
