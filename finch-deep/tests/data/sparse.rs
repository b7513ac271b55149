//! Sparse matrices: kept as rows, and made dense.

use finch_core::{SparseIndices, SparseValues};
use finch_deep::data::SparseFault;
use ndarray::array;

use super::*;

/// The samples, read sparse, with all their values.
fn of_rows(path: impl AsRef<Path>) -> Array2<f64> {
    let read = data::read(&[path], &options(|options| options.sparse = true)).unwrap();
    let rows = read.sparse().expect("they stay sparse");
    let samples = rows.checked().expect("they are sound");
    assert_eq!((rows.samples(), rows.features()), (read.samples(), read.features()));
    let all = samples.all_values().collect();
    Array2::from_shape_vec((rows.samples(), rows.features()), all).unwrap()
}

fn options(set: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    set(&mut options);
    options
}

fn expect_both(path: &Path, expected: &Array2<f64>) {
    assert_eq!(&values(&read(path)), expected, "{}", path.display());
    assert_eq!(&of_rows(path), expected, "{}", path.display());
}

fn list(values: &[i64]) -> Vec<u8> {
    let bytes: Vec<_> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
    npy("'<i8'", false, &format!("({},)", values.len()), &bytes)
}

fn sparse(format: &str, places: [(&str, &[i64]); 2], shape: [i64; 2]) -> Vec<u8> {
    let values: Vec<u8> =
        [1.5, -2.5, 0.0, 4.0].iter().flat_map(|x: &f64| x.to_le_bytes()).collect();
    npz(&[
        ("format", npy("'|S3'", false, "()", format.as_bytes())),
        (places[0].0, list(places[0].1)),
        (places[1].0, list(places[1].1)),
        ("shape", list(&shape)),
        ("data", npy("'<f8'", false, "(4,)", &values)),
    ])
}

#[test]
fn archives_of_scipy_stay_sparse() {
    let folder = folder();
    let expected = array![[0.0, -2.5, 1.5], [0.0; 3], [0.0, 0.0, 4.0]];
    // The rows need not be sorted, and a zero that is given stays one.
    let csr = sparse("csr", [("indices", &[2, 1, 0, 2]), ("indptr", &[0, 2, 3, 4])], [3, 3]);
    expect_both(&put(&folder, "csr.npz", csr), &expected);
    let csc = sparse("csc", [("indices", &[2, 1, 0, 2]), ("indptr", &[0, 2, 3, 4])], [3, 3]);
    expect_both(&put(&folder, "csc.npz", csc), &expected.t().to_owned());
    let wide = sparse("csc", [("indices", &[1, 0, 1, 0]), ("indptr", &[0, 1, 1, 2, 4])], [2, 4]);
    let of_wide = array![[0.0, 0.0, -2.5, 4.0], [1.5, 0.0, 0.0, 0.0]];
    expect_both(&put(&folder, "wide.npz", wide), &of_wide);
    // Values of one place are added up.
    let coo = sparse("coo", [("row", &[2, 0, 1, 2]), ("col", &[0, 1, 1, 0])], [3, 2]);
    let of_coordinates = array![[0.0, -2.5], [0.0, 0.0], [5.5, 0.0]];
    expect_both(&put(&folder, "coo.npz", coo), &of_coordinates);
    for (row, column) in [([0, 0, 0, 3], [0; 4]), ([0; 4], [0, 0, 2, 0]), ([0, 0, 0, -1], [0; 4])] {
        let outside = sparse("coo", [("row", &row), ("col", &column)], [3, 2]);
        let fault = fault(put(&folder, "x.npz", outside));
        assert!(matches!(fault, Fault::Malformed { .. }), "{fault}");
    }
    let twice = sparse("csr", [("indices", &[1, 1, 0, 2]), ("indptr", &[0, 2, 3, 4])], [3, 3]);
    let twice = put(&folder, "x.npz", twice);
    let fault = data::read(&[twice], &options(|options| options.sparse = true)).unwrap_err().fault;
    assert!(matches!(fault, Fault::Malformed { .. }), "{fault}");
    expect_both(&fixture("sparse.mat"), &values(&read(fixture("sparse.mat"))));
}

