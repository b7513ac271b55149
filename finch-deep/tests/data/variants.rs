//! Variants of formats: byte orders, versions and ends of streams.

use std::io::Read;

use finch_deep::data::{self, Fault, ReadOptions};
use flate2::bufread::ZlibDecoder;
use ndarray::{Array2, array};

use crate::{fixture, folder, npy, put, read, values};

/// The samples of the fixtures: 3 row + column + 0.5.
fn ramp() -> Array2<f64> {
    Array2::from_shape_fn((4, 3), |(row, column)| (3 * row + column) as f64 + 0.5)
}

fn bytes(name: &str) -> Vec<u8> {
    std::fs::read(fixture(name)).expect("a fixture")
}

fn variable(path: impl AsRef<std::path::Path>, name: &str) -> Result<Array2<f64>, Fault> {
    let mut options = ReadOptions::default();
    options.variable = Some(name.to_owned());
    data::read(&[path], &options).map(|input| values(&input)).map_err(|error| error.fault)
}

/// A matrix of MATLAB's version 4, by the letter of the format.
fn version_4(
    big: bool,
    kind: u32,
    name: &str,
    shape: [u32; 2],
    complex: bool,
    content: &[u8],
) -> Vec<u8> {
    let header = [kind, shape[0], shape[1], complex.into(), name.len() as u32 + 1];
    let word = |word: u32| if big { word.to_be_bytes() } else { word.to_le_bytes() };
    [&header.map(word).concat()[..], name.as_bytes(), b"\0", content].concat()
}

#[test]
fn mat_4_of_scipy_has_every_type_and_is_read() {
    assert_eq!(values(&read(fixture("v4.mat"))), ramp());
    for kind in ["f4", "i4", "i2", "u2", "u1"] {
        assert_eq!(
            variable(fixture("v4.mat"), kind).unwrap(),
            array![[1., 0.], [100., 7.], [3., 9.]]
        );
    }
    let sparse = array![[0., 1.5, 0.], [0., 0., 0.], [2.5, 0., -3.], [0., 0., 4.]];
    assert_eq!(variable(fixture("v4.mat"), "fea").unwrap(), sparse);
    for (name, found) in [("note", "text"), ("complex", "complex numbers")] {
        let fault = variable(fixture("v4.mat"), name).unwrap_err();
        assert!(matches!(&fault, Fault::Element { found: is } if is == found), "{name}: {fault}");
    }
}

#[test]
fn mat_4_in_both_byte_orders_by_column_and_the_last_of_a_name() {
    let folder = folder();
    let by_column = [1f64, -2., 3., 4e9, 5., 6.5];
    let expected = array![[1., 3., 5.], [-2., 4e9, 6.5]];
    for (big, kind) in [(false, 0), (true, 1000)] {
        let content =
            by_column.map(|x| if big { x.to_be_bytes() } else { x.to_le_bytes() }).concat();
        let old = version_4(big, kind, "X", [1, 1], false, &content[..8]);
        let text = version_4(big, kind + 51, "t", [1, 2], false, b"ab");
        let new = version_4(big, kind, "X", [2, 3], false, &content);
        let path = put(&folder, "x.mat", [old, text, new].concat());
        assert_eq!(values(&read(path)), expected, "big: {big}");
        let shorts =
            [-1i16, 2].map(|x| if big { x.to_be_bytes() } else { x.to_le_bytes() }).concat();
        let path = put(&folder, "x.mat", version_4(big, kind + 30, "X", [1, 2], false, &shorts));
        assert_eq!(values(&read(path)), array![[-1., 2.]], "big: {big}");
    }
    let labels = version_4(false, 50, "y", [3, 1], false, &[2, 2, 5]);
    let read = data::read_labels(&[put(&folder, "y.mat", labels)], &data::LabelOptions::default());
    assert_eq!(read.expect("labels").columns[0].labels, [0, 0, 1]);
}

