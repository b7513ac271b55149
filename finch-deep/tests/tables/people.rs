//! Tables as people keep them: read at the first command by `--auto`, and refused in one message without it.

use std::fs;
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

use crate::{command, finch, folder, put, text, written};

/// Customers with an id, a name, money, percents, dates, a category, an order, remarks, and words of missing
/// values; two groups.
fn customers() -> String {
    let mut table = "id;name;spent;share;since;plan;size;remark\n".to_string();
    for row in 0..24_u32 {
        let group = row % 2;
        let spent =
            if row == 5 { "-".into() } else { format!("€ {}.{:03},50", 1 + 8 * group, row * 7) };
        let plan = ["basic", "pro"][group as usize];
        let size = ["small", "medium", "large"][(row % 3) as usize];
        let remark = format!("called {row} times about the parcel number {}", row * row);
        table += &format!(
            "{};Person {};{spent};{} %;{:02}.0{}.2024;{plan};{size};{remark}\n",
            1000 + row * 3,
            (b'A' + row as u8) as char,
            5 + 60 * group + row % 4,
            1 + row,
            1 + 3 * group,
        );
    }
    table
}

/// The commands of a refusal.
fn commands(told: &str) -> Vec<String> {
    let commands =
        told.lines().map(str::trim_start).filter(|line| line.starts_with("finch cluster "));
    commands.map(String::from).collect()
}

fn shell(folder: &TempDir, line: &str) -> std::process::Output {
    let line = line.replacen("finch", &format!("'{}'", env!("CARGO_BIN_EXE_finch")), 1);
    let mut shell = Command::new("sh");
    shell.args(["-c", &line]).current_dir(folder.path()).stdin(Stdio::null()).output().unwrap()
}

