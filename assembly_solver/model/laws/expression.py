"""Expressions: the formulas that a file may have for a number or for a driver's law.

Numbers, names, `+ - * / % **` (also `^`), comparisons, `and or not`, `if(condition, then, else)`
and the functions below; `pi` and `e`.  Trigonometric functions are in radians, those that end in d
(`sind`, `acosd`, ...) in degrees.  A text is parsed to a list of instructions in postfix order, and
only these are executed: no Python, and no name that is not defined here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial, reduce
from math import e, inf, isfinite, pi
from typing import NamedTuple, NoReturn

import numpy as np

from ...errors import BadExpression, nearest_names
from ...foundations.numerics import taylor
from ...foundations.numerics.taylor import Jet
from ...foundations.numerics.varied import Varied, jet_of
from ...foundations.types import Array
from .arithmetic import Instruction, plainly
from .quadrature import integrals

TIME = "t"
"""The name of time in laws, s."""

CONSTANTS: Mapping[str, float] = {"pi": pi, "e": e}


class Function(NamedTuple):
    """A function, and the least and largest number of its arguments."""

    run: Callable[..., Jet]
    least: int = 1
    most: float = 1


def _folded(two: Callable[[Jet, Jet], Jet]) -> Function:
    return Function(lambda *u: reduce(two, u), 2, inf)


def _to_degrees(run: Callable[..., Jet]) -> Callable[..., Jet]:
    return lambda *u: taylor.to_degrees(run(*u))


FUNCTIONS: Mapping[str, Function] = {
    "sin": Function(taylor.sine),
    "cos": Function(taylor.cosine),
    "tan": Function(taylor.tangent),
    "asin": Function(taylor.arc_sine),
    "acos": Function(taylor.arc_cosine),
    "atan": Function(taylor.arc_tangent),
    "atan2": Function(taylor.arc_tangent_2, 2, 2),
    "sind": Function(taylor.sine_of_degrees),
    "cosd": Function(taylor.cosine_of_degrees),
    "tand": Function(taylor.tangent_of_degrees),
    "asind": Function(_to_degrees(taylor.arc_sine)),
    "acosd": Function(_to_degrees(taylor.arc_cosine)),
    "atand": Function(_to_degrees(taylor.arc_tangent)),
    "atan2d": Function(_to_degrees(taylor.arc_tangent_2), 2, 2),
    "sinh": Function(taylor.hyperbolic_sine),
    "cosh": Function(taylor.hyperbolic_cosine),
    "tanh": Function(taylor.hyperbolic_tangent),
    "degrees": Function(taylor.to_degrees),
    "radians": Function(taylor.to_radians),
    "sqrt": Function(taylor.square_root),
    "hypot": Function(taylor.hypotenuse, 2, 2),
    "exp": Function(taylor.exponential),
    "log": Function(taylor.logarithm),
    "log10": Function(taylor.logarithm_10),
    "abs": Function(taylor.absolute),
    "sign": Function(taylor.piecewise_constant(np.sign)),
    "floor": Function(taylor.piecewise_constant(np.floor)),
    "ceil": Function(taylor.piecewise_constant(np.ceil)),
    "round": Function(taylor.piecewise_constant(np.round)),
    "min": _folded(taylor.least),
    "max": _folded(taylor.greatest),
    "if": Function(taylor.choose, 3, 3),
    "step": Function(taylor.step, 5, 5),
    "step5": Function(taylor.step5, 5, 5),
}
"""Functions by name.  `step(t, t0, h0, t1, h1)` goes from h0 to h1 with a continuous rate, `step5`
with a continuous second derivative; `log` is the natural logarithm."""

INTEGRAL = "integral"
"""integral(f): of f, a formula in t, from 0 to t."""

WORDS = ("and", "or", "not")


class Operator(NamedTuple):
    """A binary operator and its precedence."""

    precedence: int
    run: Callable[[Jet, Jet], Jet]


COMPARES, SIGN, POWER = 4, 7, 8
OPERATORS: Mapping[str, Operator] = {
    "or": Operator(1, taylor.either),
    "and": Operator(2, taylor.both),
    "<": Operator(COMPARES, taylor.compared(np.less)),
    "<=": Operator(COMPARES, taylor.compared(np.less_equal)),
    ">": Operator(COMPARES, taylor.compared(np.greater)),
    ">=": Operator(COMPARES, taylor.compared(np.greater_equal)),
    "==": Operator(COMPARES, taylor.compared(np.equal)),
    "!=": Operator(COMPARES, taylor.compared(np.not_equal)),
    "+": Operator(5, taylor.add),
    "-": Operator(5, taylor.subtract),
    "*": Operator(6, taylor.multiply),
    "/": Operator(6, taylor.divide),
    "%": Operator(6, taylor.remainder),
    "**": Operator(POWER, taylor.power),
    "^": Operator(POWER, taylor.power),
}
NOT = 3
DEEPEST = 60
"""Largest depth of nested parentheses, signs and powers."""

_NAME = r"[^\W\d]\w*"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>{_NAME})"
    r"|(?P<mark>\*\*|<=|>=|==|!=|[-+*/%^<>(),]))"
)


def is_name(text: str) -> bool:
    """Whether a text is one name: letters, digits and _, no digit first."""
    return re.fullmatch(_NAME, text) is not None


@dataclass(frozen=True)
class Expression:
    """A parsed formula.

    Attributes:
        text: as it was given; instructions: in postfix order; not compared.

    Examples:
        >>> Expression.parse("=L/2 + 3", ["L"]).evaluate({"L": 120.0})
        63.0
    """

    text: str
    instructions: tuple[Instruction, ...] = field(compare=False, repr=False)

    @staticmethod
    def parse(text: str, names: Collection[str] = (), place: str = "") -> Expression:
        """Parse a formula; a leading "=" is skipped.

        `names` are allowed besides functions and constants, `t` for a law; `place` is for errors.

        Raises BadExpression: it cannot be parsed.
        """
        return Expression(text, tuple(_Parser(text, names, place).whole()))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it uses, each once."""
        return tuple(dict.fromkeys(_names(self.instructions)))

    def jet(self, t: Array, values: Mapping[str, float] | None = None) -> Jet:
        """Value, first and second derivative with respect to t (s), arrays of the shape of t.

        They are not finite where it is undefined, as sqrt(-1); `values`: of the names except t.
        """
        with np.errstate(all="ignore"):
            return _run(self.instructions, np.asarray(t, float), values or {})

    def evaluate(self, values: Mapping[str, float] | None = None) -> float:
        """The value of a formula without t; not finite where it is undefined.

        It varies where values of its names do.
        """
        plain = plainly(self.instructions, values or {})
        if plain is not None:
            return plain
        nominal = float(self.jet(np.zeros(()), values).value)
        like = next((v for v in (values or {}).values() if isinstance(v, Varied)), None)
        if like is None:
            return nominal
        return Varied(nominal, self.jet(like.jet.value, values), like.departed)


