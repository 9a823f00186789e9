# stopped: processes
import threading


def start_threads() -> None:
    while True:
        threading.Thread(target=print).start()
