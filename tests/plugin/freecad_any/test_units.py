"""Numbers in the units of FreeCAD's preferences: shown, typed, and in sentences of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import FreeCAD
import pytest
from assembly_solver_freecad.units import SETTINGS, digits, localised, shown, typed

MM, MKS, INCH, CM, BUILDING, CIVIL = 0, 1, 3, 4, 5, 7
"""Numbers of FreeCAD's systems of units."""


@pytest.fixture
def prefer() -> Iterator[Callable[[int, int], None]]:
    """Sets the system of units and the decimals; afterwards they are FreeCAD's own again."""
    settings = FreeCAD.ParamGet(SETTINGS)

    def chosen(schema: int, decimals: int) -> None:
        settings.SetInt("UserSchema", schema)
        settings.SetInt("Decimals", decimals)
        FreeCAD.Units.setSchema(schema)

    yield chosen
    chosen(MM, 2)


@pytest.mark.parametrize(
    ("schema", "decimals", "length", "small", "angle"),
    [
        (MM, 2, "25.40 mm", "0.0123 mm", "-0.265 °"),
        (MM, 4, "25.4000 mm", "0.0123 mm", "-0.2650 °"),
        (INCH, 3, "1.000 in", "0.000484 in", "-0.265 °"),
        (CM, 1, "2.54 cm", "0.00123 cm", "-0.265 °"),
        (BUILDING, 2, "1.00 in", "0.000484 in", "-0.265 °"),  # no fractions of an inch
        (CIVIL, 2, "0.0833 ft", "0.0000404 ft", "-0.265 °"),  # no minutes
    ],
)
def test_values_have_the_decimals_of_the_preferences_and_three_digits_at_least(
    prefer: Callable[[int, int], None],
    schema: int,
    decimals: int,
    length: str,
    small: str,
    angle: str,
) -> None:
    prefer(schema, decimals)
    assert [shown(25.4, "mm"), shown(0.0123, "mm"), shown(-0.265, "deg")] == [length, small, angle]


def test_zero_and_what_is_not_there_have_no_sign(prefer: Callable[[int, int], None]) -> None:
    prefer(MM, 2)
    assert [digits(x) for x in (0.0, -0.0, float("nan"), 1e-12)] == ["0.00", "0.00", "nan", "1e-12"]


def test_a_typed_number_is_in_the_unit_of_the_preferences_and_a_unit_in_its_own(
    prefer: Callable[[int, int], None],
) -> None:
    prefer(INCH, 3)
    lengths = [
        typed(text, "mm") for text in ("2", "1 in", "12.7 mm", "0.5 m", "30 deg", "", "wide")
    ]
    assert lengths == [50.8, 25.4, 12.7, 500.0, None, None, None]
    angles = [typed(text, "deg") for text in ("30", "30 deg", "1 in")]
    assert angles == [30.0, 30.0, None]
    assert typed("0.5 rad", "deg") == pytest.approx(28.64788975654116, abs=1e-12)
    assert [typed(text, "turns") for text in ("-2.5", "1 mm")] == [-2.5, None]


def test_sentences_of_the_engine_have_the_units_and_no_more_decimals_than_they_need(
    prefer: Callable[[int, int], None],
) -> None:
    words = (
        "16 mates hold (5.4e-12 mm); Lid asks 95 mm, the others leave 72.33456 mm; "
        "from 0 to -20 mm; a min of -48 deg; through (12, 3.5, 4); 30 N mm; 0.3 deg/mm; M6 mmx"
    )
    prefer(MM, 2)
    assert localised(words) == words.replace("72.33456", "72.33").replace("-48 deg", "-48 °")
    prefer(INCH, 3)
    assert localised(words) == (
        "16 mates hold (2.13e-13 in); Lid asks 3.74 in, the others leave 2.848 in; "
        "from 0 to -0.787 in; a min of -48 °; through (0.472, 0.138, 0.157) in; 30 N mm; "
        "0.3 deg/mm; M6 mmx"
    )


def test_numbers_that_differ_are_told_apart_where_the_decimals_are_too_few(
    prefer: Callable[[int, int], None],
) -> None:
    words = "Lid asks 40.0005 mm, the others leave 40 mm at best (0.0005 mm off)"
    prefer(MM, 2)
    assert localised(words) == words
    assert localised("from 40.1234 to 40.9876 mm") == "from 40.12 to 40.99 mm"
    prefer(INCH, 3)
    told = "Lid asks 1.574823 in, the others leave 1.574803 in at best (0.0000197 in off)"
    assert localised(words) == told
    assert localised("does not come to 12.7 .. 25.4 mm") == "does not come to 0.5 .. 1 in"
