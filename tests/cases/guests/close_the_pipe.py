# stopped: died
import os


def close_the_pipe() -> None:
    os.close(3)
    while True:
        pass
