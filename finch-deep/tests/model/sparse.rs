//! Sparse rows in the command: what it says of them is what it says of the same rows, made dense.

use ndarray::ArrayView1;

use super::*;

/// Texts of four words out of 400, in a few groups, as Matrix Market and as a dense table; or the sets of
/// their words.
fn texts(rows: std::ops::Range<usize>, are_sets: bool) -> (String, ndarray::Array2<f64>) {
    let mut lines = String::new();
    let (mut dense, mut values) = (ndarray::Array2::zeros((rows.len(), 400)), 0);
    for (at, row) in rows.enumerate() {
        for word in 0..4 {
            let column = row % 5 * 60 + (row * 7 + word * word * 5) % 31;
            if are_sets && dense[[at, column]] != 0.0 {
                continue;
            }
            let more = if are_sets { 0 } else { (row * 13 + word * 5) % 17 };
            let value = 1.0 + more as f64 / 8.0;
            dense[[at, column]] += value;
            lines += &format!("{} {} {value}\n", at + 1, column + 1);
            values += 1;
        }
    }
    let head = "%%MatrixMarket matrix coordinate real general\n% made here\n\n";
    (format!("{head}{} 400 {values}\n{lines}", dense.nrows()), dense)
}

#[test]
fn commands_say_of_sparse_rows_what_they_say_of_dense_ones() {
    let folder = folder();
    // Which search ran, and what it took, differ.
    let result = |mut printed: Value| {
        let object = printed.as_object_mut().unwrap();
        for key in ["neighbors", "searches", "seconds", "peak_memory_bytes"] {
            object.remove(key);
        }
        printed
    };
    for metric in ["cosine", "euclidean", "jaccard", "hamming"] {
        let are_sets = metric == "jaccard" || metric == "hamming";
        for (name, rows) in [("x", 0..90), ("new", 90..130)] {
            let (market, dense) = texts(rows, are_sets);
            put(&folder, &format!("{name}.mtx"), market);
            ndarray_npy::write_npy(folder.path().join(format!("{name}.npy")), &dense).unwrap();
        }
        for line in [
            format!("cluster X -k 7 --suggest --json --with-labels --metric {metric}"),
            format!("suggest X --json --metric {metric}"),
        ] {
            let of = |name: &str| result(json(&folder, &line.replace('X', name)));
            assert_eq!(of("x.mtx"), of("x.npy"), "{line}");
        }
        for line in [
            format!("neighbors X -k 3 --metric {metric}"),
            format!("tree X --linkage ward --metric {metric}"),
        ] {
            let of = |name: &str| printed(&folder, &line.replace('X', name));
            assert_eq!(of("x.mtx"), of("x.npy"), "{line}");
            assert_eq!(of("x.mtx --dense"), of("x.npy"), "{line}");
        }
        for kept in ["", " --without-samples"] {
            for name in ["mtx", "npy"] {
                let line = format!(
                    "cluster x.{name} -k 6 -q -m {name}.finch --metric {metric}{kept} --force"
                );
                printed(&folder, &line);
            }
            let expected = printed(&folder, "predict npy.finch new.npy");
            for new in ["new.mtx", "new.npy", "new.mtx --dense"] {
                assert_eq!(
                    printed(&folder, &format!("predict mtx.finch {new}")),
                    expected,
                    "{new}"
                );
            }
            // A model of dense rows has the new ones made dense.
            assert_eq!(printed(&folder, "predict npy.finch new.mtx"), expected);
        }
        for name in ["mtx", "npy"] {
            printed(
                &folder,
                &format!("cluster x.{name} -k 6 -q -m {name}.finch --metric {metric} --force"),
            );
        }
        let line = "extend npy.finch new.npy -m more.finch --json --force";
        let expected = json(&folder, line);
        for new in ["new.mtx", "new.npy"] {
            let line = format!("extend mtx.finch {new} -m more.finch --json --force");
            assert_eq!(json(&folder, &line), expected, "{new}");
        }
        assert_eq!(
            printed(&folder, "neighbors more.finch -k 2"),
            printed(&folder, &format!("neighbors x.mtx new.mtx -k 2 --metric {metric}")),
        );
    }
}

#[test]
fn options_that_take_dense_rows_say_so() {
    let folder = folder();
    put(&folder, "x.mtx", texts(0..40, false).0);
    for option in ["--standardize zscore", "--missing mean", "--report r.html"] {
        let line = format!("cluster x.mtx {option} -q");
        let told = failure(&folder, &line, 1);
        let name = option.split(' ').next().unwrap();
        assert!(told.contains(name) && told.contains("--dense"), "{told}");
        printed(&folder, &format!("{line} --dense"));
    }
    let told = failure(&folder, "cluster x.mtx --neighbors kd-tree -q", 1);
    assert!(told.contains("dense"), "{told}");
    printed(&folder, "cluster x.mtx -q -m m.finch");
    let told = failure(&folder, "describe m.finch", 1);
    assert!(told.contains("are sparse"), "{told}");
    printed(&folder, "describe x.mtx");
}

/// Files of LIBSVM are recognised by their lines, whatever they are called; labels are no features, and score.
#[test]
fn rows_of_svmlight_are_those_of_matrix_market() {
    let folder = folder();
    let (market, dense) = texts(0..90, false);
    put(&folder, "x.mtx", market);
    let line = |(row, values): (usize, ArrayView1<f64>)| {
        let given = values.iter().enumerate().filter(|(_, value)| **value != 0.0);
        let given: String = given.map(|(at, value)| format!(" {}:{value}", at + 1)).collect();
        format!("{}{given}\n", if row % 3 == 0 { "+1" } else { "-1" })
    };
    let rows: String = dense.outer_iter().enumerate().map(line).collect();
    // A remark, a blank line, and a line that names the last feature, so that there are as many.
    let rows = rows.replacen('\n', " # the first\n\n", 1);
    let labels: String =
        (0..90).map(|row| format!("{}\n", if row % 3 == 0 { 1 } else { -1 })).collect();
    put(&folder, "y.csv", labels);
    for name in ["x.svmlight", "x.libsvm", "x.txt", "heart_scale", "x.t"] {
        put(&folder, name, rows.as_str());
        let of = |name: &str| printed(&folder, &format!("neighbors {name} -k 3 --metric cosine"));
        assert_eq!(of(name), of("x.mtx"), "{name}");
        let scored = |labels: &str| json(&folder, &format!("score {labels} y.csv --json"));
        assert_eq!(scored(name), scored("y.csv"), "{name}");
    }
    let (_, told) = done(&folder, "cluster x.txt --labels x.txt");
    assert!(told.contains("the label at the beginning of each line is left out"), "{told}");
    // Features from 0, and a matrix that is full.
    put(&folder, "zero.svm", "1 0:1 1:2\n2 0:3 1:5\n1 0:4 1:9.5\n");
    put(&folder, "zero.csv", "1,2\n3,5\n4,9.5\n");
    let of = |name: &str| printed(&folder, &format!("neighbors {name} -k 2"));
    assert_eq!(of("zero.svm"), of("zero.csv"));
    for (rows, told) in [
        ("1 1:2\n1 3:1 2:1\n", "line 2: \"1 3:1 2:1\" is not a line whose features rise"),
        ("1 1:2\n\n1 3:x\n", "line 3: \"1 3:x\" is not a label and feature:value after it"),
        ("1\n2\n", "empty"),
        ("# nothing\n", "empty"),
    ] {
        put(&folder, "bad.svmlight", rows);
        let found = failure(&folder, "cluster bad.svmlight", 1);
        assert!(found.contains(told), "{found}");
    }
}
