//! What each format and each option gives, on files made here.

use std::fs;
use std::path::Path;

use finch_deep::data::{self, Column, Delimiter, Fault, NameColumn, ReadOptions};
use ndarray::{Array2, ShapeBuilder, array};
use ndarray_npy::WriteNpyExt;

use crate::{fixture, folder, gzip, idx, kind, npy, npz, put, read, values};

/// The samples of the fixtures: 3 row + column + 0.5.
fn ramp() -> Array2<f64> {
    Array2::from_shape_fn((4, 3), |(row, column)| (3 * row + column) as f64 + 0.5)
}

fn sparse() -> Array2<f64> {
    array![[0., 1.5, 0.], [0., 0., 0.], [2.5, 0., -3.], [0., 0., 4.]]
}

fn options(change: impl FnOnce(&mut ReadOptions)) -> ReadOptions {
    let mut options = ReadOptions::default();
    change(&mut options);
    options
}

#[test]
fn npy_elements_of_every_type_and_byte_order() {
    let folder = folder();
    macro_rules! check {
        ($($code:literal $type:ty => $kept:literal;)*) => {$(
            let elements: [$type; 6] = [1 as $type, 0 as $type, 100 as $type, 7 as $type, 9 as $type, 3 as $type];
            for (order, bytes) in [("<", elements.map(<$type>::to_le_bytes)), (">", elements.map(<$type>::to_be_bytes))] {
                let descriptor = format!("'{order}{}'", $code);
                let input = read(put(&folder, "x.npy", npy(&descriptor, false, "(2, 3)", &bytes.concat())));
                assert_eq!((values(&input), kind(&input)), (array![[1., 0., 100.], [7., 9., 3.]], $kept), "{descriptor}");
                let input = read(put(&folder, "x.npy", npy(&descriptor, true, "(2, 3)", &bytes.concat())));
                assert_eq!((values(&input), kind(&input)), (array![[1., 100., 9.], [0., 7., 3.]], $kept), "{descriptor}");
            }
        )*};
    }
    check! {
        "i1" i8 => "f32"; "u1" u8 => "u8"; "i2" i16 => "f32"; "u2" u16 => "f32";
        "i4" i32 => "f64"; "u4" u32 => "f64"; "i8" i64 => "f64"; "u8" u64 => "f64";
        "f4" f32 => "f32"; "f8" f64 => "f64";
    }
    let input = read(put(&folder, "x.npy", npy("'|b1'", false, "(1, 2)", &[1, 0])));
    assert_eq!((values(&input), kind(&input)), (array![[1., 0.]], "u8"));
}

#[test]
fn floats_of_16_bits_are_exact() {
    let folder = folder();
    let bits = [0x3c00u16, 0xc000, 0x7bff, 0x0001, 0x03ff, 0x0400, 0x3555, 0x8000, 0xfc00, 0x7e01];
    let tiny = f64::exp2(-24.0);
    let expected = [1., -2., 65504., tiny, 1023. * tiny, 1024. * tiny, 0.333_251_953_125];
    for (order, bytes) in [("<", bits.map(u16::to_le_bytes)), (">", bits.map(u16::to_be_bytes))] {
        let content = npy(&format!("'{order}f2'"), false, "(1, 10)", &bytes.concat());
        for (name, content) in [("x.npy", content.clone()), ("x.npz", npz(&[("X", content)]))] {
            let input = read(put(&folder, name, content));
            let found = values(&input).into_raw_vec_and_offset().0;
            assert_eq!((kind(&input), &found[..7]), ("f32", &expected[..]));
            assert!(found[7] == 0. && found[7].is_sign_negative() && found[9].is_nan());
            assert_eq!(found[8], f64::NEG_INFINITY);
        }
    }
}

