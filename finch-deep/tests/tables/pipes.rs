//! Pipes and standard input: the labels and the messages are those of the file that comes through them.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use ndarray::Array2;
use tempfile::TempDir;

use super::common::{data, folder, put, text};
use super::finch;

/// The output of a line of the shell.
fn shell(folder: &TempDir, line: &str) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_finch"));
    let line = format!("PATH='{}':$PATH; {line}", program.parent().unwrap().display());
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder.path()).stdin(Stdio::null());
    shell.output().unwrap()
}

/// Files of each format, which nobody names, come through standard input, which may be slow, and through a named pipe.
#[test]
fn a_pipe_is_read_as_its_file_is() {
    let folder = folder();
    let content = fs::read(data("planets.csv")).unwrap();
    put(&folder, "planets.csv", &content);
    let mut compressed = GzEncoder::new(Vec::new(), Compression::default());
    compressed.write_all(&content).unwrap();
    put(&folder, "planets.csv.gz", compressed.finish().unwrap());
    let matrix = Array2::from_shape_fn((40, 3), |(i, j)| ((i * 7919 + j * 104_729) % 101) as f64);
    ndarray_npy::write_npy(folder.path().join("x.npy"), &matrix).unwrap();
    let rows = matrix.rows().into_iter().map(|row| row.to_vec());
    let lines: Vec<String> = rows.map(|row| format!("{row:?}")).collect();
    put(&folder, "x.json", format!("[{}]", lines.join(",\n")));
    let sparse = lines.iter().zip(0..).map(|(_, i)| format!("1 1:{} 2:{}\n", i * i % 17, i % 5));
    put(&folder, "x.svmlight", sparse.collect::<String>());
    // Words, above a total: as a file it is looked at twice, and its last lines beforehand.
    let people = "People of 2024\n\nname,age,city\nann,31,Rome\nbob,44,Oslo\ncy,35,Rome\ndi,46,Oslo\nTotal,156,\n";
    put(&folder, "people.csv", people);
    assert!(Command::new("mkfifo").arg(folder.path().join("pipe")).status().unwrap().success());

    for (name, options) in [
        ("planets.csv", ""),
        ("planets.csv.gz", ""),
        ("x.npy", ""),
        ("x.json", ""),
        ("x.svmlight", ""),
        ("people.csv", ""),
        ("people.csv", "--auto"),
        ("x.npy", "--auto"),
    ] {
        let expected = shell(&folder, &format!("finch cluster {name} {options} --force -o a.csv"));
        let labels = fs::read(folder.path().join("a.csv")).unwrap_or_default();
        for (path, line) in [
            ("-", "(head -c 7; sleep 0.1; cat) < NAME | finch cluster - OPTIONS --force -o b.csv"),
            ("-", "finch cluster - OPTIONS --force -o b.csv < NAME"),
            ("/dev/stdin", "cat NAME | finch cluster /dev/stdin OPTIONS --force -o b.csv"),
            ("pipe", "cat NAME > pipe & finch cluster pipe OPTIONS --force -o b.csv"),
        ] {
            let found = shell(&folder, &line.replace("NAME", name).replace("OPTIONS", options));
            let told = text(&found.stderr).replace("b.csv", "a.csv");
            let as_file = |told: String| told.replace(&format!("{path}:"), &format!("{name}:"));
            let as_file =
                as_file(told).replace(&format!("cluster {path} "), &format!("cluster {name} "));
            assert_eq!(
                without_seconds(&as_file),
                without_seconds(&text(&expected.stderr)),
                "{line}"
            );
            assert_eq!(found.status.code(), expected.status.code(), "{line}");
            if found.status.success() {
                assert_eq!(
                    fs::read(folder.path().join("b.csv")).unwrap(),
                    labels,
                    "{name}: {line}"
                );
            }
        }
    }
}

/// A message without the lines that tell the time.
fn without_seconds(told: &str) -> Vec<&str> {
    told.lines().filter(|line| !line.contains(" s")).collect()
}

/// Samples and labels come through standard input.
#[test]
fn each_command_reads_standard_input() {
    let folder = folder();
    put(&folder, "x.csv", "a,b\n1,2\n1,3\n9,8\n9,9\n1,1\n8,9\n");
    put(&folder, "l.csv", "0\n0\n1\n1\n0\n1\n");
    assert!(finch(&folder, &["x.csv", "--model", "m.finch"]).status.success());
    for (file, piped) in [
        ("finch predict m.finch x.csv", "finch predict m.finch - < x.csv"),
        ("finch suggest x.csv", "cat x.csv | finch suggest -"),
        ("finch describe x.csv", "cat x.csv | finch describe -"),
        ("finch tree x.csv", "cat x.csv | finch tree -"),
        ("finch neighbors x.csv -k 2", "cat x.csv | finch neighbors - -k 2"),
        ("finch score l.csv l.csv", "cat l.csv | finch score l.csv -"),
        ("finch score l.csv l.csv", "cat l.csv | finch score - l.csv"),
        ("finch cluster x.csv --labels l.csv -q", "cat l.csv | finch cluster x.csv --labels - -q"),
    ] {
        let (expected, found) = (shell(&folder, file), shell(&folder, piped));
        assert!(expected.status.success(), "{file}: {}", text(&expected.stderr));
        assert_eq!(text(&found.stdout), text(&expected.stdout), "{piped}: {}", text(&found.stderr));
    }
}
