import pandas as pd
import pytest

from plancheck.reporting.rounding import number, p_is, p_value, points, rounded


@pytest.mark.parametrize(("p", "expected"), [(0.0009, "<0.001"), (0.001, "0.001"), (0.0605, "0.060"), (1.0, "1.000")])
def test_p_has_three_digits(p, expected):
    assert p_value(p) == expected


def test_a_small_p_is_less_and_not_equal():
    assert (p_is(0.0009), p_is(0.001)) == ("< 0.001", "= 0.001")


@pytest.mark.parametrize(
    ("difference", "expected"), [(0.0004, "0.0"), (-0.0004, "0.0"), (0.0179, "+1.8"), (-0.125, "-12.5")]
)
def test_a_difference_has_a_sign_unless_it_shows_as_zero(difference, expected):
    assert points(difference) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [(0.41234, "0.412"), (-0.0, "0"), (999.4, "999"), (1304.65, "1,305"), (-1234.5, "-1,234")]
)
def test_a_number_has_three_digits_and_all_those_before_the_point(value, expected):
    assert number(value) == expected


@pytest.mark.parametrize("kind", ["text", "count", "percent", "points", "p", "number"])
@pytest.mark.parametrize("nothing", [None, float("nan"), pd.NA])
def test_nothing_is_empty(nothing, kind):
    assert rounded(nothing, kind) == ""
