//! The table of bad inputs, and the error of each.

use std::io;
use std::path::Path;

use finch_deep::data::{self, Column, Fault, NameColumn, ReadOptions};

use crate::{fault, fixture, folder, gzip, idx, large, npy, npz, put};

/// Asserts the variant of a fault and its fields.
macro_rules! assert_fault {
    ($fault:expr, $pattern:pat $(if $guard:expr)?) => {{
        let fault = $fault;
        assert!(matches!(&fault, $pattern $(if $guard)?), "{fault:?}");
    }};
}

#[test]
fn paths() {
    let folder = folder();
    assert_fault!(fault(folder.path().join("none.csv")), Fault::Unreadable(error) if error.kind() == io::ErrorKind::NotFound);
    std::fs::create_dir(folder.path().join("folder.csv")).expect("a new folder");
    assert_fault!(fault(folder.path().join("folder.csv")), Fault::Directory);
    for name in ["x", "x.doc", "x.gz", "idx", "x-idx-ubyte", "x-idx3-", "npy"] {
        assert_fault!(fault(put(&folder, name, b"\x7fELF\x02\x01")), Fault::UnknownExtension);
    }
    let error =
        data::read(&[put(&folder, "x.dat", b"\x89PNG\r\n\x1a\n\0")], &ReadOptions::default());
    let message = error.expect_err("unknown").to_string();
    for known in ["x.dat", ".npy", ".npz", ".csv", ".tsv", ".txt", ".mat", ".idx", ".gz"] {
        assert!(message.contains(known), "{message}");
    }
    let none = data::read(&[] as &[&Path], &ReadOptions::default()).expect_err("nothing named");
    assert_fault!(none.fault, Fault::NoInput);
}

/// Options that would do nothing are errors; of several files, one has to have use for the option.
#[test]
fn useless_options() {
    let folder = folder();
    let text = put(&folder, "x.csv", "a,b\n1,2\n3,4\n");
    let array = folder.path().join("x.npy");
    ndarray_npy::write_npy(&array, &ndarray::array![[1.0], [2.0]]).expect("an array");
    let cases: [(_, fn(&mut ReadOptions)); 3] = [
        ("header", |options| options.header = Some(true)),
        ("names", |options| options.names = NameColumn::At(Column::Index(0))),
        ("exclude", |options| options.exclude = vec![Column::Index(0)]),
    ];
    for (name, change) in cases {
        let mut options = ReadOptions::default();
        change(&mut options);
        let error = data::read(&[&array], &options).expect_err("an array has no such columns");
        assert_fault!(error.fault, Fault::UselessOption { option, .. } if *option == name);
        let both = data::read(&[&array, &text], &options);
        assert!(!matches!(both, Err(error) if matches!(error.fault, Fault::UselessOption { .. })));
    }
    let mut options = ReadOptions::default();
    options.variable = Some("X".to_owned());
    for path in [&text, &array] {
        let error = data::read(&[path], &options).expect_err("nothing in it has a name");
        assert_eq!(error.path, *path);
        let message = error.to_string();
        assert!(message.contains("--variable is for .npz and .mat"), "{message}");
    }
    // An option may say what is so anyway.
    let mut options = ReadOptions::default();
    (options.header, options.names) = (Some(false), NameColumn::None);
    assert!(data::read(&[&array], &options).is_ok());
}

#[cfg(unix)]
#[test]
fn a_file_without_permission() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let path = put(&folder, "x.csv", "1");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o000)).expect("own file");
    if std::fs::File::open(&path).is_ok() {
        return; // The superuser may read everything.
    }
    assert_fault!(fault(&path), Fault::Unreadable(error) if error.kind() == io::ErrorKind::PermissionDenied);
}

