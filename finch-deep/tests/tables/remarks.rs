//! Remarks of the command: one line for many that are alike, a doubt whether there are clusters, and columns that
//! `finch score` takes.

use crate::*;

/// The command of any name, with the words of a line.
pub(crate) fn run(folder: &TempDir, line: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_finch"));
    command.args(line.split(' ')).current_dir(folder.path()).stdin(Stdio::null());
    command.output().unwrap()
}

/// A table of this many rows and columns, named c0, c1, …
fn wide(rows: usize, columns: usize, value: impl Fn(usize, usize) -> String) -> String {
    let line = |cells: Vec<String>| cells.join(",") + "\n";
    let header = line((0..columns).map(|column| format!("c{column}")).collect());
    let row = |row| line((0..columns).map(|column| value(row, column)).collect());
    header + &(0..rows).map(row).collect::<String>()
}

#[test]
fn fifty_hints_that_are_alike_are_one_line() {
    let folder = folder();
    let number = |row: usize, column: usize| ((row * 7 + column * column) % 13).to_string();
    put(&folder, "ids.csv", wide(40, 50, |row, _| (row + 1).to_string()));
    put(
        &folder,
        "empty.csv",
        wide(40, 52, |row, column| match column {
            0 | 1 => number(row, column),
            _ => String::new(),
        }),
    );
    put(
        &folder,
        "sentinel.csv",
        wide(40, 50, |row, column| match row % 9 {
            3 => "-999".into(),
            _ => number(row, column),
        }),
    );
    put(&folder, "few.csv", wide(40, 3, |row, _| (row + 1).to_string()));
    for (name, lines, words) in [
        (
            "ids.csv",
            1,
            "each of 50 columns looks like an id, since its whole numbers only rise: c0, c1, c2, c3, c4, c5 and 44 more: --exclude c0,c1,",
        ),
        ("empty.csv", 1, "each of 50 columns has no value in it, and is left out: c2, c3"),
        ("sentinel.csv", 1, "each of 50 columns has -999, unlike all other values: c0"),
        ("few.csv", 3, "column \"c0\" looks like an id"),
    ] {
        let output = finch(&folder, &[name]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {told}");
        let of_columns = told.lines().filter(|line| line.contains("column")).collect::<Vec<_>>();
        assert_eq!(of_columns.len(), lines, "{name}: {told}");
        assert!(told.contains(words), "{name}: {told}");
    }
    // Numbers are told as they are in the file, also where columns are scaled.
    let scaled = text(&finch(&folder, &["sentinel.csv", "--standardize", "zscore"]).stderr);
    assert!(scaled.contains("has -999, unlike all other values"), "{scaled}");
    // The option of the hint works as it stands.
    let told = text(&finch(&folder, &["ids.csv"]).stderr);
    let listed = told.split("--exclude ").nth(1).unwrap().split(' ').next().unwrap();
    let left = listed.rsplit_once(',').unwrap().0;
    let output = finch(&folder, &["ids.csv", "--exclude", left]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("× 1 feature,"), "{}", text(&output.stdout));
}

#[test]
fn suggested_clusters_that_may_be_none_are_doubted() {
    let folder = folder();
    // A lattice that is shaken a little: one cloud.
    let noise = |row: usize, column: usize| {
        let place = if column == 0 { row % 25 } else { row / 25 };
        format!("{}.{}", place, (row * 7919 + column * 104_729) % 997)
    };
    put(&folder, "noise.csv", wide(625, 2, noise));
    let blobs =
        |row: usize, column: usize| format!("{}.{}", row % 3 * 50, (row * 31 + column * 17) % 97);
    put(&folder, "blobs.csv", wide(120, 2, blobs));
    for (table, doubted) in [("noise.csv", true), ("blobs.csv", false)] {
        let line = format!("cluster {table} --suggest --json");
        let found: Value = serde_json::from_slice(&run(&folder, &line).stdout).unwrap();
        assert_eq!(found["suggested"]["has_clusters"], !doubted, "{found}");
        assert_eq!(found["suggested"]["best"][0], found["suggested"]["clusters"]);
        for line in ["cluster {} --suggest", "suggest {}", "describe {}"] {
            let line = line.replace("{}", table);
            let shown = text(&run(&folder, &line).stdout);
            assert_eq!(shown.contains("but there may be none"), doubted, "{line}: {shown}");
        }
    }
    put(&folder, "three.csv", "x\n1\n2\n9\n");
    let shown = text(&run(&folder, "cluster three.csv --suggest").stdout);
    assert!(shown.contains("too few samples, or too few that differ, to tell"), "{shown}");
}

#[test]
fn labels_and_classes_are_columns_of_tables() {
    let folder = folder();
    let class = |row: usize| ["a", "b", "c"][row % 3];
    let rows = |row: &dyn Fn(usize) -> String| (0..60).map(row).collect::<String>();
    let truth = rows(&|row| format!("s{row},{}\n", class(row)));
    put(&folder, "truth.csv", format!("id,class\n{truth}"));
    put(&folder, "bare.csv", &truth);
    put(&folder, "one.csv", format!("species\n{}", rows(&|row| format!("{}\n", class(row)))));
    put(&folder, "numbers.csv", rows(&|row| format!("{}\n", row % 3)));
    put(&folder, "short.csv", rows(&|row| format!("{}\n", row % 3)).split_off(4));
    let labels = rows(&|row| format!("{row},{},{}\n", row % 2, row % 3));
    put(&folder, "labels.csv", format!("row,requested,suggested\n{labels}"));
    let perfect = "ARI                 100.0000";
    let header = "truth.csv: the first line is one too many, and is taken as a header";
    let of_last =
        "labels.csv: the labels are those of column \"suggested\", the last of 3: --column";
    for (line, code, shown, said) in [
        ("labels.csv truth.csv", 0, perfect, &[header, of_last][..]),
        ("labels.csv truth.csv --truth-column class --column suggested", 0, "100.0000", &[]),
        ("labels.csv truth.csv --truth-column 1 --column 2", 0, "column 2", &[header]),
        (
            "labels.csv truth.csv --truth-column class --column requested,suggested",
            0,
            "requested  suggested",
            &[],
        ),
        (
            "labels.csv one.csv --column suggested",
            0,
            "100.0000",
            &["one.csv: the first line is one too many"],
        ),
        ("labels.csv one.csv --column suggested --label-header", 0, "100.0000", &[]),
        ("numbers.csv one.csv", 0, perfect, &["one.csv: the first line is one too many"]),
        (
            "numbers.csv bare.csv",
            0,
            perfect,
            &["bare.csv: the labels are those of column 1 (from 0), the last of 2: --truth-column"],
        ),
        (
            "one.csv one.csv",
            0,
            perfect,
            &["the first line of each file has a label that no other line has"],
        ),
        ("numbers.csv one.csv -q", 0, perfect, &[]),
        (
            "labels.csv truth.csv --column sugested",
            1,
            "",
            &["no column \"sugested\"", "did you mean \"suggested\""],
        ),
        ("labels.csv truth.csv --truth-column 7", 1, "", &["no column 7"]),
        ("short.csv one.csv", 1, "", &["short.csv has 58 labels and one.csv 61"]),
    ] {
        let output = run(&folder, &format!("score {line}"));
        let (found, told) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(code), "{line}: {told}");
        assert!(found.contains(shown), "{line}: {found}");
        assert_eq!(told.is_empty(), said.is_empty(), "{line}: {told}");
        for words in said {
            assert!(told.contains(words), "{line}: {words:?} is not in {told:?}");
        }
    }
    let line =
        "score labels.csv truth.csv --column suggested,requested --truth-column class --json";
    let found: Value = serde_json::from_slice(&run(&folder, line).stdout).unwrap();
    assert_eq!((&found[0]["column"], &found[0]["ari"]), (&"suggested".into(), &100.0.into()));
    assert_eq!(found[1]["column"], "requested");
    assert!(found[1]["ari"].as_f64().unwrap() < 50.0);
}

