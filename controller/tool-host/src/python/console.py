"""Runs Python line by line, like the Python prompt."""

import ast
import builtins
import codeop
import linecache
import sys
import traceback
import types

# Maximum length of a text in characters. Longer ones are truncated.
MAX_LENGTH = 4000
# Maximum number of calls in a traceback.
MAX_CALLS = 8


def truncate(text):
    return text if len(text) <= MAX_LENGTH else text[:MAX_LENGTH] + " ..."


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
        self.shown = truncate(repr(value))
        builtins._ = value

    def push(self, source):
        """Returns whether the statement is incomplete, the value of its last expression, and its error."""
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
            return False, self.shown, truncate(format_error(error))
        return False, self.shown, None


def format_error(error):
    """Formats an error with a traceback of the user's own lines only."""
    if isinstance(error, SystemExit):
        return "SystemExit: leave with :quit"
    calls = [call for call in traceback.extract_tb(error.__traceback__) if call.filename.startswith("<statement ")]
    calls = traceback.StackSummary.from_list(calls[-MAX_CALLS:]).format()
    return "".join([*calls, *traceback.format_exception_only(error)]).rstrip()