#[test]
fn matrix_market_is_read() {
    let folder = folder();
    let market =
        |kind: &str, rest: &str| format!("%%MatrixMarket matrix coordinate {kind}\n{rest}");
    let general = "% a comment\n\n 3 2 4 \n3 1 1e1\n1 2 -.5\n3 1 0.25\r\n2 2 0\n";
    let expected = array![[0.0, -0.5], [0.0, 0.0], [10.25, 0.0]];
    expect_both(&put(&folder, "a.mtx", market("real general", general)), &expected);
    let zipped = gzip(market("REAL General", general).as_bytes());
    expect_both(&put(&folder, "a.mtx.gz", zipped), &expected);
    let symmetric = market("integer symmetric", "3 3 3\n1 1 7\n3 1 -2\n2 3 4\n");
    let expected = array![[7.0, 0.0, -2.0], [0.0, 0.0, 4.0], [-2.0, 4.0, 0.0]];
    expect_both(&put(&folder, "s.mtx", symmetric), &expected);
    let pattern = market("pattern general", "2 3 2\n1 3\n2 1\n");
    let of_pattern = array![[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]];
    expect_both(&put(&folder, "p.mtx", pattern), &of_pattern);
    let skew = market("real skew-symmetric", "3 3 2\n2 1 7\n3 2 -1.5\n");
    let of_skew = array![[0.0, -7.0, 0.0], [7.0, 0.0, 1.5], [0.0, -1.5, 0.0]];
    expect_both(&put(&folder, "k.mtx", skew), &of_skew);
    // Column by column, as SciPy's mmwrite has dense matrices.
    let array = |kind: &str, rest: &str| format!("%%MatrixMarket matrix array {kind}\n{rest}");
    for (content, expected) in [
        (
            array("real general", "%\n2 3\n1\n4\n2\n\n5\n3.5\n-6e0\n"),
            array![[1.0, 2.0, 3.5], [4.0, 5.0, -6.0]],
        ),
        (array("integer symmetric", "2 2\n1\n2\n3\n"), array![[1.0, 2.0], [2.0, 3.0]]),
        (
            array("real skew-symmetric", "3 3\n1\n2\n3\n"),
            array![[0.0, -1.0, -2.0], [1.0, 0.0, -3.0], [2.0, 3.0, 0.0]],
        ),
    ] {
        assert_eq!(values(&read(put(&folder, "f.mtx", content))), expected);
    }
    let empty = market("real general", "2 2 0\n");
    expect_both(&put(&folder, "e.mtx", empty), &Array2::zeros((2, 2)));

    let message = |content: String| fault(put(&folder, "x.mtx", content)).to_string();
    for (content, expected) in [
        (market("real general", "3 2\n"), "line 2: \"3 2\" is not the numbers of rows"),
        (market("real general", ""), "is not the numbers of rows"),
        (
            market("real general", "3 2 1\n1 1\n"),
            "line 3: \"1 1\" is not a row, a column and a number",
        ),
        (market("real general", "3 2 1\n1 1 x\n"), "line 3: \"1 1 x\" is not a row"),
        (market("real general", "3 2 1\n-1 1 1\n"), "line 3"),
        (market("pattern general", "3 2 1\n1 1 1\n"), "is not a row and a column"),
        (market("integer general", "3 2 1\n1 1 9007199254740993\n"), "float64 holds exactly"),
        (
            market("real general", "3 2 1\n0 1 1\n"),
            "row 0, column 1 is outside of the matrix of 3 × 2",
        ),
        (market("real general", "3 2 1\n\n1 3 1\n"), "line 4: row 1, column 3 is outside"),
        (market("real general", "3 2 2\n1 1 1\n"), "1 values, and 2 are declared"),
        (market("real general", "3 2 1\n1 1 1\n2 1 1\n"), "line 4: 2 values, and 1 are declared"),
        (market("real symmetric", "3 2 0\n"), "as many rows as columns"),
        (market("complex general", "1 1 0\n"), "\"matrix coordinate complex general\""),
        (market("real hermitian", "1 1 0\n"), "finch reads"),
        (market("real skew-symmetric", "2 3 0\n"), "as many rows as columns"),
        (
            market("real skew-symmetric", "2 2 1\n2 2 1\n"),
            "line 3: a skew-symmetric matrix has no value",
        ),
        (array("complex general", "1 1\n1 0\n"), "\"matrix array complex general\": finch reads"),
        (array("pattern general", "1 1\n"), "\"matrix array pattern general\": finch reads"),
        (array("real hermitian", "1 1\n1\n"), "finch reads"),
        (
            array("real general", "2 2 4\n1\n"),
            "line 2: \"2 2 4\" is not the numbers of rows and columns",
        ),
        (array("real general", "2 2\n1\n2\n3\n"), "3 values, and 4 are declared"),
        (array("real general", "1 2\n1\n2\n\n3\n"), "line 6: 3 values, and 2 are declared"),
        (array("real general", "1 2\n1 2\n"), "line 3: \"1 2\" is not a number"),
        (array("integer general", "1 1\n1.5\n"), "not a whole number"),
        (array("real symmetric", "1 2\n1\n2\n"), "as many rows as columns"),
        (array("real general", "99999999999 99999999999\n1\n"), "is impossible"),
        ("1 1 1\n1 1 1\n".into(), "not a Matrix Market file"),
    ] {
        let message = message(content);
        assert!(message.contains(expected), "{message}");
    }
}

