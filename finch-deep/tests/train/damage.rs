//! Damaged files of a run, and a full disk.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use crate::place::{LAST, Place, SLOW, assert_same, begin, checkpoints, copy, files, said, text};

/// A way to damage a file.
type Damage = fn(&mut Vec<u8>);

const DAMAGES: [(&str, Damage); 6] = [
    ("a bit of a weight", |bytes| {
        let place = bytes.len() / 2;
        bytes[place] ^= 1;
    }),
    ("the last byte", |bytes| *bytes.last_mut().unwrap() ^= 0x80),
    ("half", |bytes| bytes.truncate(bytes.len() / 2)),
    ("empty", Vec::clear),
    ("garbage", |bytes| bytes.fill(0xa5)),
    ("a length without end", |bytes| bytes[..8].fill(0xff)),
];

#[test]
fn damaged_checkpoints_are_passed_over() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);
    let stopped = place.unfinished(&whole, "stopped", 5);
    for (number, (name, damage)) in DAMAGES.into_iter().enumerate() {
        let out = format!("damaged-{number}");
        let run = copy(&stopped, &place.at(&out));
        let newest = checkpoints(&run).pop().unwrap();
        let mut bytes = fs::read(&newest).unwrap();
        damage(&mut bytes);
        fs::write(&newest, bytes).unwrap();
        let output = place.output(&["train", "--resume", &out, "--quiet"]);
        assert!(output.status.success(), "{name}: {output:?}");
        let warning = text(&output.stderr);
        let file = newest.file_name().unwrap().to_str().unwrap();
        let start = format!("finch: passed over {out}/checkpoints/{file}: ");
        assert!(warning.starts_with(&start), "{name}: {warning}");
        assert_eq!(warning.lines().count(), 1, "{name}: {warning}");
        assert_same(&run, &whole);
    }

    // All checkpoints are damaged: nothing can be done, and nothing is.
    let run = copy(&stopped, &place.at("lost"));
    for path in checkpoints(&run) {
        fs::write(path, "no checkpoint").unwrap();
    }
    let before = files(&run);
    let commands: [&[&str]; 3] = [
        &["train", "--resume", "lost"],
        &["embed", "lost", "samples.npy", "--out", "e.npy"],
        &["cluster", "--embed", "lost", "samples.npy"],
    ];
    for command in commands {
        let text = place.error(command);
        assert!(text.starts_with("finch: no checkpoint in lost/checkpoints can be read"), "{text}");
        for path in checkpoints(&run) {
            assert!(text.contains(path.file_name().unwrap().to_str().unwrap()), "{text}");
        }
    }
    assert!(files(&run) == before);

    // Other commands pass over a damaged checkpoint, too, and say so.
    let run = copy(&whole, &place.at("half"));
    fs::write(run.join(LAST), "no checkpoint").unwrap();
    let output = place.output(&["embed", "half", "samples.npy", "--out", "e.npy"]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stderr).contains(LAST), "{output:?}");
    assert_eq!(fs::read(place.at("e.npy")).unwrap(), fs::read(run.join("embedding.npy")).unwrap());
}

#[test]
fn damaged_records_are_named() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);
    let stopped = place.unfinished(&whole, "stopped", 5);
    let cases = [
        ("config.toml", "hiden = [3]\n", "unknown field `hiden`"),
        ("config.toml", "epochs = \"many\"\n", "invalid type"),
        ("run.json", "{", "EOF"),
        ("run.json", "", "EOF"),
    ];
    for (number, (name, content, expected)) in cases.into_iter().enumerate() {
        let out = format!("damaged-{number}");
        let run = copy(&stopped, &place.at(&out));
        fs::write(run.join(name), content).unwrap();
        let before = files(&run);
        let text = place.error(&["train", "--resume", &out]);
        assert!(text.contains(&format!("{out}/{name}: ")) && text.contains(expected), "{text}");
        assert!(files(&run) == before);
    }
    // A line that was cut is lost, too.
    let run = copy(&stopped, &place.at("cut"));
    let mut lines = fs::read(run.join("metrics.jsonl")).unwrap();
    lines.extend(b"{\"event\":\"epoch\",\"epoch\":4,\"lo");
    fs::write(run.join("metrics.jsonl"), lines).unwrap();
    place.done(&["train", "--resume", "cut", "--quiet"]);
    assert_same(&run, &whole);
}

/// Runs the command where no file may have more than this many blocks of 512 or 1024 bytes.
fn on_full_disk(place: &Place, blocks: usize, arguments: &[&str]) -> String {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let output = Command::new("sh")
        .args(["-c", &script, env!("CARGO_BIN_EXE_finch")])
        .args(arguments)
        .current_dir(place.folder.path())
        .output()
        .unwrap();
    said(&output)
}

#[test]
fn a_full_disk_costs_what_came_after_the_last_checkpoint() {
    let place = Place::new();
    let whole = place.train("whole", SLOW);

    // At the first checkpoint.
    let text = on_full_disk(&place, 100, &begin("first", SLOW));
    assert!(text.contains("first/checkpoints/epoch-000000_clustered.safetensors: "), "{text}");
    assert!(text.contains("File too large"), "{text}");
    assert!(text.contains("go on with: finch train --resume first"), "{text}");
    assert!(checkpoints(&place.at("first")).is_empty());
    place.done(&["train", "--resume", "first", "--quiet"]);
    assert_same(&place.at("first"), &whole);

    // At a later one.
    let later = place.unfinished(&whole, "later", 5);
    let before = files(&later.join("checkpoints"));
    let text = on_full_disk(&place, 100, &["train", "--resume", "later", "--quiet"]);
    assert!(text.contains("later/checkpoints/epoch-00000"), "{text}");
    assert!(text.contains("File too large"), "{text}");
    let kept = |path: &&PathBuf| path.extension().is_some_and(|end| end == "safetensors");
    for path in before.keys().filter(kept) {
        assert_eq!(fs::read(path).unwrap(), before[path]);
    }
    place.done(&["train", "--resume", "later", "--quiet"]);
    assert_same(&later, &whole);

    // At the result: 600 × 512 × 4 bytes.
    let options = ["--hidden", "16,512"];
    let whole = place.train("whole-narrow", &options);
    let text = on_full_disk(&place, 600, &begin("result", &options));
    assert!(text.contains("result/embedding.npy: "), "{text}");
    assert!(!place.at("result/embedding.npy").exists() && !place.at("result/labels.npy").exists());
    place.done(&["train", "--resume", "result", "--quiet"]);
    assert_same(&place.at("result"), &whole);
    let text = on_full_disk(&place, 600, &["embed", "result", "samples.npy", "--out", "e.npy"]);
    assert!(text.contains("e.npy: cannot write: File too large"), "{text}");
    assert!(!place.at("e.npy").exists());
}