#[test]
fn empty_files() {
    let folder = folder();
    for name in ["x.npy", "x.npz", "x.csv", "x.mat", "x.idx", "x.csv.gz"] {
        assert_fault!(fault(put(&folder, name, "")), Fault::Empty);
    }
    for text in ["\n\n", "# only a comment\n", "\u{feff}"] {
        assert_fault!(fault(put(&folder, "x.csv", text)), Fault::Empty);
    }
    assert_fault!(fault(put(&folder, "x.csv.gz", gzip(b""))), Fault::Empty);
}

#[test]
fn wrong_starts() {
    let folder = folder();
    for name in ["x.npy", "x.npz", "x.mat", "x.idx"] {
        let content = "x,y\n".repeat(100);
        assert_fault!(fault(put(&folder, name, content)), Fault::Magic { found, .. } if found.starts_with(b"x,y\n"));
    }
}

#[test]
fn text() {
    let folder = folder();
    let text = |content: &str| fault(put(&folder, "x.csv", content));
    assert_fault!(text("1,2\n3,4\n\n5\n"), Fault::Ragged { line: 4, expected: 2, found: 1 });
    assert_fault!(text("1,2\r\n\r\n3,4,5\r\n"), Fault::Ragged { line: 3, expected: 2, found: 3 });
    assert_fault!(text("# c\n1 2\n3\n"), Fault::Ragged { line: 3, expected: 2, found: 1 });
    assert_fault!(text("\"a\nb\",2\n3\n"), Fault::Ragged { line: 3, expected: 2, found: 1 });
    assert_fault!(text("a,b\n1,2\n3,x\n"), Fault::NotANumber { line: 3, column: 2, text } if text == "x");
    for (field, missing) in [("", ""), ("NA", "NA"), (" nan ", "nan")] {
        let fault = text(&format!("1,2\n3,{field}\n"));
        assert_fault!(fault, Fault::MissingValue { line: 2, column, text } if column.position == 1 && text == missing);
    }
    assert_fault!(text("1,2\n3,-inf\n"), Fault::Infinite { line: 2, column, .. } if column.position == 1);
    assert_fault!(text("1,a\n3,b\n"), Fault::Words { line: 1, column, text } if column.position == 1 && text == "a");
    assert_fault!(text("1;2,5\n"), Fault::NotANumber { line: 1, column: 2, text } if text == "2,5");
    assert_fault!(text("1 2\n3 0x10\n"), Fault::NotANumber { line: 2, column: 2, .. });
    let long = format!("1\n2{}\n", "y".repeat(1000));
    assert_fault!(text(&long), Fault::NotANumber { text, .. } if text.len() == 40);
    // Beyond the rows by which columns are recognised.
    let far = format!("{}1,2\nx,2\n", "1,2\n".repeat(500));
    assert_fault!(text(&far), Fault::NotANumber { line: 502, column: 1, .. });

    let exclude = |column| {
        let mut options = ReadOptions::default();
        options.exclude = vec![column];
        let path = put(&folder, "x.csv", "a,b\n1,2\n");
        data::read(&[path], &options).expect_err("no such column").fault
    };
    assert_fault!(exclude(Column::Index(2)), Fault::NoSuchColumn { columns, .. } if columns == "2");
    assert_fault!(exclude(Column::Name("c".to_owned())), Fault::NoSuchColumn { columns, .. } if columns == "a, b");
}

