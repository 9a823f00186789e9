"""Starts a program, and hangs one of its threads when a line on standard input names it.

A thread is hung by ptrace: SIGSTOP would stop the whole program. This process is the program's parent, so the system
permits it. The first line that it prints is the program's process id, and each hung thread is answered by one line.
"""

import ctypes
import os
import sys
from pathlib import Path

PTRACE_SEIZE, PTRACE_INTERRUPT, WALL = 0x4206, 0x4207, 0x40000000
libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def trace(request, thread):
    if libc.ptrace(request, thread, None, None) == -1:
        raise OSError(ctypes.get_errno(), f"ptrace of thread {thread}")


child = os.fork()
if child == 0:
    os.dup2(os.open("/dev/null", os.O_RDONLY), 0)
    os.dup2(2, 1)
    os.execv(sys.argv[1], sys.argv[1:])
hung, collected = [], set()
print(child, flush=True)
for line in sys.stdin:
    threads = [task for task in Path(f"/proc/{child}/task").iterdir() if (task / "comm").read_text() == line]
    assert len(threads) == 1, f"{len(threads)} threads are called {line!r}"
    thread = int(threads[0].name)
    trace(PTRACE_SEIZE, thread)
    trace(PTRACE_INTERRUPT, thread)
    hung.append(thread)
    print("hung", flush=True)
# A traced thread that has ended is collected by its tracer. A stop is no end; this process must not end before, since the
# system would then let the thread go on.
for process in [*hung, child]:
    status = 0x7F  # stopped
    while process not in collected and os.WIFSTOPPED(status):
        _, status = os.waitpid(process, WALL)
    collected.add(process)
