"""Disables fork hooks.

Modules register hooks that renew locks, forget other threads and reseed random numbers, for programs that fork while
they work. The zygote forks with one thread while no Python code runs, so every lock is free, and a guest's random
numbers come from its job. The hooks would take half the time of a short job.
"""

import os


def install():
    os.register_at_fork = lambda **hooks: None
