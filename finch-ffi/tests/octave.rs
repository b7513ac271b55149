//! The MATLAB gateway, in Octave. The tests are `octave/*.m`; here is what needs more than that.

mod common;

use std::env;
use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{self, Command, Stdio};
use std::sync::LazyLock;
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{C99, PLANETS, data, has, library, root, run, scratch};
use finch_core::{Element, Finch, LinkBound, Linkage, Metric, Refine, Samples};
use ndarray::{Array1, Array2};
use ndarray_npy::read_npy;

/// Octave with FINCH on its path, or nothing where it is not installed.
fn octave() -> Option<Command> {
    static COMPILED: LazyLock<PathBuf> = LazyLock::new(|| {
        let folder = scratch("octave");
        let make = format!("make('{}', '{}')", library().display(), folder.display());
        run(bare().arg("--eval").arg(make));
        folder
    });
    if !has("octave-cli") || !has("mkoctfile") {
        return None;
    }
    let mut command = bare();
    command.arg("--path").arg(&*COMPILED);
    Some(command)
}

fn bare() -> Command {
    let mut command = Command::new("octave-cli");
    command.args(["--norc", "--quiet", "--no-history", "--path"]).arg(examples());
    command
}

fn examples() -> PathBuf {
    root().join("examples/matlab")
}

/// Runs one of the test files.
fn script(name: &str, arguments: &[&Path]) {
    let Some(mut octave) = octave() else { return };
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/octave");
    run(octave.arg(folder.join(name)).args(arguments));
}

#[test]
fn the_gateway_compiles_without_warnings() {
    if !has("mkoctfile") {
        return;
    }
    let headers = run(Command::new("mkoctfile").args(["-p", "OCTINCLUDEDIR"]));
    let headers = Path::new(headers.trim());
    run(Command::new("cc")
        .args(C99)
        .arg("-fsyntax-only")
        .arg("-I")
        .arg(root().join("include"))
        .arg("-isystem")
        .arg(headers)
        .arg("-isystem")
        .arg(headers.join("octave"))
        .args(
            ["", "_describe", "_fail", "_merge", "_model", "_request", "_sparse"]
                .map(|part| examples().join(format!("finch_mex{part}.c"))),
        ));
}

#[test]
fn the_example() {
    let Some(mut octave) = octave() else { return };
    assert_eq!(run(octave.arg(examples().join("planets.m"))), PLANETS);
}

#[test]
fn make_says_what_is_missing() {
    if !has("octave-cli") {
        return;
    }
    let make =
        "try, make('/nowhere/libfinch.a'), catch e, disp(e.identifier), disp(e.message), end";
    let said = run(bare().arg("--eval").arg(make));
    assert!(said.starts_with("finch:noLibrary\n/nowhere/libfinch.a is missing"), "{said}");
    assert!(said.contains("cargo build --release -p finch-ffi"), "{said}");
}

/// The functions and an installed library, with its headers, and no repository about.
#[test]
fn make_takes_an_installed_library() {
    if !has("octave-cli") || !has("mkoctfile") {
        return;
    }
    // Outside of the repository, whose own header lies above all other folders.
    let folder = env::temp_dir().join(format!("finch-octave-installed-{}", process::id()));
    let [functions, lib, include] = ["share/matlab", "prefix/lib", "prefix/include"].map(|name| {
        let made = folder.join(name);
        fs::create_dir_all(&made).unwrap();
        made
    });
    fs::create_dir_all(functions.join("private")).unwrap();
    for within in ["", "private"] {
        let files = fs::read_dir(examples().join(within)).unwrap().map(Result::unwrap);
        for file in files.filter(|file| file.file_type().unwrap().is_file()) {
            fs::copy(file.path(), functions.join(within).join(file.file_name())).unwrap();
        }
    }
    fs::copy(root().join("include/finch.h"), include.join("finch.h")).unwrap();
    fs::copy(library().join("libfinch.a"), lib.join("libfinch.a")).unwrap();
    let run_there = |code: String| {
        let mut command = Command::new("octave-cli");
        command.args(["--norc", "--quiet", "--no-history", "--path"]).arg(&functions);
        run(command.arg("--eval").arg(code))
    };
    run_there(format!("make('{}', '{}')", lib.display(), functions.display()));
    assert_eq!(run_there("disp(FINCH([0; 1; 9; 8])')".into()).trim(), "1   1   2   2");
    fs::remove_file(include.join("finch.h")).unwrap();
    let code = "try, make('LIB'), catch e, disp(e.identifier), end";
    let said = run_there(code.replace("LIB", &lib.display().to_string()));
    assert_eq!(said.trim(), "finch:noHeader");
    fs::remove_dir_all(folder).unwrap();
}