/// A first row that is a header or a sample that lacks a value: neither is guessed.
#[test]
fn ambiguous_headers() {
    let folder = folder();
    for (text, column, field) in [
        ("1.0,,3.0\n4,5,6\n", 2, ""),
        ("1.0,NA,3.0\n4,5,6\n", 2, "NA"),
        ("\n\n1 2 x\n4 5 6\n", 3, "x"),
        ("a,1,?\nb,2,3\n", 3, "?"),
        ("NA\n1\n", 1, "NA"),
        ("a,NA,NA\nb,NA,3\n", 3, "NA"),
        ("x,2019\n5,6\n", 1, "x"),
        (",0,1\n0,5,6\n", 1, ""),
        (",2019,2020\na,5,6\n", 1, ""),
        ("name,2019,2020\na,5,6\nb,7,8\n", 1, "name"),
    ] {
        let path = put(&folder, "x.csv", text);
        let fault = fault(&path);
        let message = fault.to_string();
        assert!(message.contains("--header or --no-header"), "{text:?}: {message}");
        let expected = if text.starts_with('\n') { 3 } else { 1 };
        assert_fault!(fault, Fault::Header { line, column: at, text } if *line == expected && *at == column && text == field);
        let told = |header| {
            let mut options = ReadOptions::default();
            options.header = Some(header);
            data::read(&[&path], &options)
        };
        // A header if the option says so; otherwise a number is missing, or the years are a sample.
        assert!(!matches!(told(true), Err(error) if matches!(error.fault, Fault::Header { .. })));
        let told = told(false).map(|input| input.samples());
        assert!(
            matches!(told, Ok(2 | 3))
                || matches!(told, Err(error) if matches!(error.fault, Fault::NotANumber { .. } | Fault::MissingValue { .. }))
        );
    }
}

#[test]
fn only_a_header() {
    let folder = folder();
    assert_fault!(fault(put(&folder, "x.csv", "a,b\n")), Fault::OnlyHeader);
    assert_fault!(fault(put(&folder, "x.csv", "id,a,\n\n")), Fault::OnlyHeader);
    let mut options = ReadOptions::default();
    options.header = Some(true);
    let error = data::read(&[put(&folder, "x.csv", "1,2\n")], &options).expect_err("no sample");
    assert!(error.to_string().contains("only a header and no sample"), "{error}");
}

/// Lines without an end would fill the memory.
#[test]
fn endless_lines() {
    let folder = folder();
    let zeros = gzip(&vec![0; 1 << 20]).repeat(257);
    let quoted = [gzip(b"1,2\n3,\""), gzip(&b"\n1,2".repeat(1 << 18)).repeat(257)].concat();
    for (name, content, at) in [("a.csv", zeros, 1), ("b.csv", quoted, 2)] {
        let path = put(&folder, name, content);
        assert_fault!(fault(&path), Fault::LongLine { line, .. } if *line == at);
        let labels = data::read_labels(&[&path], &data::LabelOptions::default());
        assert_fault!(labels.expect_err("endless").fault, Fault::LongLine { line, .. } if *line == at);
    }
    #[cfg(unix)]
    {
        let path = folder.path().join("zero.csv");
        std::os::unix::fs::symlink("/dev/zero", &path).expect("a link");
        assert_fault!(fault(path), Fault::LongLine { line: 1, .. });
    }
}

#[test]
fn cut_files_tell_the_bytes() {
    let folder = folder();
    let cut = |name: &str, content: &[u8], length: usize| {
        let fault = fault(put(&folder, name, &content[..length]));
        let Fault::Truncated { expected, found, .. } = fault else { panic!("{name}: {fault:?}") };
        (expected, found)
    };
    let array = npy("'<f8'", false, "(3, 2)", &[0; 48]);
    assert_eq!(cut("x.npy", &array, array.len() - 1), (48, 47));
    assert_eq!(cut("x.npy", &array, 128), (48, 0));
    assert_eq!(cut("x.npy", &array, 50), (118, 40));
    assert_eq!(cut("x.npy", &array, 3), (6, 3));
    let images = idx(8, &[2, 2, 2], &[0; 8]);
    assert_eq!(cut("x.idx", &images, images.len() - 3), (8, 5));
    assert_eq!(cut("x.idx", &images, 9), (12, 5));
    let plain = std::fs::read(fixture("plain.mat")).expect("a fixture");
    assert_eq!(cut("x.mat", &plain, plain.len() - 1), (plain.len() as u64, plain.len() as u64 - 1));
    assert_eq!(cut("x.mat", &plain, 100), (128, 100));
    for name in ["full_73.mat", "sparse_73.mat"] {
        let full = std::fs::read(fixture(name)).expect("a fixture");
        let length = full.len() as u64;
        assert_eq!(cut("x.mat", &full, full.len() - 1), (length, length - 1));
        assert_eq!(cut("x.mat", &full, full.len() / 2), (length, length / 2));
    }
    // Without its directory, an archive tells what its files and the directory take at least.
    let archive = npz(&[("X", array)]);
    let length = archive.len() as u64;
    assert_eq!(cut("x.npz", &archive, archive.len() - 1), (length, length - 1));
    let (expected, found) = cut("x.npz", &archive, 60);
    assert!(expected > found && expected <= length, "{expected} of {length}");
    let Some(real) = large("pendigits.npz") else { return };
    let real = std::fs::read(real).expect("pendigits");
    let (expected, found) = cut("x.npz", &real, real.len() / 2);
    assert!(expected > found && expected <= real.len() as u64, "{expected}");
}

