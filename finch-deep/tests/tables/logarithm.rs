//! `--log`: the logarithm of 1 + x of numbers, in all that a model keeps.

use crate::remarks::run;
use crate::*;

/// Incomes that differ by factors, a share that may be below 0, a word, a date.
fn table(rows: std::ops::Range<usize>) -> String {
    let row = |i: usize| {
        let income = [0.0, 90.0, 12_000.0][i % 3] + (i * 7 % 5) as f64;
        format!("s{i},{income},{},2024-01-{:02}\n", ["red", "blue"][i % 2], 1 + i % 28)
    };
    "name,income,colour,day\n".to_string() + &rows.map(row).collect::<String>()
}

#[test]
fn logarithms_are_taken_said_and_kept_in_the_model() {
    let folder = folder();
    put(&folder, "x.csv", table(0..40));
    put(&folder, "new.csv", table(40..52));
    let line = "cluster x.csv --log --categorical colour --standardize zscore -k 3 --model m.finch --json -q";
    let output = run(&folder, line);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["prepared"], serde_json::json!({ "log": ["income"] }));
    // The model reads the table as one of logarithms.
    let logs = |text: String| -> String {
        let line = |(at, line): (usize, &str)| {
            let mut cells: Vec<String> = line.split(',').map(String::from).collect();
            if at > 0 {
                cells[1] = cells[1].parse::<f64>().unwrap().ln_1p().to_string();
            }
            cells.join(",") + "\n"
        };
        text.lines().enumerate().map(line).collect()
    };
    put(&folder, "logs.csv", logs(table(0..40)));
    put(&folder, "new_logs.csv", logs(table(40..52)));
    let line = "cluster logs.csv --categorical colour --standardize zscore -k 3 --model l.finch -q";
    assert!(run(&folder, line).status.success());
    let predicted = |line: &str| text(&run(&folder, line).stdout);
    let by_log = predicted("predict m.finch new.csv -q");
    assert_eq!(by_log, predicted("predict l.finch new_logs.csv -q"));
    assert_eq!(by_log.lines().count(), 13);
    // A mean of logarithms is told as such.
    let shown = predicted("describe m.finch");
    assert!(shown.contains("log(1 + income) ") && !shown.contains("log(1 + day)"), "{shown}");

    put(&folder, "below.csv", table(0..40).replace("s4,93,", "s4,-93,"));
    for line in ["cluster below.csv --log --categorical colour", "predict m.finch below.csv"] {
        let output = run(&folder, line);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{line}");
        assert!(
            told.contains("below.csv: line 6, column \"income\": -93 is below 0, and --log"),
            "{line}: {told}"
        );
    }
    // Beside --auto, and of an array, whose columns have no names.
    let line = "cluster x.csv --auto --log --json -q";
    let found: Value = serde_json::from_slice(&run(&folder, line).stdout).unwrap();
    assert_eq!(found["prepared"]["log"], serde_json::json!(["income"]));
    assert!(found["prepared"]["columns"].is_array());
    let told = text(&run(&folder, "cluster x.csv --auto --log").stderr);
    assert!(told.contains("the logarithm of 1 + x is taken of numbers"), "{told}");
    let array = ndarray::array![[0_u8, 1], [2, 3], [200, 1]];
    ndarray_npy::write_npy(folder.path().join("x.npy"), &array).unwrap();
    let output = run(&folder, "cluster x.npy --log --json");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["prepared"], serde_json::json!({ "log": "all" }), "{output:?}");
}