/// Every label of the real data is that of the Rust library, and the counts those of the paper.
#[test]
fn mice_protein() {
    let folder = scratch("octave-mice");
    let x: Array2<f64> = read_npy(data("mice_protein/X.npy")).unwrap();
    let y: Array1<i32> = read_npy(data("mice_protein/y.npy")).unwrap();
    write(&folder.join("y"), y.iter().flat_map(|y| y.to_ne_bytes()));

    let [least, most] = [x.fold(f64::MAX, |a, &b| a.min(b)), x.fold(f64::MIN, |a, &b| a.max(b))];
    let levels = x.mapv(|value| ((value - least) / (most - least) * 255.0).round() as u8);
    write(&folder.join("double"), x.iter().flat_map(|x| x.to_ne_bytes()));
    write(&folder.join("single"), x.iter().flat_map(|&x| (x as f32).to_ne_bytes()));
    write(&folder.join("uint8"), levels.iter().copied());
    expect(&folder, "double", &x);
    expect(&folder, "single", &x.mapv(|value| value as f32));
    expect(&folder, "uint8", &levels);
    script("mice_protein.m", &[&folder, &data("golden/partitions.json")]);
}

/// Writes what the Rust library finds.
fn expect<A: Element>(folder: &Path, class: &str, x: &Array2<A>) {
    let samples = Samples::new(x.view()).unwrap();
    let save = |name: String, labels: &[u32]| {
        write(&folder.join(name), labels.iter().flat_map(|label| label.to_ne_bytes()));
    };
    for &metric in Metric::OF_NUMBERS {
        for &bound in LinkBound::ALL {
            let hierarchy = Finch::new().metric(metric).link_bound(bound).fit(&samples).unwrap();
            let labels = hierarchy.partitions().iter().map(|partition| partition.labels());
            save(format!("{class}-{metric}-{bound}"), &labels.collect::<Vec<_>>().concat());
        }
        let hierarchy = Finch::new().metric(metric).fit(&samples).unwrap();
        for &linkage in Linkage::ALL {
            for clusters in [1, 8, 30, 351, 400, 1077] {
                let refine = Refine::new(clusters).linkage(linkage);
                let partition = refine.run(&samples, &hierarchy).unwrap();
                save(format!("{class}-{metric}-{linkage}-{clusters}"), partition.labels());
            }
            let partition = Refine::new(8).linkage(linkage).from(1).run(&samples, &hierarchy);
            save(format!("{class}-{metric}-{linkage}-8-from-2"), partition.unwrap().labels());
        }
    }
}

fn write(path: &Path, bytes: impl Iterator<Item = u8>) {
    fs::write(path, bytes.collect::<Vec<_>>()).unwrap();
}

#[test]
fn calls() {
    script("calls.m", &[]);
}

#[test]
fn model() {
    script("model.m", &[]);
}

#[test]
fn errors() {
    script("errors.m", &[]);
}

#[test]
fn clearing() {
    script("clearing.m", &[]);
}

#[test]
#[cfg(target_os = "linux")]
fn memory() {
    script("memory.m", &[]);
}

/// Ctrl-C ends a long run as an error, and Octave goes on.
#[test]
fn an_interrupt_stops_a_run() {
    let Some(mut octave) = octave() else { return };
    let mut octave = octave.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    // Takes minutes if nothing stops it.
    let commands = "
        x = uint8(randi([0 255], 20000, 784));
        disp('started'); fflush(stdout);
        try
          FINCH(x, 'Neighbors', 'brute');
          disp('finished');
        catch e
          disp([e.identifier ' ' e.message]);
        end
        [~, num_clust] = FINCH([1; 2; 11; 12]); disp(num_clust);
    ";
    let mut input = octave.stdin.take().unwrap();
    input.write_all(commands.as_bytes()).unwrap();
    drop(input);
    let mut lines = BufReader::new(octave.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!(lines.next().as_deref(), Some("started"));
    sleep(Duration::from_secs(2));

    let interrupted = Instant::now();
    run(Command::new("kill").arg("-INT").arg(octave.id().to_string()));
    assert_eq!(lines.next().as_deref(), Some("finch:cancelled finch_mex: stopped by Ctrl-C"));
    assert!(interrupted.elapsed() < Duration::from_secs(5), "{:?}", interrupted.elapsed());
    assert_eq!(lines.next().as_deref(), Some("2"));
    assert!(octave.wait().unwrap().success());
}
