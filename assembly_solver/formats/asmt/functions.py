"""Functions of time in .asmt files, as `2.0d*pi*time`, translated to this package's formulas.

Their syntax: numbers (`2.0d` and `1.5d3` are doubles), `pi`, `time`, + - * / ^, parentheses,
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
"""Functions of one number and their names in this package; all in radians."""

_TOKEN = re.compile(
    r'(?P<skip>\s+|<n>|"[^"]*")'
    r"|(?P<number>(?:\d+\.?\d*|\.\d+)(?:[dDeE](?P<power>[+-]?\d+)?)?)"
    r"|(?P<word>[A-Za-z]\w*)|(?P<mark>[-+*/^(),])"
)


class AsmtToken(NamedTuple):
    """A token: its kind (number, word, mark or end) and its text."""

    kind: str
    text: str


def translated(text: str) -> str:
    """A function as a formula in t (s); NotUnderstood where it is not valid or not supported."""
    return _FunctionParser(text).whole()


def constant(text: str) -> float:
    """The value of a function; NotUnderstood where it is not valid, or depends on time."""
    value = law(text, "{}")
    if isinstance(value, str):
        raise NotUnderstood(f"{text[:80]!r} is not a number, it changes with time")
    return value


def law(text: str, unit: str) -> str | float:
    """A function as the law of a driver: a formula in t (s), or a number if it is constant.

    Args:
        unit: converts the function's value to the driver's unit, as "degrees({})".

    Raises NotUnderstood, BadExpression: the function, or the translated formula, is not valid.
    """
    formula = unit.format(translated(text))
    expression = Expression.parse(formula, (TIME,))
    return formula if expression.names else expression.evaluate()


class _FunctionParser:
    """A recursive-descent parser; every rule returns the formula of the text that it parsed."""

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
    def _tokens(self) -> list[AsmtToken]:
        out, at = [], 0
        while at < len(self.text):
            found = _TOKEN.match(self.text, at)
            if found is None:
                self._fail(f"{self.text[at]!r} has no meaning")
            at = found.end()
            if found["number"]:
                mantissa = re.split("[dDeE]", found["number"])[0]
                power = f"e{found['power']}" if found["power"] else ""
                out.append(AsmtToken("number", mantissa + power))
            elif not found["skip"]:
                kind = "word" if found["word"] else "mark"
                out.append(AsmtToken(kind, found.group()))
        return [*out, AsmtToken("end", "the end")]

    @property
    def _next(self) -> AsmtToken:
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
        """A number, a name, a call, or a sum in parentheses."""
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
        """The arguments in parentheses."""
        self._need("(")
        out = [self._sum()]
        while self._take(","):
            out.append(self._sum())
        self._need(")")
        return out

    def _ramp(self) -> str:
        """rampstep(x, x0, y0, x1, y1): y0 up to x0, linear to y1 at x1, y1 above."""
        found = self._list()
        if len(found) != 5:
            self._fail(f"rampstep has {len(found)} numbers, not 5")
        x, x0, y0, x1, y1 = (f"({word})" for word in found)
        between = f"{y0} + ({x} - {x0})*({y1} - {y0})/({x1} - {x0})"
        return f"if({x} < {x0}, {y0}, if({x} < {x1}, {between}, {y1}))"

    def _integral(self) -> str:
        """integral(time, f): of f from time 0; there, too, that of a polynomial is 0 at 0."""
        found = self._list()
        if len(found) != 2 or found[0] != TIME:
            self._fail(f"integral has {', '.join(found)} in it, not time and a function")
        return f"integral({found[1]})"

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


SHAPES: Mapping[str, Callable[[_FunctionParser], str]] = {
    "integral": _FunctionParser._integral,
    "rampstep": _FunctionParser._ramp,
    "piecewise": _FunctionParser._piecewise,
}
