//! Labels of every format.

use finch_deep::data::{self, Column, Fault, LabelOptions, Labels};

use crate::{fixture, folder, gzip, idx, npy, npz, put};

fn labels(path: impl AsRef<std::path::Path>) -> Vec<Vec<u32>> {
    let labels = data::read_labels(&[path], &LabelOptions::default());
    plain(labels.unwrap_or_else(|error| panic!("{error}")))
}

fn plain(labels: Labels) -> Vec<Vec<u32>> {
    labels.columns.into_iter().map(|column| column.labels).collect()
}

fn fault(path: impl AsRef<std::path::Path>) -> Fault {
    data::read_labels(&[path], &LabelOptions::default()).expect_err("no labels").fault
}

#[test]
fn numbered_by_first_appearance() {
    let folder = folder();
    let bytes = npy("'|u1'", false, "(4,)", &[7, 7, 9, 7]);
    let floats = npy("'>f8'", false, "(4,)", &[-1., -1., 0., -1.].map(f64::to_be_bytes).concat());
    let longs = npy("'<i8'", false, "(4,)", &[5i64, 5, -5, 5].map(i64::to_le_bytes).concat());
    for (name, content) in [
        ("y.npy", bytes.clone()),
        ("y.npy.gz", gzip(&bytes)),
        ("y.npy", floats),
        ("y.npz", npz(&[("X", npy("'|u1'", false, "(1, 1)", &[0])), ("y", bytes.clone())])),
        ("y.npz", npz(&[("scores", npy("'<f8'", false, "(1,)", &[0; 8])), ("truth", longs)])),
        ("y-idx1-ubyte", idx(8, &[4], &[7, 7, 9, 7])),
        ("y.txt", b"cat\ncat\ndog\ncat\n".to_vec()),
        ("y.csv", b"x,label\n1,b\n2,b\n3,a\n4,b\n".to_vec()),
        ("y.txt", b"1\n1.0\n-1\n+1\n".to_vec()),
    ] {
        assert_eq!(labels(put(&folder, name, content)), [[0, 0, 1, 0]], "{name}");
    }
    for name in ["everything.mat", "plain.mat", "full_73.mat", "sparse.mat"] {
        assert_eq!(labels(fixture(name)), [[0, 0, 1, 0]], "{name}");
    }
}

#[test]
fn several_labellings() {
    let folder = folder();
    let elements = [3i32, 0, 3, 1, 4, 0].map(i32::to_le_bytes).concat();
    for (fortran, expected) in [(false, [[0, 0, 1], [0, 1, 0]]), (true, [[0, 1, 0], [0, 1, 2]])] {
        assert_eq!(
            labels(put(&folder, "y.npy", npy("'<i4'", fortran, "(3, 2)", &elements))),
            expected
        );
    }
}

#[test]
fn columns_of_text_are_chosen() {
    let folder = folder();
    let path = put(&folder, "y.csv", "id,class,x\n1,a,5\n2,b,5\n3,a,6\n");
    for (column, expected) in [
        (None, [0, 0, 1]),
        (Some(Column::Index(1)), [0, 1, 0]),
        (Some(Column::Name("class".to_owned())), [0, 1, 0]),
        (Some(Column::Index(0)), [0, 1, 2]),
    ] {
        let mut options = LabelOptions::default();
        options.columns = column.into_iter().collect();
        assert_eq!(plain(data::read_labels(&[&path], &options).expect("labels")), [expected]);
    }
    // Several, in the order that they are asked for in; also twice.
    let mut options = LabelOptions::default();
    options.columns = vec![Column::Name("x".into()), Column::Index(1), Column::Name("x".into())];
    let found = plain(data::read_labels(&[&path], &options).expect("labels"));
    assert_eq!(found, [[0, 0, 1], [0, 1, 0], [0, 0, 1]]);
    let more = put(&folder, "more.csv", "x,class\n6,b\n7,a\n");
    options.columns = vec![Column::Name("class".into()), Column::Name("x".into())];
    let found = plain(data::read_labels(&[&path, &more], &options).expect("labels"));
    assert_eq!(found, [[0, 1, 0, 1, 0], [0, 0, 1, 1, 2]]);
    options.columns.push(Column::Name("id".into()));
    let refused = data::read_labels(&[&path, &more], &options).expect_err("a column is not there");
    assert!(refused.to_string().contains("no column \"id\""), "{refused}");
    // All text: a header cannot be recognised, but told.
    let path = put(&folder, "y.txt", "class\na\nb\n");
    let mut options = LabelOptions::default();
    assert_eq!(plain(data::read_labels(&[&path], &options).expect("labels")), [[0, 1, 2]]);
    options.header = Some(true);
    assert_eq!(plain(data::read_labels(&[&path], &options).expect("labels")), [[0, 1]]);
}

/// A label is the same in all files.
#[test]
fn stacks() {
    let folder = folder();
    let files = [
        put(&folder, "a.npy", npy("'|u1'", false, "(2,)", &[5, 6])),
        put(&folder, "b.txt", "6\n7\n5.0\n"),
        put(&folder, "c.idx", idx(8, &[2], &[7, 8])),
    ];
    let labels = data::read_labels(&files, &LabelOptions::default()).expect("a stack");
    assert_eq!(labels.columns[0].classes, 4);
    assert_eq!(plain(labels), [[0, 1, 1, 2, 0, 2, 3]]);

    let two = put(&folder, "d.npy", npy("'|u1'", false, "(2, 2)", &[5, 6, 7, 8]));
    for (first, second) in [(&two, &files[0]), (&two, &files[1]), (&files[0], &two)] {
        let error = data::read_labels(&[first, second], &LabelOptions::default());
        let error = error.expect_err("1 and 2 labellings");
        assert_eq!(&error.path, second);
        assert!(
            matches!(&error.fault, Fault::ColumnCount { other, .. } if other == first),
            "{error}"
        );
    }
}

