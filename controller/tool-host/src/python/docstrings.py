"""Leaves out numpy's docstrings. numpy attaches them to its compiled functions with Python code that takes a tenth of the
whole start, and nothing in a guest shows them.
"""

import sys
import types

for package in ("numpy._core", "numpy.core"):
    for module in ("_add_newdocs", "_add_newdocs_scalars"):
        name = f"{package}.{module}"
        sys.modules[name] = types.ModuleType(name)
