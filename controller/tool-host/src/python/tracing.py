"""Records which lines of some files run. Functions whose lines have all run are no longer traced."""

import opcode
import sys

RESUME = opcode.opmap.get("RESUME", -1)


def lines(code):
    """Returns the lines with executable code, without that of a function header alone."""
    # An instruction is two bytes, and the first one is the opcode.
    body = 2 * code.co_code[::2].find(RESUME) + 2 if RESUME >= 0 else 0
    return {line for _, end, line in code.co_lines() if line and end > body}


class Trace:
    def __init__(self, files):
        seen = self.seen = {file: set() for file in files}
        # Keyed by identity, because hashing a code object hashes all its contents. `kept` keeps the objects alive.
        left, kept = {}, []

        def line(frame, event, argument):
            if event == "line":
                number = frame.f_lineno
                code = frame.f_code
                seen[code.co_filename].add(number)
                missing = left[id(code)]
                missing.discard(number)
                if not missing:
                    frame.f_trace_lines = False
            return line

        def call(frame, event, argument):
            code = frame.f_code
            if code.co_filename not in seen:
                return None
            missing = left.get(id(code))
            if missing is None:
                kept.append(code)
                missing = left[id(code)] = lines(code)
            return line if missing else None

        sys.settrace(call)

    def stop(self):
        sys.settrace(None)
        return self.seen