#[test]
fn one_refusal_names_every_column_and_its_commands_work() {
    let folder = folder();
    put(&folder, "my customers.csv", customers());
    let output = finch(&folder, &["my customers.csv", "-k", "2", "--json", "--with-labels"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    for column in ["id", "name", "spent", "share", "since", "plan", "size", "remark"] {
        let line = told.lines().skip(1).find(|line| line.trim_start().starts_with(column));
        assert!(line.is_some(), "{column}: {told}");
    }
    for words in ["names the samples", "left out: text", "small < medium < large", "2024-"] {
        assert!(told.contains(words), "{words}: {told}");
    }
    let commands = commands(&told);
    assert_eq!(commands.len(), 2, "{told}");
    assert!(commands[0].ends_with("--auto") && commands[1].contains("--numeric "), "{commands:?}");
    let labels = commands.iter().map(|line| {
        let output = shell(&folder, line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()
    });
    let labels: Vec<Value> = labels.collect();
    assert_eq!(labels[0]["labels"], labels[1]["labels"]);
    assert_eq!(labels[0]["names"][1], "Person B");
    let groups: Vec<u64> = labels[0]["labels"]["requested"]
        .as_array()
        .unwrap()
        .iter()
        .map(|label| label.as_u64().unwrap())
        .collect();
    assert!((0..24).all(|row| groups[row] == groups[row % 2]), "{groups:?}");
}

/// About ten lines for people, and all of it in JSON.
#[test]
fn auto_says_what_becomes_of_each_column() {
    let folder = folder();
    put(&folder, "x.csv", customers());
    let output = finch(&folder, &["x.csv", "--auto", "--json"]);
    let told = text(&output.stderr);
    assert!(output.status.success() && told.lines().count() <= 10, "{told}");
    for words in [
        "24 rows of 8 columns, named by the first line, fields apart by semicolons",
        "names of the samples: name",
        "left out: id (its whole numbers only rise), remark (text)",
        "spent (\"€ 1.000,50\" as 1000.5, 1 missing)",
        "\"-\" taken as missing; the median stands for missing numbers",
        "plan (2 words)",
    ] {
        assert!(told.contains(words), "{words:?} is not in {told}");
    }
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let roles: Vec<&str> = found["prepared"]["columns"]
        .as_array()
        .unwrap()
        .iter()
        .map(|column| column["role"].as_str().unwrap())
        .collect();
    let expected =
        ["left_out", "names", "number", "number", "date", "category", "number", "left_out"];
    assert_eq!(roles, expected);
    let quiet = finch(&folder, &["x.csv", "--auto", "-q"]);
    assert!(quiet.stderr.is_empty() && quiet.status.success());
}

/// A model keeps how each column is written, and reads new rows so.
#[test]
fn a_model_reads_new_rows_as_auto_read_the_first() {
    let folder = folder();
    let table = customers();
    put(&folder, "x.csv", &table);
    let arguments = ["x.csv", "--auto", "-k", "2", "--model", "m.finch", "--json", "--with-labels"];
    let output = finch(&folder, &arguments);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines: Vec<&str> = table.lines().collect();
    put(&folder, "new.csv", [lines[0], lines[6], lines[3], lines[4]].join("\n"));
    let line = "finch predict m.finch new.csv --label requested --json";
    let output = shell(&folder, line);
    let output = if output.status.success() {
        output
    } else {
        shell(&folder, "finch predict m.finch new.csv --json")
    };
    assert!(output.status.success(), "{}", text(&output.stderr));
    let predicted = text(&output.stdout);
    assert!(
        predicted.contains("Person F") && !found["labels"]["requested"].is_null(),
        "{predicted}"
    );
    put(&folder, "odd.csv", [lines[0], &lines[1].replace("small", "gigantic")].join("\n"));
    let output = shell(&folder, "finch predict m.finch odd.csv");
    let told = text(&output.stderr);
    assert!(told.contains("\"size\"): \"gigantic\" is no number"), "{told}");
}

/// One table: what is in it, and what has to be said of it with `--auto`.
type Case = (&'static str, &'static str, &'static [&'static str]);

const CASES: &[Case] = &[
    ("excel.csv", "sep=;\na;b\n1;2\n3;5\n4;9\n", &["3 rows of 2 columns, named"]),
    (
        "title.csv",
        "Sales 2023\nby region\n\nshop,a,b\nx,1,2\ny,3,5\nz,9,9\nTotal,13,16\n",
        &["3 rows of 3 columns", "below 3 lines", "above 1 line (a total"],
    ),
    ("padded.csv", "Report,,\nshop,a,b\nx,1,2\ny,3,5\nz,9,9\n", &["3 rows", "below 1 line"]),
    (
        "years.csv",
        "country,2019,2020,2021\nA,1,2,3\nB,4,5,6\nC,7,8,10\n",
        &[
            "3 rows of 4 columns, named",
            "names of the samples: country",
            "numbers: 2019, 2020, 2021",
        ],
    ),
    (
        "words.csv",
        "color,size\nred,S\nblue,M\nred,L\nred,M\nblue,S\nblue,L\n",
        &["6 rows of 2 columns, named", "size (s < m < l)", "categories: color"],
    ),
    ("trailing.csv", "a,b\n1,2,\n3,4,\n9,9,\n", &["3 rows of 2 columns", "3 rows filled"]),
    (
        "short.csv",
        "a,b,c\n1,2,3\n3,4\n9,9,9\n2,2,1\n",
        &["1 row filled up at the end", "c (1 missing)"],
    ),
    (
        "income.csv",
        "Annual income\n15\n16\n81\n80\n",
        &["4 rows of 1 column, named", "numbers: Annual income"],
    ),
    ("bars.txt", "a | b\n1 | 2\n3 | 4\n9 | 9\n", &["fields apart by |", "numbers: a, b"]),
    (
        "money.csv",
        "price,n\n$3.50,1\n\"$1,200.00\",2\n($5.00),9\n",
        &["3 rows of 2 columns, named", "price (\"$1,200.00\" as 1200)"],
    ),
    (
        "unnamed_money.csv",
        "$3.50,1\n$4.50,2\n$9.00,9\n",
        &["without a header", "column 1 (\"$3.50\" as 3.5)"],
    ),
    ("percent.csv", "share,n\n12%,1\n15 %,2\n80%,9\n", &["share (\"15 %\" as 15)"]),
    ("german.csv", "a;b\n1.299,99;2\n2,5;3\n900;9\n", &["a (\"1.299,99\" as 1299.99)"]),
    ("minus.csv", "a,b\n−3,2\n5,3\n9,9\n", &["as -3"]),
    ("spaces.csv", "a,b\n1 234,2\n2 000,3\n900,9\n", &["a (\"1 234\" as 1234)"]),
    ("magnitude.csv", "a,b\n1.2M,2\n500K,3\n3M,9\n", &["a (\"1.2M\" as 1200000)"]),
    (
        "day_first.csv",
        "when,b\n05/01/2020,2\n16/02/2020,3\n01/01/2021,9\n05/01/2020,3\n",
        &["dates: when (\"05/01/2020\" as 2020-01-05)"],
    ),
    (
        "month_first.csv",
        "when,b\n1/31/2020,2\n2/1/2020,3\n1/1/2021,9\n",
        &["\"1/31/2020\" as 2020-01-31)"],
    ),
    (
        "either.csv",
        "when,b\n05/01/2020,2\n06/02/2020,3\n01/01/2021,9\n",
        &["as 2020-05-01, which may be read otherwise: --dates"],
    ),
    ("times.csv", "took,b\n1:30,2\n0:45,3\n9:15,9\n", &["took (\"1:30\" as 1.500 hours)"]),
    (
        "errors.csv",
        "a,b\n1,2\n#DIV/0!,3\n2,-\n9,9\n8,8\n7,9\n",
        &["\"#DIV/0!\", \"-\" taken as missing", "a (1 missing), b (1 missing)"],
    ),
    ("unknown.csv", "a,b\n1,2\nUnknown,3\n2,4\n9,9\n", &["\"Unknown\" taken as missing"]),
    (
        "sentinel.csv",
        "a,b\n1,2\n-999,3\n2,4\n9,9\n-999,8\n",
        &["\"-999\" taken as missing", "a (2 missing)"],
    ),
    (
        "r.txt",
        "a b\nx 1 2\ny 3 4\nz 9 9\n",
        &["3 rows of 3 columns, named", "names of the samples: column 1"],
    ),
    ("index.csv", ",a,b\n0,1,2\n1,3,4\n2,9,9\n", &["left out: column 1 (numbers the rows)"]),
    ("constant.csv", "a,b,unit\n1,2,kg\n3,4,kg\n9,9,kg\n", &["left out: unit (one value)"]),
    (
        "class.csv",
        "species,a\nx,1\ny,2\nx,1\ny,3\nx,1\ny,2\n",
        &[
            "categories: species (2 words)",
            "may be true classes, which --exclude leaves out: species",
        ],
    ),
];

#[test]
fn auto_reads_tables_as_people_have_them() {
    for (name, content, said) in CASES {
        let folder = folder();
        put(&folder, name, content);
        let output = finch(&folder, &[name, "--auto"]);
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {told}");
        for words in *said {
            assert!(told.contains(words), "{name}: {words:?} is not in {told}");
        }
        // Without the option, the table is read with the same number of samples, or the refusal says how.
        let output = finch(&folder, &[name, "--json"]);
        let told = text(&output.stderr);
        if !output.status.success() {
            for line in commands(&told) {
                let again = shell(&folder, &line);
                assert!(again.status.success(), "{name}: {line}: {}", text(&again.stderr));
            }
            assert_eq!(commands(&told).len(), 2, "{name}: {told}");
        }
    }
}

/// Without `--auto`: read where the evidence is plain, with a word where it may be meant otherwise, and
/// refused where it is not.
#[test]
fn evidence_without_auto() {
    for (name, content, arguments, code, said) in [
        ("sep.csv", "sep=;\na;b\n1;2\n3;5\n", &[][..], 0, ""),
        ("income.csv", "Annual income\n15\n16\n", &[], 0, ""),
        ("bars.txt", "a | b\n1 | 2\n3 | 4\n", &[], 0, ""),
        ("money.csv", "price,n\n$3.50,1\n$4.50,2\n", &[], 1, "\"$3.50\" is not a number"),
        ("percent.csv", "12%,1\n15%,2\n", &[], 1, "\"12%\" is not a number"),
        ("grouped.csv", "\"1,200\",1\n\"1,300\",2\n", &[], 1, "\"1,200\" is not a number"),
        ("dotted.csv", "05.01.2020,1\n06.01.2020,2\n", &[], 1, "05.01.2020"),
        ("class.csv", "red,1\nblue,2\nred,3\n", &[], 1, "\"red\" is not a number"),
        (
            "words.csv",
            "color,size\nred,S\nblue,M\nred,S\nblue,M\n",
            &["--categorical", "auto"],
            0,
            "",
        ),
        (
            "either.csv",
            "x,y\nred,S\nblue,M\n",
            &["--categorical", "auto"],
            1,
            "--header or --no-header",
        ),
        ("total.csv", "shop,a\nx,1\ny,2\nTotal,3\n", &[], 0, "--skip-last 1 leaves it out"),
        (
            "total_out.csv",
            "shop,a\nx,1\ny,2\nTotal,3\n",
            &["--skip-last", "1"],
            0,
            "names of the samples",
        ),
        ("sentinel.csv", "a,b\n1,2\n-999,3\n2,4\n", &[], 0, "--missing-word=-999"),
        ("title.csv", "Sales\n\na,b\n1,2\n3,4\n", &["--skip", "2"], 0, ""),
        ("numeric.csv", "a,b\n\"$1,200\",2\n$3,4\n", &["--numeric", "a"], 0, "\"$1,200\" as 1200"),
        (
            "not.csv",
            "a,b\n$1,2\nhm,4\n",
            &["--numeric", "a"],
            1,
            "line 3, column 1 (\"a\"): \"hm\"",
        ),
        (
            "word.csv",
            "a,b\n$1,2\nhm,4\n",
            &["--numeric", "a", "--missing-word", "HM", "--missing", "mean"],
            0,
            "1 missing value",
        ),
        ("lists.csv", "a,b,c\n1,x,y\n2,z,w\n", &["--exclude", "b,c"], 0, ""),
        ("numbers.csv", "1,x,y\n2,z,w\n", &["--no-names", "--exclude", "1,2"], 0, ""),
        ("comma.csv", "\"b,c\",a\nx,1\nz,2\n", &["--exclude", "b,c"], 0, "names of the samples"),
        ("case.csv", "Age,b\n1,2\n3,4\n", &["--exclude", "age"], 1, "did you mean \"Age\"?"),
        (
            "typo.csv",
            "income,b\n1,2\n3,4\n",
            &["--exclude", "incmoe"],
            1,
            "did you mean \"income\"?",
        ),
    ] {
        let folder = folder();
        put(&folder, name, content);
        let output = finch(&folder, &[&[name], arguments].concat());
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{name}: {told}");
        assert!(told.contains(said), "{name}: {said:?} is not in {told}");
        assert!(!said.is_empty() || !told.contains("column"), "{name}: {told}");
    }
}

/// From a pipe, which is read twice; and not of what is no table.
#[test]
fn auto_reads_pipes_and_tables_alone() {
    let folder = folder();
    put(&folder, "x.csv", customers());
    let (expected, _) = written(&folder, &["x.csv", "--auto"], "file.csv");
    let mut piped = command(&folder, &["-", "--format", "csv", "--auto", "-o", "piped.csv", "-q"]);
    let input = fs::File::open(folder.path().join("x.csv")).unwrap();
    assert!(piped.stdin(input).status().unwrap().success());
    let found = fs::read_to_string(folder.path().join("piped.csv")).unwrap();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
    ndarray_npy::write_npy(folder.path().join("x.npy"), &ndarray::array![[1.0], [2.0]]).unwrap();
    let output = finch(&folder, &["x.npy", "--auto"]);
    assert!(text(&output.stderr).contains("--auto is for tables"), "{}", text(&output.stderr));
}