def _names(instructions: Iterable[Instruction]) -> Iterator[str]:
    for each in instructions:
        if each.name:
            yield each.name
        yield from _names(each.integrand)


def _run(instructions: Iterable[Instruction], t: Array, known: Mapping[str, float]) -> Jet:
    """The result of instructions at times t (s), with the values of the names except t."""
    stack: list[Jet] = []
    for each in instructions:
        if each.integrand:
            inner = partial(_run, each.integrand, known=known)
            now = inner(t)
            total = integrals(lambda times, inner=inner: inner(times).value, t)  # type: ignore[misc]
            stack.append(Jet(total, now.value, now.rate))
        elif each.name:
            is_time = each.name == TIME and TIME not in known
            stack.append(taylor.time(t) if is_time else _constant(known[each.name], t))
        elif each.run is None:
            stack.append(taylor.constant(each.number, t))
        else:
            stack[-each.operands :] = [each.run(*stack[-each.operands :])]
    return stack[0]


def _constant(value: float, t: Array) -> Jet:
    """The jet of a name's value at times t; one that varies does in the shape of t."""
    whole = isinstance(value, Varied) and value.jet.value.shape == t.shape
    return jet_of(value, Jet(t, t, t)) if whole else taylor.constant(value, t)


class _Token(NamedTuple):
    kind: str
    text: str
    column: int


