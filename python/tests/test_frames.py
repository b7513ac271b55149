"""Tables of pandas, polars and Arrow."""

import finch_clustering as finch
import numpy as np
import pytest
from finch_clustering._input.frames import matrix_of

RNG = np.random.default_rng(1)
COLUMNS = {
    "height": RNG.normal(size=40),
    "seen": RNG.random(40) < 0.5,
    "count": RNG.integers(-5, 1000, 40),
    "pixel": RNG.integers(0, 255, 40).astype(np.uint8),
}
X = np.stack(list(COLUMNS.values()), axis=1).astype(float)


def tables(columns=COLUMNS):
    """The columns as each kind of table that is installed, by the kind's name."""
    made = {}
    try:
        import pandas

        table = pandas.DataFrame(columns)
        made["pandas"] = table
        made["pandas, nullable"] = table.convert_dtypes()
        import pyarrow  # noqa: F401

        made["pandas of Arrow"] = table.convert_dtypes(dtype_backend="pyarrow")
    except ImportError:
        pass
    try:
        import polars

        made["polars"] = polars.DataFrame(columns)
    except ImportError:
        pass
    try:
        import pyarrow

        table = pyarrow.table(columns)
        made["Arrow"] = table
        made["Arrow, in chunks"] = pyarrow.concat_tables([table[:7], table[7:7], table[7:]])
        made["Arrow record batch"] = pyarrow.RecordBatch.from_pydict(columns)
    except ImportError:
        pass
    if not made:
        pytest.skip("left out, for want of pandas, polars and pyarrow")
    return made


def test_columns_of_numbers():
    expected = finch.cluster(X)
    for kind, table in tables().items():
        np.testing.assert_array_equal(matrix_of(table), X, err_msg=kind)
        hierarchy = finch.cluster(table)
        np.testing.assert_array_equal(hierarchy.labels, expected.labels, err_msg=kind)
        np.testing.assert_array_equal(hierarchy.refine(table, 3), expected.refine(X, 3))


@pytest.mark.parametrize(
    "names, dtype",
    [
        (["pixel", "seen"], np.uint8),
        (["pixel", "small", "single"], np.float32),
        (["pixel", "count"], np.float64),
        (["single", "height"], np.float64),
    ],
)
def test_the_smallest_type_that_holds_all_columns(names, dtype):
    columns = {
        **COLUMNS,
        "small": COLUMNS["count"].astype(np.int16),
        "single": COLUMNS["height"].astype(np.float32),
    }
    for kind, table in tables({name: columns[name] for name in names}).items():
        if kind != "pandas, nullable":  # which makes int64 of what is whole
            assert matrix_of(table).dtype == dtype, kind


def test_floats_of_pandas_are_not_copied():
    pandas = pytest.importorskip("pandas")
    for dtype in (np.float32, np.float64):
        array = np.ones((5, 2), dtype)
        assert np.shares_memory(matrix_of(pandas.DataFrame(array, copy=False)), array)


def test_errors_name_the_column():
    broken = [
        ("seen", ["x"] * 40, TypeError, "column 'seen' of X has dtype"),
        ("count", [1] * 39 + [None], ValueError, "(missing value|NaN) in column 'count', row 39"),
        ("height", [0.5] * 7 + [np.inf] * 33, ValueError, "inf in column 'height', row 7"),
        ("pixel", [2**60] * 40, ValueError, "column 'pixel' of X has integers .* beyond"),
    ]
    for name, values, error, message in broken:
        for table in tables({**COLUMNS, name: values}).values():
            with pytest.raises(error, match=message):
                finch.cluster(table)


def test_kinds_of_columns_that_are_refused():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(COLUMNS)
    for values in (
        pandas.Categorical([1, 2] * 20),
        pandas.to_datetime(["2020-01-01"] * 40),
        np.full(40, 1j),
        np.full(40, 1, object),
    ):
        with pytest.raises(TypeError, match="column 'seen' of X has dtype"):
            finch.cluster(table.assign(seen=values))
    with pytest.raises(finch.Error, match="no columns"):
        finch.cluster(table[[]])


def test_polars_that_is_refused():
    polars = pytest.importorskip("polars")
    with pytest.raises(TypeError, match="collect"):
        finch.cluster(polars.DataFrame(COLUMNS).lazy())
    with pytest.raises(TypeError, match="column 'list'"):
        finch.cluster(polars.DataFrame({"list": [[1, 2]] * 4}))
