"""Nothing is to be done in a forked child.

What modules register for it (new locks, other threads forgotten, chance taken from the system) is for programs that
fork in the middle of something. The zygote forks with one thread, while no Python runs, so every lock is free; and a
guest's chance comes from its job. It would be half of what a short job costs.
"""

import os


def install():
    os.register_at_fork = lambda **hooks: None