#[test]
fn integers_are_exact_or_refused() {
    let folder = folder();
    let largest = (1i64 << 53) + 2; // Even, so still exact.
    let elements = [largest, -largest, i64::MIN, 0].map(i64::to_le_bytes).concat();
    let input = read(put(&folder, "x.npy", npy("'<i8'", false, "(2, 2)", &elements)));
    assert_eq!(values(&input), array![[largest as f64, -largest as f64], [i64::MIN as f64, 0.]]);

    for (fortran, place) in [(false, (1, 0)), (true, (0, 1))] {
        let elements = [0, 0, i64::MAX, 0].map(i64::to_le_bytes).concat();
        let fault = crate::fault(put(&folder, "x.npy", npy("'<i8'", fortran, "(2, 2)", &elements)));
        let Fault::Inexact { row, column, value } = fault else { panic!("{fault}") };
        assert_eq!(((row, column), value), (place, i64::MAX.into()));
    }
    let elements = u64::MAX.to_le_bytes();
    let fault = crate::fault(put(&folder, "x.npy", npy("'<u8'", false, "(1, 1)", &elements)));
    assert!(matches!(fault, Fault::Inexact { row: 0, column: 0, .. }), "{fault}");
}

/// Above the threshold files are mapped, in either order; below it, or if elements need work, read.
#[test]
fn large_npy_files_are_mapped() {
    let folder = folder();
    let path = folder.path().join("x.npy");
    let rows = (64 << 20) / 8 / 8;
    let matrix = Array2::from_shape_fn((rows, 8), |(row, column)| (row * 8 + column) as f64);
    let write = |matrix: &dyn Fn(fs::File)| matrix(fs::File::create(&path).expect("a new file"));
    write(&|file| matrix.write_npy(file).expect("disk space"));
    let input = read(&path);
    assert!(input.is_mapped());
    assert_eq!(values(&input), matrix);

    let mut fortran = Array2::zeros((rows, 8).f());
    fortran.assign(&matrix);
    write(&|file| fortran.write_npy(file).expect("disk space"));
    let input = read(&path);
    assert!(input.is_mapped());
    assert_eq!(values(&input), matrix);

    write(&|file| matrix.mapv(|x| x as i64).write_npy(file).expect("disk space"));
    let input = read(&path);
    assert!(!input.is_mapped());
    assert_eq!(values(&input), matrix);

    write(&|file| matrix.write_npy(file).expect("disk space"));
    let file = fs::OpenOptions::new().write(true).open(&path).expect("the file");
    file.set_len((rows * 64 + 128 - 1) as u64).expect("a shorter file");
    let fault = crate::fault(&path);
    let Fault::Truncated { expected, found, .. } = fault else { panic!("{fault}") };
    assert_eq!((expected, found), (rows as u64 * 64, rows as u64 * 64 - 1));

    assert!(!read(put(&folder, "small.npy", npy("'|u1'", false, "(1, 2)", &[1, 2]))).is_mapped());
}

#[test]
fn gzip_is_told_by_content() {
    let folder = folder();
    let file = npy("'|u1'", false, "(2, 2)", &[1, 2, 3, 4]);
    let twice = [gzip(b"1,2\n"), gzip(b"3,4\n")].concat(); // As parallel compressors write.
    let table = npz(&[("X", file.clone())]);
    for (name, content) in [
        ("x.npy", file.clone()),
        ("x.npy.gz", file.clone()),
        ("x.npy.gz", gzip(&file)),
        ("x.npy", gzip(&file)),
        ("x.NPY.GZ", gzip(&file)),
        ("x.npz.gz", gzip(&table)),
        ("x.csv.gz", twice),
        ("x.idx.gz", gzip(&idx(8, &[2, 2], &[1, 2, 3, 4]))),
    ] {
        assert_eq!(
            values(&read(put(&folder, name, content))),
            array![[1., 2.], [3., 4.]],
            "{name}"
        );
    }
}

