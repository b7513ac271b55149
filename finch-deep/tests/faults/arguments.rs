//! Arguments that do not fit each other or the machine.

use crate::{error, finch, folder, put, shell, text};

/// Options on labels that have no use are errors: without `--labels` one of usage, and for files of
/// another format one of the file.
#[test]
fn options_of_labels_have_a_use() {
    let folder = folder();
    put(&folder, "x.csv", "1,2\n3,4\n");
    put(&folder, "y.txt", "1\n2\n");
    let labels = ndarray::array![0_i32, 1];
    ndarray_npy::write_npy(folder.path().join("y.npy"), &labels).unwrap();
    for option in [&["--label-column", "0"][..], &["--label-header"], &["--label-variable", "y"]] {
        let output = finch(&folder, &[&["cluster", "x.csv"], option].concat()).output().unwrap();
        let text = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains("--labels <FILE>"), "{text}");

        let file = if option[0] == "--label-variable" { "y.txt" } else { "y.npy" };
        let text = error(&folder, &[&["cluster", "x.csv", "--labels", file], option].concat());
        assert!(text.contains(&format!("{file}: {} is for", option[0])), "{text}");
        let text = error(&folder, &[&["score", file, file], option].concat());
        assert!(text.contains(&format!("{} is for", option[0])), "{text}");
    }
    // A use for one of the two files is enough.
    let both =
        finch(&folder, &["score", "y.npy", "y.txt", "--label-column", "0"]).output().unwrap();
    assert!(both.status.success(), "{both:?}");
}

#[test]
fn numbers_are_whole_and_of_64_bits() {
    let folder = folder();
    put(&folder, "x.csv", "1\n2\n");
    for option in ["--clusters", "--seed"] {
        for number in ["9223372036854775808", "-1", "1.5", "", "one"] {
            let arguments = ["cluster", "x.csv", option, number];
            let output = finch(&folder, &arguments).output().unwrap();
            let text = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}");
            assert!(text.contains("whole number from 0 to 2^63 - 1"), "{text}");
        }
    }
    assert!(
        error(&folder, &["cluster", "x.csv", "--clusters", "9223372036854775807"])
            .contains("9223372036854775807 clusters")
    );
}

/// A full disk under the output is an error, whatever is printed.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_under_the_output_is_an_error() {
    let folder = folder();
    put(&folder, "x.csv", "1\n2\n");
    for arguments in
        ["--help", "--version", "cluster x.csv", "cluster x.csv --json", "score x.csv x.csv"]
    {
        let output =
            shell(&folder, &format!("\"$FINCH\" {arguments} > /dev/full")).output().unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments}");
        let text = text(&output.stderr);
        assert!(text.starts_with("finch: standard output: No space left"), "{arguments}: {text}");
    }
    for arguments in ["--help", "cluster x.csv", "cluster x.csv --unknown"] {
        // The message cannot be written, and the exit code still tells.
        let line = format!("\"$FINCH\" {arguments} 2> /dev/full > /dev/null");
        let code = shell(&folder, &line).status().unwrap().code();
        assert_eq!(code, Some(if arguments.ends_with("unknown") { 2 } else { 0 }), "{arguments}");
    }
}
