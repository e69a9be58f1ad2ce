"""Compiled functions to which Python hands its tuples array by array.

To tell the type of a tuple of arrays numba reads all of it at every call, and a function that
creates arrays gets a counter of references with each array that it is given.  For a table of
equations both take longer than to evaluate ten of them.  The function that Python calls takes the
arrays one by one, counts nothing, and puts the tuples together again in machine code.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, get_type_hints

Function = Callable[..., Any]


class SpreadForm(NamedTuple):
    """A function in a form that takes the entries of its tuples as arguments.

    Attributes:
        function: that form, to be compiled.
        caller: of it compiled, what takes the arguments as they are and calls it.
    """

    function: Function
    caller: Callable[[Function], Function]


def spread_form(function: Function, compiled: object) -> SpreadForm:
    """The form of a function whose annotations tell which of its arguments are NamedTuples.

    Args:
        compiled: the function as compiled code calls it; it returns no arrays.
    """
    code, hints = function.__code__, get_type_hints(function)
    names, own = code.co_varnames[: code.co_argcount], f"{function.__name__}_spread"
    taken: list[str] = []
    given: list[str] = []
    known: dict[str, Any] = {"__name__": function.__module__, "compiled": compiled}

    def entered() -> str:
        taken.append(f"x{len(taken)}")
        return taken[-1]

    def built(kind: Any, value: str) -> str:
        """An expression for an argument, from those of the new form, which are entered."""
        if not hasattr(kind, "_fields"):
            given.append(value)
            return entered()
        known[kind.__name__], hints = kind, get_type_hints(kind)
        kinds = [hints[key] for key in kind._fields]
        if any(hasattr(each, "_fields") for each in kinds):
            entries = [built(each, f"{value}[{k}]") for k, each in enumerate(kinds)]
        else:
            given.append(f"*{value}")
            entries = [entered() for _ in kinds]
        return f"{kind.__name__}({', '.join(entries)})"

    whole = ", ".join([built(hints[name], name) for name in names])
    source = (
        f"def {own}({', '.join(taken)}):\n"
        f"    return compiled({whole})\n"
        f"def caller(machine):\n"
        f"    return lambda {', '.join(names)}: machine({', '.join(given)})\n"
    )
    exec(compile(source, code.co_filename, "exec"), known)  # numba caches by that file
    return SpreadForm(known[own], known["caller"])