#[test]
fn npz_variables_are_chosen() {
    let folder = folder();
    let one = npy("'|u1'", false, "(1, 2)", &[1, 1]);
    let two = npy("'|u1'", false, "(1, 2)", &[2, 2]);
    let list = npy("'|u1'", false, "(3,)", &[0, 1, 1]);
    let text = npy("'<U1'", false, "(1, 1)", &[65, 0, 0, 0]);
    let x = npz(&[("other", two.clone()), ("X", one.clone()), ("y", list.clone())]);
    let only = npz(&[("text", text), ("matrix", one.clone()), ("list", list)]);
    let several = npz(&[("a", one), ("b", two)]);
    for (content, variable, sum) in
        [(&x, None, 2.), (&x, Some("other"), 4.), (&only, None, 2.), (&several, Some("b"), 4.)]
    {
        let options = options(|options| options.variable = variable.map(str::to_owned));
        let input = data::read(&[put(&folder, "x.npz", content)], &options).expect("a variable");
        assert_eq!(values(&input).sum(), sum);
    }
    let fault = crate::fault(put(&folder, "x.npz", &several));
    let Fault::Variable { wanted: None, found } = &fault else { panic!("{fault}") };
    assert_eq!(found, &["a: uint8 1 × 2", "b: uint8 1 × 2"]);
    let options = options(|options| options.variable = Some("c".to_owned()));
    let error = data::read(&[put(&folder, "x.npz", &several)], &options).expect_err("no c");
    assert!(matches!(error.fault, Fault::Variable { wanted: Some(_), .. }), "{error}");
}

