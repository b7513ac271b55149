//! Too little memory: a typed error in place of an abort, and nothing that fills the machine.

use ndarray::Array2;
use ndarray_npy::write_npy;

use crate::{error, finch, folder, put, said, shell, text};

/// Bytes for ever, after what each format begins with.
#[test]
fn streams_without_an_end_are_refused() {
    let folder = folder();
    put(&folder, "head.mat", [&b"MATLAB 5.0".repeat(12)[..], b"    \0\x01IM"].concat());
    put(&folder, "head.npz", "PK\x03\x04");
    put(&folder, "head.csv", "1,2\n");
    for (name, rest) in
        [("x.mat", "cat /dev/zero"), ("x.npz", "cat /dev/zero"), ("x.csv", "yes 3,4")]
    {
        let head = name.replace('x', "head");
        let line = format!(
            "mkfifo {name}; (cat {head}; {rest}) > {name} 2>/dev/null & \
             exec \"$FINCH\" cluster {name} --memory-limit 50M"
        );
        let said = said(&shell(&folder, &line).output().unwrap(), 1);
        assert!(
            said.contains("50.0 MiB may be taken: --memory-limit sets another limit"),
            "{said}"
        );
    }
    // A stream that cannot be of the format is refused at its start, and takes no memory.
    for name in ["zero.mat", "zero.npz", "zero.npy"] {
        std::os::unix::fs::symlink("/dev/zero", folder.path().join(name)).unwrap();
        assert!(error(&folder, &["cluster", name]).contains("at the start"));
    }
}

#[test]
fn labels_are_limited_too() {
    let folder = folder();
    put(&folder, "x.csv", "1\n2\n");
    put(&folder, "many.csv", "1\n".repeat(1 << 20));
    let limited = |arguments: &[&str]| {
        let text = error(&folder, &[arguments, &["--memory-limit", "1MiB"]].concat());
        assert!(text.starts_with("finch: many.csv: reading it takes"), "{text}");
    };
    limited(&["cluster", "x.csv", "--labels", "many.csv"]);
    limited(&["score", "x.csv", "many.csv"]);
}

/// Without an option, the limits of the process count, in which the command itself needs its part.
#[test]
fn the_limit_of_the_address_space_is_known() {
    let folder = folder();
    let matrix = Array2::from_shape_fn((2000, 5000), |(i, j)| (i * j % 97) as f64);
    write_npy(folder.path().join("large.npy"), &matrix).unwrap();
    assert!(shell(&folder, "gzip -1 large.npy").status().unwrap().success());
    let mut refused = 0;
    // The file takes 80 MB when it is read. Below some limit not even the process starts.
    for mebibytes in [160, 180, 200, 220, 240, 260, 300, 400, 600, 1000] {
        let line = format!(
            "ulimit -v {}; exec \"$FINCH\" cluster large.npy.gz --threads 1 --quiet",
            mebibytes << 10
        );
        let output = shell(&folder, &line).output().unwrap();
        let text = text(&output.stderr);
        match output.status.code() {
            Some(0) => {}
            Some(1) => {
                refused += 1;
                assert!(text.lines().count() == 1 && text.contains("memory"), "{text}");
            }
            _ => panic!("{mebibytes} MiB: {output:?}"),
        }
    }
    assert!(refused > 0);
}

#[test]
fn sizes_are_given_as_people_write_them() {
    let folder = folder();
    put(&folder, "x.csv", "1,2,3\n".repeat(5000));
    for size in ["0", "1K", "1.5k", "1KiB", "1kB", "100000", "100000B"] {
        let text = error(&folder, &["cluster", "x.csv", "--memory-limit", size]);
        assert!(text.contains("may be taken: --memory-limit sets"), "{text}");
    }
    for size in ["1M", "1MiB", "1MB", "1G", "0.5g", "1TiB", "1TB"] {
        let mut command = finch(&folder, &["cluster", "x.csv", "--quiet", "--memory-limit", size]);
        assert!(command.status().unwrap().success(), "{size}");
    }
    for size in ["", "M", "x", "1X", "-1", "1 M", "nan", "inf"] {
        let output =
            finch(&folder, &["cluster", "x.csv", "--memory-limit", size]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{size}");
    }
}
