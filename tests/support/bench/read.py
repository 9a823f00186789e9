"""Reads a source as CPython does, on orders that come line by line.

    read.py    first line: the source, as JSON; the answer holds its facts. Then "times N": seconds of one reading

Standard input is a socket: orders come in on it, and an answer of one line of JSON goes back for each. Above this text
stands what the tool host itself gathers facts with.
"""

import json
import socket
from time import perf_counter

channel = socket.socket(fileno=0).makefile("rw")


def answer(value):
    print(json.dumps(value), file=channel, flush=True)


source = json.loads(channel.readline())
*found, tree = facts(source)
answer({"facts": [sorted(one) for one in found], "tree": tree})
for order in channel:
    times = int(order.split()[1])
    began = perf_counter()
    for _ in range(times):
        facts(source)
    answer({"seconds": (perf_counter() - began) / times})