#[test]
fn cut_or_damaged_compression() {
    let folder = folder();
    let array = npy(
        "'<f8'",
        false,
        "(100, 2)",
        &(0..1600).map(|x| (x * x % 251) as u8).collect::<Vec<_>>(),
    );
    for (name, content) in
        [("x.npy.gz", array), ("x.csv.gz", "1,2\n3,4\n".repeat(1000).into_bytes())]
    {
        let whole = gzip(&content);
        for length in [whole.len() - 1, whole.len() - 9, whole.len() / 2, 15, 5] {
            assert_fault!(fault(put(&folder, name, &whole[..length])), Fault::TruncatedCompression);
        }
        let mut damaged = whole.clone();
        let checksum = damaged.len() - 6;
        damaged[checksum] ^= 1;
        assert_fault!(fault(put(&folder, name, &damaged)), Fault::Compression(_));
    }
}

/// Bytes after a member of gzip that are not the next member.
#[test]
fn bytes_after_compression() {
    let folder = folder();
    for rest in [&b"x"[..], b"1,2\n", &[0; 20]] {
        let content = [&gzip(b"1,2\n")[..], rest].concat();
        let message = fault(put(&folder, "x.csv.gz", content)).to_string();
        assert!(message.contains("other bytes follow it"), "{message}");
    }
    let cut = [&gzip(b"1,2\n")[..], &gzip(b"3,4\n")[..5]].concat();
    assert_fault!(fault(put(&folder, "x.csv.gz", cut)), Fault::TruncatedCompression);
}

/// Whatever a file or its name has in it, an error is one line and steers no terminal.
#[test]
fn errors_are_one_line() {
    let folder = folder();
    let array = npy("'|u1'", false, "(1, 1)", &[1]);
    let odd = "a\n\u{1b}[31mb";
    for (name, content) in [
        ("x.csv", format!("1,2\n3,\"{odd}\"\n").into_bytes()),
        ("x.npz", npz(&[(odd, array.clone()), ("b", array)])),
        ("x\n\u{1b}[31m\r\u{202e}.npy", b"\x93NUMPY".to_vec()),
        ("x.npy", npy("'\x1b\r'", false, "(1, 1)", &[0])),
    ] {
        let error = data::read(&[put(&folder, name, content)], &ReadOptions::default());
        let message = error.expect_err("odd").to_string();
        let clean = |character: char| !character.is_control() && character != '\u{202e}';
        assert!(message.chars().all(clean), "{message:?}");
    }
    let exclude = |path: &Path| {
        let mut options = ReadOptions::default();
        options.exclude = vec![Column::Name("c".to_owned())];
        data::read(&[path], &options).expect_err("no c").to_string()
    };
    let message = exclude(&put(&folder, "x.csv", format!("\"{odd}\",b\n1,2\n")));
    assert!(message.contains("a\\n\\u{1b}[31mb"), "{message:?}");
}