#[test]
fn mat_4_of_a_vax_cut_short_or_of_a_place_outside_is_refused() {
    let folder = folder();
    let one = 1f64.to_le_bytes();
    for machine in [2000, 3000] {
        let fault = crate::fault(put(
            &folder,
            "x.mat",
            version_4(false, machine, "X", [1, 1], false, &one),
        ));
        assert!(
            matches!(fault, Fault::Variant { .. }) && fault.to_string().contains("VAX"),
            "{fault}"
        );
    }
    let cut = version_4(false, 0, "X", [2, 1], false, &one);
    let fault = crate::fault(put(&folder, "x.mat", cut));
    assert!(matches!(fault, Fault::Truncated { expected: 38, found: 30, .. }), "{fault}");
    // Two rows of a table of places: (3, 1) in a matrix of 2 × 1.
    let table = [3f64, 2., 1., 1., 7., 0.].map(f64::to_le_bytes).concat();
    let fault =
        crate::fault(put(&folder, "x.mat", version_4(false, 2, "X", [2, 3], false, &table)));
    assert!(matches!(fault, Fault::Malformed { .. }), "{fault}");
}

/// A part of version 5.
fn part(kind: u32, content: &[u8]) -> Vec<u8> {
    let padding = vec![0; content.len().next_multiple_of(8) - content.len()];
    [&kind.to_le_bytes()[..], &(content.len() as u32).to_le_bytes(), content, &padding].concat()
}

fn words(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|word| word.to_le_bytes()).collect()
}

fn version_5(variables: &[Vec<u8>]) -> Vec<u8> {
    let mut file = b"MATLAB 5.0 MAT-file".to_vec();
    file.resize(124, b' ');
    file.extend([0, 1, b'I', b'M']);
    variables.iter().for_each(|parts| file.extend(part(14, parts)));
    file
}

/// Where the references lead that objects and function handles are made of.
fn subsystem() -> Vec<u8> {
    let content = [0, 1, b'I', b'M', 0, 0, 0, 0];
    [part(6, &words(&[9, 0])), part(5, &words(&[1, 8])), part(1, b""), part(2, &content)].concat()
}

#[test]
fn objects_and_functions_of_matlab_are_named_and_not_read() {
    let folder = folder();
    let reference = [part(6, &words(&[13, 0])), part(5, &words(&[6, 1])), part(1, b"")];
    let reference = part(
        14,
        &[&reference.concat()[..], &part(6, &words(&[0xdd00_0000, 2, 1, 1, 1, 1]))].concat(),
    );
    let opaque = |class: &str| {
        [
            part(6, &words(&[17, 0])),
            part(1, b"x"),
            part(1, b"MCOS"),
            part(1, class.as_bytes()),
            reference.clone(),
        ]
        .concat()
    };
    let function = [part(6, &words(&[16, 0])), part(5, &words(&[1, 1])), part(1, b"x")].concat();
    for (variable, said, remedy) in [
        (opaque("string"), "a MATLAB string array", "double(x)"),
        (opaque("table"), "a MATLAB table", "table2array(x)"),
        (opaque("datetime"), "a MATLAB datetime array", "posixtime(x)"),
        (opaque("MyClass"), "a MATLAB object of the class MyClass", "matrix"),
        (function, "a MATLAB function handle", "matrix"),
    ] {
        let path = put(&folder, "x.mat", version_5(&[variable.clone(), subsystem()]));
        let message = crate::fault(&path).to_string();
        assert!(message.contains(said) && message.contains(remedy), "{message}");
        let named = self::variable(&path, "x").unwrap_err();
        assert!(matches!(&named, Fault::Object { found, .. } if found == said), "{named}");
        // A matrix beside them is read.
        let matrix = [
            part(6, &words(&[9, 0])),
            part(5, &words(&[2, 2])),
            part(1, b"m"),
            part(2, &[1, 2, 3, 4]),
        ];
        let path = put(&folder, "x.mat", version_5(&[variable, matrix.concat(), subsystem()]));
        assert_eq!(values(&read(path)), array![[1., 3.], [2., 4.]]);
    }
    for (name, said) in [
        ("t", "a MATLAB table"),
        ("s", "a MATLAB string array"),
        ("f", "a MATLAB object of the class MyClass"),
    ] {
        let fault = variable(fixture("objects_73.mat"), name).unwrap_err();
        assert!(matches!(&fault, Fault::Object { found, .. } if found == said), "{fault}");
    }
    let fault = crate::fault(fixture("objects_73.mat"));
    assert!(matches!(fault, Fault::Variable { .. }), "{fault}");
}