#[test]
fn sparse_files_are_stacked() {
    let folder = folder();
    let market = |rest: &str| format!("%%MatrixMarket matrix coordinate real general\n{rest}");
    let first = put(&folder, "a.mtx", market("2 2 1\n2 1 3\n"));
    let second = put(&folder, "b.mtx", market("1 2 2\n1 2 5\n1 1 4\n"));
    let singles = [1.5_f32, 2.5].iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let third = npz(&[
        ("indices", list(&[0, 1])),
        ("indptr", list(&[0, 2])),
        ("shape", list(&[1, 2])),
        ("data", npy("'<f4'", false, "(2,)", &singles)),
    ]);
    let third = put(&folder, "c.npz", third);
    let expected = array![[0.0, 0.0], [3.0, 0.0], [4.0, 5.0], [1.5, 2.5]];
    let keep = options(|options| options.sparse = true);
    let read_all = |files: &[&PathBuf]| {
        let input = data::read(files, &keep).unwrap();
        let samples = input.sparse().unwrap().checked().unwrap();
        let (starts, _, values) = samples.parts();
        assert!(matches!((starts, values), (SparseIndices::I64(_), SparseValues::F64(_))));
        Array2::from_shape_vec((4, 2), samples.all_values().collect()).unwrap()
    };
    assert_eq!(read_all(&[&first, &second, &third]), expected);
    let rows = [3, 0, 1, 2];
    assert_eq!(read_all(&[&third, &first, &second]), expected.select(ndarray::Axis(0), &rows));
    let dense = data::read(&[&first, &second, &third], &ReadOptions::default()).unwrap();
    assert_eq!(values(&dense), expected);
    let table = put(&folder, "t.csv", "1,2\n");
    let fault = data::read(&[&first, &table], &keep).unwrap_err().fault;
    assert!(matches!(fault, Fault::Sparse(SparseFault::Mixed { .. })), "{fault}");
    let narrow = put(&folder, "n.mtx", market("1 1 0\n"));
    let fault = data::read(&[&first, &narrow], &keep).unwrap_err().fault;
    assert!(matches!(fault, Fault::ColumnCount { .. }), "{fault}");
}

#[test]
fn logarithms_of_sparse_rows_are_those_of_dense_ones() {
    let folder = folder();
    let market = |rest: &str| format!("%%MatrixMarket matrix coordinate real general\n{rest}");
    let counts = put(&folder, "x.mtx", market("3 3 4\n1 1 7\n1 3 0\n2 2 0.5\n3 1 1\n"));
    let logged = |sparse| options(|options| (options.log, options.sparse) = (true, sparse));
    let sparse = data::read(&[&counts], &logged(true)).unwrap();
    let all: Vec<f64> = sparse.sparse().unwrap().checked().unwrap().all_values().collect();
    let dense = values(&data::read(&[&counts], &logged(false)).unwrap());
    assert_eq!(
        dense,
        array![[8_f64.ln(), 0.0, 0.0], [0.0, 0.5_f64.ln_1p(), 0.0], [2_f64.ln(), 0.0, 0.0]]
    );
    assert_eq!(all, dense.iter().copied().collect::<Vec<_>>());
    let below = put(&folder, "y.mtx", market("3 3 2\n1 1 7\n3 2 -2\n"));
    for sparse in [true, false] {
        let told = data::read(&[&below], &logged(sparse)).unwrap_err().to_string();
        assert!(told.contains("row 2 (from 0), column 1 (from 0): -2 is below 0"), "{told}");
    }
}
