"""Functions of time in .asmt files, as `2.0d*pi*time`, in the words of this project's formulas.

Their language: numbers (`2.0d` and `1.5d3` are doubles), `pi`, `time`, + - * / ^, parentheses,
functions, comments in double quotes, and `<n>` for the end of a line.  A sign that touches a number
after another operator belongs to the number: 3*-2^2 is 12.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple, NoReturn

from ...errors import NotUnderstood, nearest_names
from ...model.laws.expression import TIME, Expression

NAMES: Mapping[str, str] = {"time": TIME, "pi": "pi"}

FUNCTIONS: Mapping[str, str] = {
    **{word: word for word in ("abs", "sin", "cos", "tan", "sqrt", "exp", "asin", "acos", "atan")},
    **{"arcsin": "asin", "arccos": "acos", "arctan": "atan", "ln": "log"},
}
"""Functions of one number, and what they are called here; all count in radians."""

_TOKEN = re.compile(
    r'(?P<skip>\s+|<n>|"[^"]*")'
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[dDeE](?P<power>[+-]?\d+)?)?)"
    r"|(?P<word>[A-Za-z]\w*)|(?P<mark>[-+*/^(),])"
)


class _Token(NamedTuple):
    kind: str
    text: str


def translated(text: str) -> str:
    """A function as a formula in t (s).

    Raises:
        NotUnderstood: it cannot be; why.
    """
    return _Reader(text).whole()


def constant(text: str) -> float:
    """The value of a function that is the same at all times."""
    told = law(text, "{}")
    if isinstance(told, str):
        raise NotUnderstood(f"{text[:80]!r} is not a number, it changes with time")
    return told


def law(text: str, unit: str) -> str | float:
    """What a driver's law is in the file: a number where the function is the same at all times.

    Args:
        unit: what turns the function's value into the driver's, as "degrees({})".
    """
    told = unit.format(translated(text))
    read = Expression.parse(told, (TIME,))
    return told if read.names else read.evaluate()


class _Reader:
    """Recursive descent; every rule returns the formula of what it read."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens()
        self.at = 0

    def whole(self) -> str:
        if self._next.kind == "end":  # an empty function is 0 in these files
            return "0"
        out = self._sum()
        if self._next.kind != "end":
            self._fail(f"{self._next.text!r} is not expected")
        return out

    # ------------------------------------------------------------------------------------ tokens
    def _tokens(self) -> list[_Token]:
        out, at = [], 0
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None:
                self._fail(f"{self.text[at]!r} has no meaning")
            at = found.end()
            if found["number"]:
                mantissa = re.split("[dDeE]", found["number"])[0]
                power = f"e{found['power']}" if found["power"] else ""
                out.append(_Token("number", mantissa + power))
            elif not found["skip"]:
                kind = "word" if found["word"] else "mark"
                out.append(_Token(kind, found.group()))
        return [*out, _Token("end", "the end")]

    @property
    def _next(self) -> _Token:
        return self.tokens[self.at]

    def _take(self, *marks: str) -> str:
        """The next token if it is one of these marks, else nothing."""
        found = self._next
        if found.kind != "mark" or found.text not in marks:
            return ""
        self.at += 1
        return found.text

    def _need(self, mark: str) -> None:
        if not self._take(mark):
            self._fail(f"{self._next.text!r} stands where {mark!r} must")

    def _fail(self, problem: str, hint: str = "") -> NoReturn:
        raise NotUnderstood(f"{problem} in {self.text[:80]!r}" + (hint and f"; {hint}"))

    # ----------------------------------------------------------------------------------- grammar
    def _sum(self) -> str:
        sign = self._take("+", "-")
        out = ("-" if sign == "-" else "") + self._product()
        while sign := self._take("+", "-"):
            out += f" {sign} {self._product()}"
        return out

    def _product(self) -> str:
        out = self._power()
        while mark := self._take("*", "/"):
            out += f"{mark}{self._power()}"
        return out

    def _power(self) -> str:
        out = self._one()
        return f"{out}^{self._power()}" if self._take("^") else out

    def _one(self) -> str:
        """A number, a name, a call, or what stands in parentheses."""
        if self._take("("):
            out = self._sum()
            self._need(")")
            return f"({out})"
        token, after = self._next, self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if token.text in ("+", "-") and after.kind == "number":
            self.at += 2
            return f"(-{after.text})" if token.text == "-" else after.text
        self.at += 1
        if token.kind == "number":
            return token.text
        if token.kind != "word":
            self._fail(f"{token.text!r} stands where a number or a name must")
        return self._call(token.text) if self._next.text == "(" else self._name(token.text)

    def _name(self, word: str) -> str:
        if word not in NAMES:
            self._fail(f"no name {word!r}", nearest_names(word, NAMES))
        return NAMES[word]

    def _call(self, word: str) -> str:
        if word in SHAPES:
            return SHAPES[word](self)
        if word not in FUNCTIONS:
            self._fail(f"no function {word!r}", nearest_names(word, (*FUNCTIONS, *SHAPES), 99))
        found = self._list()
        if len(found) != 1:
            self._fail(f"{word} has {len(found)} numbers, not 1")
        return f"{FUNCTIONS[word]}({found[0]})"

    def _list(self) -> list[str]:
        """What stands between parentheses, separated by commas."""
        self._need("(")
        out = [self._sum()]
        while self._take(","):
            out.append(self._sum())
        self._need(")")
        return out

    def _ramp(self) -> str:
        """rampstep(x, x0, y0, x1, y1): y0 up to x0, straight to y1 at x1, and on with that."""
        found = self._list()
        if len(found) != 5:
            self._fail(f"rampstep has {len(found)} numbers, not 5")
        x, x0, y0, x1, y1 = (f"({word})" for word in found)
        between = f"{y0} + ({x} - {x0})*({y1} - {y0})/({x1} - {x0})"
        return f"if({x} < {x0}, {y0}, if({x} < {x1}, {between}, {y1}))"

    def _piecewise(self) -> str:
        """piecewise(x, functions(f, g, ...), transitions(b, ...)): f for x below b, then g, ..."""
        self._need("(")
        x = self._sum()
        parts = []
        for word in ("functions", "transitions"):
            self._need(",")
            if self._next.text != word:
                self._fail(f"{self._next.text!r} stands where {word!r} must")
            self.at += 1
            parts.append(self._list())
        self._need(")")
        functions, borders = parts
        if len(functions) != len(borders) + 1:
            counts = f"{len(functions)} functions and {len(borders)} transitions"
            self._fail(f"piecewise has {counts}")
        out = functions[-1]
        for function, border in zip(functions[-2::-1], borders[::-1], strict=True):
            out = f"if(({x}) < ({border}), {function}, {out})"
        return out


SHAPES: Mapping[str, Callable[[_Reader], str]] = {
    "rampstep": _Reader._ramp,
    "piecewise": _Reader._piecewise,
}
