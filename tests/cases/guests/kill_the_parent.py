# raises: PermissionError
import os
import signal


def kill_the_parent() -> None:
    os.kill(os.getppid(), signal.SIGKILL)
