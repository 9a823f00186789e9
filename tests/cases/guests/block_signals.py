# stopped: turn_seconds
import signal


def block_signals() -> None:
    signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_IGN)
    while True:
        pass