#[test]
fn idx_types_and_images() {
    let folder = folder();
    let images = idx(8, &[2, 2, 3], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    for name in ["a-idx3-ubyte", "a.idx3-ubyte", "a.IDX", "a-images-idx3-ubyte"] {
        let input = read(put(&folder, name, &images));
        assert_eq!((input.samples(), input.features(), kind(&input)), (2, 6, "u8"), "{name}");
        assert_eq!(values(&input)[[1, 2]], 8.);
    }
    let cases: [(u8, Vec<u8>, &str); 5] = [
        (0x09, vec![0xff, 2], "f32"),
        (0x0b, [-1i16, 2].map(i16::to_be_bytes).concat(), "f32"),
        (0x0c, [-1i32, 2].map(i32::to_be_bytes).concat(), "f64"),
        (0x0d, [-1f32, 2.].map(f32::to_be_bytes).concat(), "f32"),
        (0x0e, [-1f64, 2.].map(f64::to_be_bytes).concat(), "f64"),
    ];
    for (code, elements, kept) in cases {
        let input = read(put(&folder, "a.idx", idx(code, &[1, 2], &elements)));
        assert_eq!((values(&input), kind(&input)), (array![[-1., 2.]], kept));
    }
}

#[test]
fn mat_files_of_both_versions() {
    for (name, kept) in [("everything", "f64"), ("full_73", "f64"), ("plain", "f32")] {
        let input = read(fixture(&format!("{name}.mat")));
        assert_eq!((values(&input), kind(&input)), (ramp(), kept), "{name}");
    }
    for name in ["narrow.mat", "big_endian.mat"] {
        let input = read(fixture(name));
        assert_eq!((values(&input), kind(&input)), (ramp() - 0.5, "f64"), "{name}");
    }
    for name in ["sparse.mat", "sparse_73.mat"] {
        assert_eq!(values(&read(fixture(name))), sparse(), "{name}");
    }
    for (name, kept) in [
        ("i1", "f32"),
        ("u1", "u8"),
        ("i2", "f32"),
        ("u2", "f32"),
        ("i4", "f64"),
        ("u4", "f64"),
        ("i8", "f64"),
        ("u8", "f64"),
        ("bool", "u8"),
    ] {
        let input = read(fixture(&format!("{name}.mat")));
        let last = if name == "bool" { [1., 1.] } else { [100., 7.] };
        assert_eq!(
            (values(&input), kind(&input)),
            (array![[0., 1.], [1., 0.], last], kept),
            "{name}"
        );
    }
    let fault = crate::fault(fixture("inexact.mat"));
    assert!(matches!(fault, Fault::Inexact { row: 1, column: 1, .. }), "{fault}");
}

#[test]
fn mat_variables_are_named_or_listed() {
    let read = |file: &str, name: &str| {
        let options = options(|options| options.variable = Some(name.to_owned()));
        data::read(&[fixture(file)], &options).map_err(|error| error.fault)
    };
    let flags = read("full_73.mat", "flags").expect("flags");
    assert_eq!((values(&flags), kind(&flags)), (array![[1., 0.], [0., 1.]], "u8"));
    assert_eq!(read("full_73.mat", "none").expect("an empty matrix").samples(), 0);
    for (file, name, found) in [
        ("everything.mat", "note", "text"),
        ("everything.mat", "cell", "cells"),
        ("everything.mat", "record", "structs"),
        ("everything.mat", "complex", "complex numbers"),
        ("full_73.mat", "note", "text"),
    ] {
        let fault = read(file, name).expect_err("not numbers");
        assert!(
            matches!(&fault, Fault::Element { found: what } if what == found),
            "{name}: {fault}"
        );
    }
    let fault = read("everything.mat", "cube").expect_err("three dimensions");
    assert!(matches!(&fault, Fault::NotMatrix { shape } if shape == &[2, 2, 2]), "{fault}");
    let fault = read("everything.mat", "Z").expect_err("no such variable");
    let message = fault.to_string();
    assert!(message.contains("\"Z\"") && message.contains("X: float64 4 × 3"), "{message}");
}

#[test]
fn text_with_any_delimiter() {
    let folder = folder();
    let expected = array![[1., 2.5], [-3., 4e2]];
    for text in [
        "1,2.5\n-3,4e2\n",
        "1;2.5\n-3;4e2",
        "1\t2.5\r\n-3\t4e2\r\n",
        "1 2.5\n-3 4e2\n",
        "   1    2.5  \n\n  -3  4.0E+02\n",
        "\u{feff}1, 2.5\n-3 ,+4e2\n\n",
        "# made by numpy\n#\n1 2.5\n-3 4e2\n",
        "a,b\n1,2.5\n-3,4e2\n",
        "\"a, b\";\"b\"\n\"1\";2.5\n-3;\"4e2\"\n",
    ] {
        for name in ["x.csv", "x.tsv", "x.txt"] {
            let input = read(put(&folder, name, text));
            assert_eq!((values(&input), input.names()), (expected.clone(), None), "{text:?}");
        }
    }
    let options = options(|options| options.delimiter = Some(Delimiter::Byte(b'|')));
    let input = data::read(&[put(&folder, "x.txt", "1|2.5\n-3|4e2")], &options).expect("bars");
    assert_eq!(values(&input), expected);
}

#[test]
fn text_with_names_and_headers() {
    let folder = folder();
    let named = "id,a,b\nx,1,2\n\"y, \"\"z\"\"\nw\",3,4\n";
    let path = put(&folder, "x.csv", named);
    let input = read(&path);
    assert_eq!(input.names(), Some(&["x".to_owned(), "y, \"z\"\nw".to_owned()][..]));
    assert_eq!(values(&input), array![[1., 2.], [3., 4.]]);

    let at = |column| options(|options| options.names = NameColumn::At(column));
    let last = put(&folder, "last.csv", "a,b,id\n1,2,7\n3,4,8\n");
    for column in [Column::Index(2), Column::Name("id".to_owned())] {
        let input = data::read(&[&last], &at(column)).expect("a name column");
        assert_eq!(input.names(), Some(&["7".to_owned(), "8".to_owned()][..]));
        assert_eq!(values(&input), array![[1., 2.], [3., 4.]]);
    }
    let excluded = options(|options| options.exclude = vec![Column::Name("b".to_owned())]);
    assert_eq!(
        values(&data::read(&[&last], &excluded).expect("a, id")),
        array![[1., 7.], [3., 8.]]
    );

    for (text, named, samples) in [
        ("a,1,2\nb,3,4\n", true, 2),        // Only the name is no number.
        (",1,2\n,3,4\n", false, 2),         // A column without values names nothing.
        (",a,b\nx,1,2\ny,3,4\n", true, 2),  // R and pandas leave out the name of the names,
        (",a,b\n0,1,2\n1,3,4\n", false, 2), // and of the numbers of rows.
        ("id,a,,c\nx,1,2,3\n", true, 1),
    ] {
        let input = read(put(&folder, "x.csv", text));
        assert_eq!((input.names().is_some(), input.samples()), (named, samples), "{text:?}");
    }
    // What is missing beside the features does not matter.
    let excluded = options(|options| options.exclude = vec![Column::Index(1)]);
    let path = put(&folder, "x.csv", "1,NA,2\n3,4,5\n");
    assert_eq!(data::read(&[path], &excluded).expect("two samples").samples(), 2);

    // Column names that are numbers cannot be recognised, but told.
    let numbers = put(&folder, "n.csv", "0,1\n5,6\n");
    assert_eq!(read(&numbers).samples(), 2);
    let header = options(|options| options.header = Some(true));
    assert_eq!(values(&data::read(&[&numbers], &header).expect("a row")), array![[5., 6.]]);
}

#[test]
fn not_a_number_is_a_value_of_arrays() {
    let folder = folder();
    let elements = f32::NAN.to_le_bytes();
    let binary = values(&read(put(&folder, "x.npy", npy("'<f4'", false, "(1, 1)", &elements))));
    assert!(binary[[0, 0]].is_nan());
}

#[test]
fn stacks_take_the_widest_type() {
    let folder = folder();
    let bytes = put(&folder, "u1.npy", npy("'|u1'", true, "(2, 2)", &[1, 2, 3, 4]));
    let single = [0.5f32, 0.1].map(f32::to_le_bytes).concat();
    let single = put(&folder, "f4.npy", npy("'<f4'", false, "(1, 2)", &single));
    let double = put(&folder, "x.csv", "0.1,5\n");
    let stack = |paths: &[&Path]| data::read(paths, &ReadOptions::default()).expect("a stack");
    let tenth = f64::from(0.1f32);
    for (paths, kept, expected) in [
        (&[&*bytes, &bytes][..], "u8", array![[1., 3.], [2., 4.], [1., 3.], [2., 4.]]),
        (&[&bytes, &single], "f32", array![[1., 3.], [2., 4.], [0.5, tenth]]),
        (&[&double, &single, &bytes], "f64", array![[0.1, 5.], [0.5, tenth], [1., 3.], [2., 4.]]),
    ] {
        let input = stack(paths);
        assert_eq!((values(&input), kind(&input)), (expected, kept));
    }

    let named = [put(&folder, "a.csv", "a,1\nb,2\n"), put(&folder, "b.csv", "c,3\n")];
    let input = data::read(&named, &ReadOptions::default()).expect("a stack");
    assert_eq!(input.names(), Some(&["a", "b", "c"].map(str::to_owned)[..]));
    let column = put(&folder, "c.csv", "4\n");
    assert_eq!(stack(&[&named[0], &column]).names(), None);

    let error = data::read(&[&single, &column], &ReadOptions::default()).expect_err("2 and 1");
    assert_eq!(error.path, column);
    let Fault::ColumnCount { found: 1, expected: 2, other, .. } = &error.fault else {
        panic!("{error}")
    };
    assert_eq!(other, &single);
}

#[test]
fn sparse_npz_is_made_dense_within_the_limit() {
    let folder = folder();
    let list = |descriptor, length: usize, elements: Vec<u8>| {
        npy(descriptor, false, &format!("({length},)"), &elements)
    };
    let longs = |values: &[i64]| values.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<_>>();
    let archive = |indptr: &[i64], indices: &[i64], shape: [i64; 2]| {
        let data = [1.5f32, 2.5].map(f32::to_le_bytes).concat();
        npz(&[
            ("indices", list("'<i8'", indices.len(), longs(indices))),
            ("indptr", list("'<i8'", indptr.len(), longs(indptr))),
            ("shape", list("'<i8'", 2, longs(&shape))),
            ("data", list("'<f4'", 2, data)),
        ])
    };
    let input = read(put(&folder, "x.npz", archive(&[0, 0, 2], &[2, 0], [2, 3])));
    assert_eq!((values(&input), kind(&input)), (array![[0., 0., 0.], [2.5, 0., 1.5]], "f32"));

    let small = options(|options| options.memory_limit = Some(87));
    let error = data::read(&[put(&folder, "x.npz", archive(&[0, 0, 2], &[2, 0], [2, 3]))], &small);
    let fault = error.expect_err("24 bytes").fault;
    let dense = |shape: &Option<Vec<usize>>| shape.as_deref() == Some(&[2, 3]);
    // The 24, and the parts of the sparse matrix: seven counts and two values.
    let expected = 24 + 7 * 8 + 2 * 4;
    assert!(
        matches!(&fault, Fault::MemoryLimit { wanted, limit: 87, dense: shape, .. }
            if *wanted == expected && dense(shape)),
        "{fault:?}"
    );
    for (indptr, indices, shape) in [
        (&[0, 2][..], &[2, 0][..], [2, 3]),
        (&[0, 2, 1], &[2, 0], [2, 3]),
        (&[1, 1, 2], &[2, 0], [2, 3]),
        (&[0, 0, 3], &[2, 0], [2, 3]),
        (&[0, 0, 2], &[3, 0], [2, 3]),
        (&[0, 0, 2], &[0, 0], [2, 3]),
        (&[0, 0, 2], &[-1, 0], [2, 3]),
        (&[], &[2, 0], [0, 3]),
    ] {
        let fault = crate::fault(put(&folder, "x.npz", archive(indptr, indices, shape)));
        assert!(matches!(fault, Fault::Malformed { .. }), "{indptr:?} {indices:?}: {fault}");
    }
    let fault = crate::fault(put(&folder, "x.npz", archive(&[0, 0, 2], &[2, 0], [2, 1 << 60])));
    assert!(matches!(fault, Fault::MemoryLimit { .. } | Fault::Overflow { .. }), "{fault}");
}

#[test]
fn sparse_npz_of_every_format_of_scipy() {
    let folder = folder();
    let list = |values: &[i32]| {
        let bytes: Vec<_> = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        npy("'<i4'", false, &format!("({},)", values.len()), &bytes)
    };
    let bytes = |text: &str| npy("'|S3'", false, "()", text.as_bytes());
    let unicode = |text: &str| {
        let characters: Vec<_> = text.chars().flat_map(|x| u32::from(x).to_le_bytes()).collect();
        npy("'<U3'", false, "()", &characters)
    };
    let compressed = |format: Vec<u8>| {
        npz(&[
            ("indices", list(&[1, 2])),
            ("indptr", list(&[0, 1, 2, 2])),
            ("format", format),
            ("shape", list(&[3, 3])),
            ("data", list(&[5, 6])),
        ])
    };
    let by_row = array![[0., 5., 0.], [0., 0., 6.], [0., 0., 0.]];
    for (format, expected) in
        [(bytes("csr"), &by_row), (unicode("csr"), &by_row), (bytes("csc"), &by_row.t().to_owned())]
    {
        assert_eq!(&values(&read(put(&folder, "x.npz", compressed(format)))), expected);
    }
    let oblong = npz(&[
        ("indices", list(&[1, 0])),
        ("indptr", list(&[0, 1, 1, 2])),
        ("format", unicode("csc")),
        ("shape", list(&[2, 3])),
        ("data", list(&[5, 6])),
    ]);
    let input = read(put(&folder, "x.npz", oblong));
    assert_eq!(values(&input), array![[0., 0., 6.], [5., 0., 0.]]);

    let dia = npz(&[
        ("format", bytes("dia")),
        ("shape", list(&[2, 2])),
        ("data", npy("'|u1'", false, "(2, 2)", &[1, 2, 3, 4])),
        ("offsets", list(&[0, 1])),
    ]);
    for (content, name) in
        [(dia, "dia"), (compressed(bytes("bsr")), "bsr"), (compressed(list(&[1])), "unknown")]
    {
        let message = crate::fault(put(&folder, "x.npz", content)).to_string();
        assert_eq!(message, format!("a SciPy {name} matrix: save it with .tocsr()"));
    }
}