#[test]
fn a_remark_below_fields_that_blanks_part() {
    let folder = folder();
    let rows: String =
        (0..12).map(|at| format!("{}.5  {}  {}\n", at % 4, at * 3, 7 - at % 3)).collect();
    put(
        &folder,
        "blanks.txt",
        format!("height  width  depth\n{rows}Source: office of statistics, 2023\n"),
    );
    let output = finch(&folder, &["blanks.txt", "--auto"]);
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(
        told.contains(
            "12 rows of 3 columns, named by the first line, fields apart by blanks, above 1 line"
        ),
        "{told}"
    );
}

/// A word that two columns of numbers repeat is missing in a category that has it as often.
#[test]
fn a_word_that_columns_of_numbers_repeat_is_no_category() {
    let folder = folder();
    let row = |at: usize| {
        let number = |every: usize| match at % every {
            3 => "absent".to_string(),
            _ => format!("{}.25", at * every % 17),
        };
        let colour = ["red", "blue", "absent", "red", "blue"][at % 5];
        format!("{},{},{colour}\n", number(9), number(11))
    };
    let rows: String = (0..80).map(row).collect();
    put(&folder, "words.csv", format!("height,width,colour\n{rows}"));
    let output = finch(&folder, &["words.csv", "--auto"]);
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("\"absent\" taken as missing"), "{told}");
    assert!(told.contains("categories: colour (2 words, 16 missing)"), "{told}");
}

/// How sure labels are stands behind them, and is no label.
#[test]
fn scores_are_of_labels_and_not_of_their_probabilities() {
    let folder = folder();
    put(&folder, "found.csv", "row,requested,requested_probability\n0,1,0.5\n1,1,0.75\n2,0,1\n");
    put(&folder, "truth.txt", "a\na\nb\n");
    let output = run(&folder, "score found.csv truth.txt --json");
    let told = text(&output.stderr);
    assert!(output.status.success() && told.contains("\"requested\""), "{told}");
    assert!(text(&output.stdout).contains("\"acc\":100.0"), "{}", text(&output.stdout));
}
