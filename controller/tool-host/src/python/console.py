"""Runs Python line by line, as Python's own prompt does."""

import ast
import builtins
import codeop
import linecache
import sys
import traceback
import types

# Longer texts are cut.
LONGEST = 4000
# Calls that a traceback shows.
DEEPEST = 8


def cut(text):
    return text if len(text) <= LONGEST else text[:LONGEST] + " ..."


class Console:
    def __init__(self, names, run):
        self.names = {"__name__": "__main__", "__builtins__": builtins, **names}
        self.run = run
        self.compile = codeop.CommandCompiler()
        self.compile.compiler.flags |= ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.number, self.shown = 1, None
        sys.displayhook = self.show

    def show(self, value):
        if value is None:
            return
        if self.shown is not None:
            print(self.shown)
        self.shown = cut(repr(value))
        builtins._ = value

    def push(self, source):
        """Whether the statement goes on, what its last expression is, and what was raised."""
        self.shown = None
        file = f"<statement {self.number}>"
        try:
            code = self.compile(source, file, "single")
            if code is None:
                return True, None, None
            self.number += 1
            linecache.cache[file] = len(source), None, source.splitlines(keepends=True), file
            self.run(types.FunctionType(code, self.names)())
        except BaseException as error:
            return False, self.shown, cut(told(error))
        return False, self.shown, None


def told(error):
    """A traceback of the person's own lines alone."""
    if isinstance(error, SystemExit):
        return "SystemExit: leave with :quit"
    calls = [call for call in traceback.extract_tb(error.__traceback__) if call.filename.startswith("<statement ")]
    calls = traceback.StackSummary.from_list(calls[-DEEPEST:]).format()
    return "".join([*calls, *traceback.format_exception_only(error)]).rstrip()