#[test]
fn surplus() {
    let folder = folder();
    assert_fault!(
        fault(put(&folder, "x.npy", npy("'|u1'", false, "(1, 2)", &[0; 3]))),
        Fault::Surplus { expected: 2 }
    );
    assert_fault!(
        fault(put(&folder, "x.idx", idx(8, &[1, 2], &[0; 3]))),
        Fault::Surplus { expected: 2 }
    );
}

#[test]
fn shapes() {
    let folder = folder();
    for shape in ["()", "(6,)", "(1, 2, 3)"] {
        let length = if shape == "()" { 1 } else { 6 };
        let fault = fault(put(&folder, "x.npy", npy("'|u1'", false, shape, &[0; 6][..length])));
        assert!(fault.to_string().contains("reshape"), "{fault}");
        assert_fault!(fault, Fault::NotMatrix { .. });
    }
    assert_fault!(fault(put(&folder, "x.idx", idx(8, &[2], &[0; 2]))), Fault::NotMatrix { .. });
    for shape in
        ["(4294967296, 4294967296)", "(9223372036854775807, 2)", "(0, 4294967296, 4294967296)"]
    {
        let fault = fault(put(&folder, "x.npy", npy("'|u1'", false, shape, &[])));
        assert_fault!(fault, Fault::Overflow { .. } | Fault::NotMatrix { .. });
    }
    for shape in ["(-1, 2)", "(99999999999999999999, 2)", "'x'", "((((((((((1))))))))))"] {
        let fault = fault(put(&folder, "x.npy", npy("'|u1'", false, shape, &[])));
        assert_fault!(fault, Fault::Malformed { .. });
    }
    // The parser's own words are a drawing of several lines.
    let broken = npy("'|u1'", false, "(1, ?)", &[0]);
    for (name, content) in [("x.npy", broken.clone()), ("x.npz", npz(&[("X", broken)]))] {
        let message = fault(put(&folder, name, content)).to_string();
        assert!(message.ends_with("the header is not a valid dictionary"), "{message}");
        assert!(message.starts_with("a .npy file that is damaged:"), "{message}");
    }
    // A petabyte is declared that the file does not have: nothing may be allocated for it.
    let large = npy("'<f8'", false, "(1125899906842624, 1)", &[]);
    assert_fault!(fault(put(&folder, "x.npy", &large)), Fault::Truncated { found: 0, .. });
    assert_fault!(fault(put(&folder, "x.npy.gz", gzip(&large))), Fault::Truncated { found: 0, .. });
    assert_fault!(
        fault(put(&folder, "x.npz", npz(&[("X", large)]))),
        Fault::Truncated { found: 0, .. }
    );
    let large = idx(8, &[u32::MAX, u32::MAX], &[]);
    assert_fault!(
        fault(put(&folder, "x.idx", large)),
        Fault::Truncated { found: 0, .. } | Fault::Overflow { .. }
    );
    let large = idx(8, &[u32::MAX; 200], &[]);
    assert_fault!(fault(put(&folder, "x.idx", large)), Fault::Overflow { .. });
    let large = [&b"\x93NUMPY\x02\x00\xff\xff\xff\xff"[..], b"{}"].concat();
    assert_fault!(fault(put(&folder, "x.npy", large)), Fault::Malformed { .. });
}

#[test]
fn elements() {
    let folder = folder();
    for (descriptor, word) in [
        ("'|O'", "objects"),
        ("'<U5'", "strings"),
        ("'|S3'", "strings"),
        ("'<c16'", "complex"),
        ("'<f16'", "another width"),
        ("'<M8[ns]'", "dates"),
        ("[('a', '<f8'), ('b', '<i4')]", "records"),
    ] {
        let content = npy(descriptor, false, "(1, 1)", &[0; 64]);
        for (name, content) in [("x.npy", content.clone()), ("x.npz", npz(&[("X", content)]))] {
            assert_fault!(fault(put(&folder, name, content)), Fault::Element { found } if found.contains(word));
        }
    }
}