#[test]
fn sparse_logical_matrices_of_matlab_have_a_byte_for_each_value() {
    let folder = folder();
    // 2 × 3, with room for four values, of which three are there.
    let matrix = |flags: u32, kind: u32, content: &[u8]| {
        let parts = [
            part(6, &words(&[5 | flags << 8, 4])),
            part(5, &words(&[2, 3])),
            part(1, b"s"),
            part(5, &words(&[0, 1, 1, 0])),
            part(5, &words(&[0, 1, 1, 3])),
            part(kind, content),
        ];
        version_5(&[parts.concat()])
    };
    // MATLAB says double and stores bytes; others say what they store.
    let doubles = [1f64, 1., 1., 0.].map(f64::to_le_bytes).concat();
    for (kind, content) in [(9, &[1, 1, 1, 0][..]), (2, &[1, 1, 1, 0]), (9, &doubles)] {
        // Twice row 1 of column 2.
        let content = matrix(2, kind, content);
        let fault = crate::fault(put(&folder, "x.mat", &content));
        assert!(matches!(fault, Fault::Malformed { .. }), "{fault}");
        let sound = words(&[0, 1, 0, 0]);
        let at = content.windows(16).position(|found| found == words(&[0, 1, 1, 0])).unwrap();
        let content = [&content[..at], &sound, &content[at + 16..]].concat();
        let input = read(put(&folder, "x.mat", content));
        assert_eq!(values(&input), array![[1., 0., 1.], [0., 0., 1.]], "type {kind}");
    }
}

#[cfg(feature = "mat73")]
#[test]
fn hdf5_1_6_is_read_in_each_way_of_storing() {
    assert_eq!(values(&read(fixture("hdf5_1_6.mat"))), ramp());
    assert_eq!(variable(fixture("hdf5_1_6.mat"), "chunked").unwrap(), ramp());
    assert_eq!(variable(fixture("hdf5_1_6.mat"), "y").unwrap(), array![[7., 7., 9., 7.]]);
}

/// Where the streams of zlib in a file end.
fn ends_of_zlib(content: &[u8], start: &[u8]) -> Vec<usize> {
    let begins = content.windows(start.len()).enumerate().filter(|(_, found)| *found == start);
    let end = |at: usize| {
        let mut stream = ZlibDecoder::new(&content[at..]);
        stream.read_to_end(&mut Vec::new()).ok().map(|_| at + stream.total_in() as usize)
    };
    begins.filter_map(|(at, _)| end(at)).collect()
}

#[test]
fn checksums_are_compared_at_the_end_of_each_stream() {
    let folder = folder();
    for (name, start, streams) in
        [("everything.mat", b"\x78\x9c", 7), ("full_73.mat", b"\x78\x5e", 4)]
    {
        let content = bytes(name);
        let ends = ends_of_zlib(&content, start);
        assert_eq!(ends.len(), streams, "{name}");
        let mut refused = 0;
        for end in ends {
            let mut damaged = content.clone();
            damaged[end - 1] ^= 1;
            let path = put(&folder, "x.mat", &damaged);
            // Only the stream of X is read.
            match variable(path, "X") {
                Err(fault) => {
                    refused += 1;
                    assert!(
                        matches!(fault, Fault::Compression(_) | Fault::Malformed { .. }),
                        "{fault}"
                    );
                }
                Ok(found) => assert_eq!(found, ramp()),
            }
        }
        assert_eq!(refused, if name == "full_73.mat" { 4 } else { 1 }, "{name}");
    }
}