/// Beyond 2^53, f64 merges neighbours.
#[test]
fn large_integers_are_distinct() {
    let folder = folder();
    let (a, b) = ((1i64 << 53), (1i64 << 53) + 1);
    let signed = [a, b, -a, -b, a].map(i64::to_le_bytes).concat();
    let unsigned = [u64::MAX, u64::MAX - 1, 0, 1, u64::MAX].map(u64::to_be_bytes).concat();
    let signed = npy("'<i8'", false, "(5,)", &signed);
    for (name, content) in [
        ("y.npy", signed.clone()),
        ("y.npz", npz(&[("y", signed)])),
        ("y.npy", npy("'>u8'", false, "(5, 1)", &unsigned)),
        ("y.txt", format!("{a}\n{b}\n-{a}\n-{b}.0\n+{a}.00\n").into_bytes()),
        ("y.txt", b"9e99\n9.0000000000000000001e99\n-9e99\n8e99\n9e99\n".to_vec()),
    ] {
        assert_eq!(labels(put(&folder, name, content)), [[0, 1, 2, 3, 0]], "{name}");
    }
    let files = [
        put(
            &folder,
            "a.npy",
            npy("'<i8'", true, "(2, 2)", &[a, b, b, a].map(i64::to_le_bytes).concat()),
        ),
        put(
            &folder,
            "b.npy",
            npy("'<f8'", false, "(1, 2)", &[a as f64, 0.].map(f64::to_le_bytes).concat()),
        ),
    ];
    assert_eq!(labels(&files[0]), [[0, 1], [0, 1]]);
    assert_eq!(labels(&files[1]), [[0, 1]]);
    let text = put(&folder, "c.txt", format!("{a}\n{b}\n-0\n0.0"));
    let stack = data::read_labels(&[&files[1], &text], &LabelOptions::default());
    assert_eq!(plain(stack.expect("a stack")), [[0, 1, 0, 2, 1, 1]]);
    let message = fault(fixture("inexact.mat")).to_string();
    assert!(message.starts_with("label ") && !message.contains("rescale"), "{message}");
}

/// As MATLAB has lists, and `reshape(1, -1)` makes them.
#[test]
fn a_single_row_is_a_list() {
    let folder = folder();
    let row = npy("'<i8'", false, "(1, 3)", &[4i64, 5, 4].map(i64::to_le_bytes).concat());
    for (name, content) in [("y.npy", row.clone()), ("y.npz", npz(&[("y", row)]))] {
        assert_eq!(labels(put(&folder, name, content)), [[0, 1, 0]], "{name}");
    }
}

#[test]
fn what_is_no_label() {
    let folder = folder();
    for (value, fortran) in [(f64::NAN, false), (0.5, true), (f64::INFINITY, false)] {
        let elements = [0., 0., value, 0.].map(f64::to_le_bytes).concat();
        let fault = fault(put(&folder, "y.npy", npy("'<f8'", fortran, "(2, 2)", &elements)));
        let Fault::NotALabel { row, column, .. } = fault else { panic!("{fault}") };
        assert_eq!((row, column), if fortran { (0, 1) } else { (1, 0) });
    }
    for (text, line, column) in [("1,2\n3,\n", 2, 2), ("1\nNaN\n", 2, 1), ("a,b\n\n c,  \n", 3, 2)]
    {
        let fault = fault(put(&folder, "y.csv", text));
        let Fault::MissingLabel { line: at, column: and, .. } = fault else { panic!("{fault}") };
        assert_eq!((at, and), (line, column), "{text:?}");
    }
    for (text, column) in [("1,x\n2,3\n", 2), ("1,\n2,3\n", 2)] {
        let fault = fault(put(&folder, "y.csv", text));
        assert!(
            matches!(fault, Fault::Header { line: 1, column: at, .. } if at == column),
            "{fault}"
        );
    }
    // What is missing beside the labels does not matter.
    assert_eq!(labels(put(&folder, "y.csv", "1.0,,a\n2,3,b\n")), [[0, 1]]);
    assert_eq!(labels(put(&folder, "y.csv", "cat\n")), [[0]]);
    let cube = fault(put(&folder, "y.npy", npy("'|u1'", false, "(1, 1, 1)", &[0])));
    assert!(matches!(&cube, Fault::NotLabels { shape } if shape == &[1, 1, 1]), "{cube}");
    let none = fault(put(&folder, "y.npy", npy("'|u1'", false, "(0,)", &[])));
    assert!(matches!(none, Fault::Empty), "{none}");
    let words = npy("'<U1'", false, "(1,)", &[65, 0, 0, 0]);
    for (name, content) in [("y.npy", words.clone()), ("y.npz", npz(&[("y", words)]))] {
        let message = fault(put(&folder, name, content)).to_string();
        assert!(message.contains("save them as integers, or as a text file"), "{message}");
    }
    let lists = ["a", "b"].map(|name| (name, npy("'|u1'", false, "(1,)", &[0])));
    let several = fault(put(&folder, "y.npz", npz(&lists)));
    assert!(matches!(several, Fault::Variable { wanted: None, .. }), "{several}");
}
