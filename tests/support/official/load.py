"""Keeps a machine busy: one process that computes for each processor, and a flood of requests to a server.

    load.py URL CONNECTIONS

Standard input is a socket. One line of JSON tells that the load is on; each line that comes asks for {"requests": ..},
how many were answered since the last one; the end of the input ends it.
"""

import http.client
import json
import multiprocessing
import os
import socket
import sys
import threading
import time
from urllib.parse import urlsplit


def compute(parent):
    # However the parent ends, nobody goes on computing for ever.
    while os.getppid() == parent:
        for _ in range(1_000_000):
            pass


def flood(address, path, count):
    """Asks again as soon as the answer has come, on a connection that is kept."""
    while True:
        try:
            connection = http.client.HTTPConnection(address, timeout=20)
            while True:
                connection.request("GET", path)
                connection.getresponse().read()
                count.append(None)
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)


def main(url, connections):
    channel = socket.socket(fileno=0).makefile("rw")
    spinning = [multiprocessing.Process(target=compute, args=[os.getpid()], daemon=True) for _ in range(os.cpu_count())]
    for process in spinning:
        process.start()
    parts = urlsplit(url)
    count = []
    for _ in range(int(connections)):
        threading.Thread(target=flood, args=(parts.netloc, parts.path, count), daemon=True).start()
    print(json.dumps({"spinning": len(spinning)}), file=channel, flush=True)
    for _ in channel:
        requests = len(count)
        del count[:requests]
        print(json.dumps({"requests": requests}), file=channel, flush=True)
    for process in spinning:
        process.kill()


main(*sys.argv[1:])