class _Parser:
    """Precedence climbing: the right operand of an operator has operators of higher precedence."""

    def __init__(self, text: str, names: Collection[str], place: str) -> None:
        self.text, self.names, self.place = text, names, place
        self.instructions: list[Instruction] = []
        self.depth = 0
        self.tokens = self._tokens()
        self.at = 0

    def whole(self) -> list[Instruction]:
        """The instructions of the whole text."""
        self._operand(0)
        if self._next.kind != "end":
            self._fail(self._next, f"an operator is missing before {self._next.text!r}")
        return self.instructions

    # ------------------------------------------------------------------------------------ tokens
    def _tokens(self) -> list[_Token]:
        out = []
        at = len(self.text) - len(self.text.lstrip())
        at += self.text.startswith("=", at)
        end = len(self.text.rstrip())
        while at < end:
            found = _TOKEN.match(self.text, at)
            if found is None:
                at += len(self.text[at:]) - len(self.text[at:].lstrip())
                problem = f"{self.text[at]!r} has no meaning here; known: + - * / % ** ( )"
                raise BadExpression(self.place, self.text, at + 1, problem)
            kind = str(found.lastgroup)
            word, column = found.group(kind), found.start(kind) + 1
            out.append(_Token("mark" if word in WORDS else kind, word, column))
            at = found.end()
        return [*out, _Token("end", "", len(self.text) + 1)]

    @property
    def _next(self) -> _Token:
        return self.tokens[self.at]

    def _take(self) -> _Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def _fail(self, token: _Token, problem: str) -> NoReturn:
        raise BadExpression(self.place, self.text, token.column, problem)

    def _emit(self, run: Callable[..., Jet], count: int) -> None:
        self.instructions.append(Instruction(count, run, 0.0, ""))

    # ---------------------------------------------------------------------------------- grammar
    def _operand(self, least: int) -> None:
        """An operand with all following operators of higher precedence than `least`."""
        self.depth += 1
        if self.depth > DEEPEST:
            self._fail(self._next, f"this is nested more than {DEEPEST} deep")
        self._first()
        compared = False
        while self._next.kind == "mark" and self._next.text in OPERATORS:
            mark = self._next
            binds, run = OPERATORS[mark.text]
            if binds <= least:
                break
            if binds == COMPARES and compared:
                self._fail(mark, "comparisons are joined by 'and'")
            compared = compared or binds == COMPARES
            self._take()
            self._operand(SIGN - 1 if binds == POWER else binds)  # 2**-1, 2**3**2
            self._emit(run, 2)
        self.depth -= 1

    def _first(self) -> None:
        """A number, a name, a call, a sign, or a parenthesised expression."""
        token = self._take()
        if token.kind == "number":
            number = float(token.text)
            if not isfinite(number):
                self._fail(token, f"{token.text} is too large")
            self.instructions.append(Instruction(0, None, number, ""))
        elif token.kind == "name":
            self._name(token)
        elif token.text in ("-", "+", "not"):
            self._operand(NOT if token.text == "not" else SIGN)
            if token.text != "+":
                self._emit(taylor.opposite if token.text == "not" else taylor.negative, 1)
        elif token.text == "(":
            self._operand(0)
            self._close(token)
        else:
            what = "it ends" if token.kind == "end" else f"{token.text!r} stands"
            self._fail(token, f"{what} where a number, a name or '(' is needed")

    def _name(self, token: _Token) -> None:
        if self._next.text == "(":
            self._call(token)
        elif token.text in self.names:
            self.instructions.append(Instruction(0, None, 0.0, token.text))
        elif token.text in CONSTANTS:
            self.instructions.append(Instruction(0, None, CONSTANTS[token.text], ""))
        elif token.text in (*FUNCTIONS, INTEGRAL):
            self._fail(token, f"{token.text!r} is a function: {token.text}(...)")
        else:
            near = nearest_names(token.text, (*self.names, *CONSTANTS))
            self._fail(token, f"no name {token.text!r}; {near}")

    def _call(self, token: _Token) -> None:
        if token.text == INTEGRAL:
            self._integral(token)
            return
        if token.text not in FUNCTIONS:
            near = nearest_names(token.text, (*FUNCTIONS, INTEGRAL))
            self._fail(token, f"no function {token.text!r}; {near}")
        opening = self._take()
        run, least, most = FUNCTIONS[token.text]
        count = 1
        self._operand(0)
        while self._next.text == ",":
            self._take()
            self._operand(0)
            count += 1
        self._close(opening)
        if not least <= count <= most:
            need = f"{least}" if least == most else f"{least} or more"
            self._fail(token, f"{token.text} takes {need} numbers, here are {count}")
        self._emit(run, count)

    def _integral(self, token: _Token) -> None:
        """The integral of a formula from 0 to t."""
        if TIME not in self.names:
            self._fail(token, f"{INTEGRAL} is of a function of {TIME}, for laws")
        opening, before = self._take(), len(self.instructions)
        self._operand(0)
        self._close(opening)
        inner = tuple(self.instructions[before:])
        if any(each.integrand for each in inner):
            self._fail(token, f"{INTEGRAL} stands in another one")
        self.instructions[before:] = [Instruction(0, None, 0.0, "", inner)]

    def _close(self, opening: _Token) -> None:
        if self._next.text != ")":
            self._fail(self._next, f"the parenthesis of column {opening.column} is not closed")
        self._take()