#[test]
fn versions_that_are_not_known_are_refused_by_name() {
    let folder = folder();
    let mut file = version_5(&[]);
    file[124..126].copy_from_slice(&[0, 3]);
    let fault = crate::fault(put(&folder, "x.mat", file));
    assert!(
        matches!(&fault, Fault::Variant { variant, .. } if variant.contains("0x0300")),
        "{fault}"
    );
    let mut file = npy("'|u1'", false, "(1, 2)", &[1, 2]);
    file[6] = 9;
    let fault = crate::fault(put(&folder, "x.npy", file));
    assert!(matches!(&fault, Fault::Variant { variant, .. } if variant.contains("9.0")), "{fault}");
}

#[cfg(feature = "parquet")]
mod columnar {
    use finch_deep::data::Note;

    use super::*;

    #[test]
    fn big_endian_arrow_is_refused_and_not_read_turned_round() {
        let fault = crate::fault(fixture("big_endian.arrow"));
        let message = fault.to_string();
        assert!(matches!(fault, Fault::Variant { .. }), "{message}");
        assert!(message.contains("big-endian") && message.contains("pyarrow"), "{message}");
    }

    #[test]
    fn arrow_before_0_15_is_read() {
        for name in ["before_0_15.arrow", "before_0_15_file.arrow"] {
            assert_eq!(values(&read(fixture(name))), ramp(), "{name}");
        }
    }

    #[test]
    fn arrow_says_where_its_end_is_missing_or_not_the_last() {
        let folder = folder();
        let content = bytes("before_0_15_file.arrow");
        for length in
            [content.len() - 1, content.len() - 6, content.len() - 10, content.len() - 200]
        {
            let fault = crate::fault(put(&folder, "x.arrow", &content[..length]));
            assert!(matches!(fault, Fault::Malformed { .. } | Fault::Truncated { .. }), "{fault}");
        }
        let stream = bytes("before_0_15.arrow");
        let fault = crate::fault(put(&folder, "x.arrow", [&stream[..], &stream].concat()));
        assert!(fault.to_string().contains("follow the end of the stream"), "{fault}");
        let unfinished = &stream[..stream.len() - 4];
        let input = read(put(&folder, "x.arrow", unfinished));
        assert_eq!(values(&input), ramp());
        assert!(matches!(input.notes(), [Note::NoEnd]), "{:?}", input.notes());
        assert!(read(fixture("before_0_15.arrow")).notes().is_empty());
    }

    #[test]
    fn numbers_of_a_dictionary_are_those_of_a_column() {
        let mut options = ReadOptions::default();
        options.missing = Some(data::Missing::Drop);
        let input = data::read(&[fixture("dictionary.arrow")], &options).expect("numbers");
        assert_eq!(values(&input), array![[0.1f32.into(), 1.], [2.5, 2.], [2.5, 4.]]);
        let fault = crate::fault(fixture("inexact.arrow"));
        let value = (1 << 53) + 1;
        assert!(
            matches!(fault, Fault::Inexact { row: 1, column: 0, value: is } if is == value),
            "{fault}"
        );
    }

    #[test]
    fn times_of_96_bits_are_those_of_the_file_however_late() {
        let days = array![[0., 1.], [1., 2.], [2_932_896., 3.]]; // 9999-12-31.
        assert_eq!(values(&read(fixture("int96.parquet"))), days);
    }

    #[test]
    fn checksums_of_parquet_pages_are_compared() {
        let folder = folder();
        let mut content = bytes("checksum.parquet");
        assert_eq!(values(&read(put(&folder, "x.parquet", &content))), ramp());
        let value = 3.5f64.to_le_bytes();
        let at = content.windows(8).position(|found| found == value).expect("row 1");
        content[at] ^= 1;
        let fault = crate::fault(put(&folder, "x.parquet", &content));
        assert!(fault.to_string().contains("checksum"), "{fault}");
    }
}
