"""Makes the modules of a toolkit importable."""

import sys
from importlib.machinery import ModuleSpec


class Finder:
    def __init__(self, package, sources):
        self.package = package
        self.sources = sources

    def find_spec(self, name, path=None, target=None):
        package, _, module = name.rpartition(".")
        return ModuleSpec(name, self) if package == self.package and module in self.sources else None

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        name = module.__name__.rpartition(".")[2]
        # Compile from a string, so that an encoding comment has no effect.
        exec(compile(self.sources[name], f"{name}.py", "exec"), module.__dict__)


def add(package, sources):
    sys.meta_path.insert(0, Finder(package, sources))
