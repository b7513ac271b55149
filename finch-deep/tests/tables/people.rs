//! Tables as people keep them: read at the first command by `--auto`, and refused in one message without it.

use std::fs;
use std::process::{Command, Stdio};

use finch_deep::data::{self, ReadOptions};
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
    assert!(told.contains("column \"size\": \"gigantic\" is no number"), "{told}");
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
        &["without a header", "column 0 (from 0) (\"$3.50\" as 3.5)"],
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
        &["3 rows of 3 columns, named", "names of the samples: column 0 (from 0)"],
    ),
    (
        "index.csv",
        ",a,b\n0,1,2\n1,3,4\n2,9,9\n",
        &["left out: column 0 (from 0) (numbers the rows)"],
    ),
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
        ("not.csv", "a,b\n$1,2\nhm,4\n", &["--numeric", "a"], 1, "line 3, column \"a\": \"hm\""),
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
    let mut piped = command(&folder, &["-", "--auto", "-o", "piped.csv", "-q"]);
    let input = fs::File::open(folder.path().join("x.csv")).unwrap();
    assert!(piped.stdin(input).status().unwrap().success());
    let found = fs::read_to_string(folder.path().join("piped.csv")).unwrap();
    assert_eq!(found.lines().collect::<Vec<_>>(), expected);
    ndarray_npy::write_npy(folder.path().join("x.npy"), &ndarray::array![[1.0], [2.0]]).unwrap();
    let output = finch(&folder, &["x.npy", "--auto"]);
    assert!(text(&output.stderr).contains("--auto is for tables"), "{}", text(&output.stderr));
}

/// Lines below a table: of several files as many, and of a remark that is quoted each.
#[test]
fn lines_below_a_table_are_counted() {
    let folder = folder();
    put(&folder, "a.csv", "shop,a,b\nx,1,2\ny,3,5\nz,9,9\nTotal,13,16\n");
    put(&folder, "b.csv", "shop,a,b\nu,1,2\nv,3,5\nw,9,9\n");
    let output = finch(&folder, &["a.csv", "b.csv", "--auto"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{told}");
    let said = "b.csv: 0 lines above the table and 0 below it, and 0 above and 1 below it in a.csv";
    assert!(told.contains(said), "{told}");
    put(&folder, "b.csv", "Shops of May\n\nshop,a,b\nu,1,2\nv,3,5\nw,9,9\nTotal,13,16\n");
    let told = text(&finch(&folder, &["a.csv", "b.csv", "--auto"]).stderr);
    assert!(told.contains("b.csv: 2 lines above the table and 1 below it, and 0 above"), "{told}");
    let remark = "\"Note: some rows\nare estimates of the office\n\nand no counts\",,\n";
    put(&folder, "a.csv", format!("shop,a,b\nx,1,2\ny,3,5\nz,9,9\n{remark}"));
    let told = text(&finch(&folder, &["a.csv", "--auto"]).stderr);
    let said = ["3 rows of 3 columns", "above 3 lines"];
    assert!(said.iter().all(|said| told.contains(said)), "{told}");
    // Of a long table, the first bytes and the last are looked at.
    let rows: String = (0..90_000).map(|at| format!("s{at},{},1\n", at % 97)).collect();
    put(&folder, "a.csv", format!("shop,a,b\n{rows}{remark}"));
    let told = text(&finch(&folder, &["a.csv", "--auto", "--names", "shop", "-k", "2"]).stderr);
    let said = ["90000 rows of 3 columns", "above 3 lines"];
    assert!(said.iter().all(|said| told.contains(said)), "{told}");
}

/// The delimiter is that of the same bytes in a file, however a pipe hands them on.
#[test]
fn a_slow_pipe_has_the_same_delimiter() {
    let folder = folder();
    let pipe = "(printf 'Annual income\\n1'; sleep 0.3; printf '5\\n16\\n81\\n80\\n')";
    let output = shell(&folder, &format!("{pipe} | finch cluster - --format csv --json"));
    let told = text(&output.stderr);
    assert!(output.status.success(), "{told}");
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&found["samples"], &found["features"]), (&4.into(), &1.into()), "{told}");
}

/// A column that an option names is looked for with `--auto`, too, and the option holds.
#[test]
fn given_options_hold_with_auto() {
    let folder = folder();
    put(&folder, "x.csv", customers());
    for (arguments, code, said) in [
        (["--exclude", "spnt"], 1, "did you mean \"spent\"?"),
        (["--names", "nme"], 1, "did you mean \"name\"?"),
        (["--numeric", "sise"], 1, "did you mean \"size\"?"),
        (["--select", "spent,shar"], 1, "did you mean \"share\"?"),
        (["--categorical", "plam"], 1, "did you mean \"plan\"?"),
        (["--exclude", "9"], 1, "there is no column 9 (from 0)"),
        (["--numeric", "remark"], 1, "is no number, date or time"),
        (["--numeric", "size"], 0, "size (small < medium < large)"),
        (["--select", "id,spent"], 0, "numbers: id, spent (\"€ 1.000,50\" as 1000.5, 1 missing)"),
        (["--exclude", "spent,5"], 0, "spent (as you said), plan (as you said)"),
        (["--names", "id"], 0, "names of the samples: id"),
    ] {
        let output = finch(&folder, &[&["x.csv", "--auto"], &arguments[..]].concat());
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(code), "{arguments:?}: {told}");
        assert!(told.contains(said), "{arguments:?}: {said:?} is not in {told}");
    }
}

/// A number among the words of missing values is meant in all ways of writing it.
#[test]
fn missing_numbers_are_compared_as_numbers() {
    let folder = folder();
    put(&folder, "x.csv", "a,b\n1,2\n-999.0,3\n2,-9.99e2\n9,9\n-998,4\n");
    let arguments = ["x.csv", "--missing-word=-999", "--missing", "drop", "--json"];
    let output = finch(&folder, &arguments);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["samples"], 3, "{}", text(&output.stderr));
    // Found in one column, and written otherwise in another.
    put(&folder, "x.csv", "a,b\n1,2\n-999,3\n2,-999.0\n9,9\n-999,4\n3,-999.0\n");
    let told = text(&finch(&folder, &["x.csv", "--auto"]).stderr);
    assert!(told.contains("numbers: a (2 missing), b (2 missing)"), "{told}");
}

/// Unknown words of a column of numbers are missing values, unless they are categories of another column, or
/// many.
#[test]
fn a_stray_word_takes_no_category_away() {
    let folder = folder();
    let row = |at: usize| {
        let a = if at == 7 { "Red".into() } else { format!("{}", at * at) };
        format!("{a},{},{at}.5\n", ["red", "blue"][at % 2])
    };
    put(&folder, "x.csv", "a,color,c\n".to_string() + &(0..30).map(row).collect::<String>());
    let told = text(&finch(&folder, &["x.csv", "--auto"]).stderr);
    assert!(told.contains("categories: color (2 words)"), "{told}");
    assert!(!told.contains("taken as missing"), "{told}");
    let row = |at: usize| match at {
        ..8 => format!("odd{at},{at}\n"),
        _ => format!("{},{at}\n", at % 90),
    };
    put(&folder, "x.csv", "a,b\n".to_string() + &(0..200).map(row).collect::<String>());
    let told = text(&finch(&folder, &["x.csv", "--auto"]).stderr);
    assert!(
        !told.contains("taken as missing") && told.contains("left out: a (98 different words)"),
        "{told}"
    );
}

/// The first rows are looked at with the words of missing values in mind.
#[test]
fn missing_words_are_known_in_the_first_rows() {
    let folder = folder();
    let rows = "unknown,1\n".repeat(150) + &"7,2\n".repeat(50);
    put(&folder, "x.csv", format!("a,b\n{rows}"));
    let further = ["--missing-word", "unknown", "--missing", "mean"];
    let output = finch(&folder, &[&["x.csv"], &further[..]].concat());
    let told = text(&output.stderr);
    assert!(output.status.success() && told.contains("150 missing values"), "{told}");
    // Columns of words are those that have words beside the missing ones.
    put(&folder, "x.csv", "a,b\nunknown,1\n3,2\n4,3\n");
    let auto = [&["x.csv", "--categorical", "auto"], &further[..]].concat();
    let output = finch(&folder, &auto);
    let told = text(&output.stderr);
    assert!(output.status.success() && told.contains("1 missing value has"), "{told}");
    // A first row with such a word is a sample.
    put(&folder, "x.csv", "unknown,1\n3,2\n4,3\n");
    let output = finch(&folder, &[&["x.csv", "--json"], &further[..]].concat());
    let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    assert_eq!(found["samples"], 3, "{}", text(&output.stderr));
}

/// A comma before decimals that is given is not in doubt.
#[test]
fn the_decimal_comma_holds_for_written_numbers() {
    let folder = folder();
    for (content, arguments, said) in [
        ("a;b\n€ 1.299;2\n€ 2.500;3\n", &["--auto"][..], "a (\"€ 1.299\" as 1299)"),
        ("a;b\n€ 1.299;2\n€ 2.500;3\n", &["--numeric", "a"], "\"€ 1.299\" as 1299\n"),
        ("a;b\n1.299;2\n2.500;3\n", &["--numeric", "a"], "\"1.299\" as 1299\n"),
        ("a;b\n1.299;2\n2.500,5;3\n", &["--auto"], "a (\"2.500,5\" as 2500.5)"),
    ] {
        put(&folder, "x.csv", content);
        let output = finch(&folder, &[&["x.csv", "--decimal", "comma"], arguments].concat());
        let told = text(&output.stderr);
        assert!(output.status.success() && told.contains(said), "{arguments:?}: {told}");
    }
}

/// The commands of a refusal work whatever columns are called, and whatever was given.
#[test]
fn advised_commands_take_odd_names_and_given_options() {
    let folder = folder();
    let row = |at: usize| {
        let words = [["u", "v"], ["no1", "yes1"], ["k", "l"]].map(|two| two[at % 2]);
        let gap = if at == 3 { String::new() } else { format!("{}", at % 2 * 40 + at) };
        format!("{},${}.5,{gap}\n", words.join(","), at % 2 * 9)
    };
    let rows: String = (0..24).map(row).collect();
    put(&folder, "x.csv", format!("-x,auto,\"b,c\",v,w\n{rows}"));
    let given = ["--standardize=none", "--skip", "0", "--missing-word", ""];
    let output = finch(&folder, &[&["x.csv", "--json", "--with-labels"], &given[..]].concat());
    let told = text(&output.stderr);
    let commands = commands(&told);
    assert_eq!((output.status.code(), commands.len()), (Some(1), 2), "{told}");
    let labels = commands.iter().map(|line| {
        let output = shell(&folder, line);
        assert!(output.status.success(), "{line}: {}", text(&output.stderr));
        serde_json::from_slice::<Value>(&output.stdout).unwrap()["labels"].clone()
    });
    let labels: Vec<Value> = labels.collect();
    assert_eq!(labels[0], labels[1], "{commands:?}");
    // An option that is given holds, though it says what is so without it.
    let given = ["x.csv", "--auto", "--standardize", "none", "--missing", "mean"];
    let told = text(&finch(&folder, &given).stderr);
    assert!(told.contains("the mean stands for missing numbers; nothing is scaled"), "{told}");
    let told = text(&finch(&folder, &["x.csv", "--auto", "--missing", "error"]).stderr);
    assert!(
        told.contains("column \"w\": the value is missing") && !told.contains("sight"),
        "{told}"
    );
    // A numeric column that is no number leaves no command that works.
    let output =
        finch(&folder, &["x.csv", "--numeric", "0", "--exclude", "1,2,3", "--missing", "mean"]);
    let told = text(&output.stderr);
    assert!(told.contains("is no number") && !told.contains("To read it so"), "{told}");
}

/// A recipe tells how a table is read: there is nothing to choose.
#[test]
fn a_recipe_gets_no_advice() {
    let folder = folder();
    let table = customers();
    put(&folder, "x.csv", &table);
    put(&folder, "odd.csv", table.replace("€ 1.000,50", "many"));
    let [path, odd] = ["x.csv", "odd.csv"].map(|name| folder.path().join(name));
    let mut options = ReadOptions::default();
    (options.auto, options.advise) = (true, true);
    let input = data::read(&[path], &options).unwrap();
    options.recipe = Some(input.recipe(&options));
    options.auto = false;
    let error = data::read(std::slice::from_ref(&odd), &options).unwrap_err();
    assert!(error.advice.is_none() && error.to_string().contains("many"), "{error}");
    options.recipe = None;
    assert!(data::read(&[odd], &options).unwrap_err().advice.is_some());
}

/// Units that differ are told, and not called words.
#[test]
fn mixed_units_are_told() {
    let folder = folder();
    for (content, said) in [
        (
            "w,b\n1 kg,2\n2 lb,3\n5 kg,9\n",
            "line 3, column \"w\": \"2 lb\" has another unit than \"1 kg\" on line 2",
        ),
        (
            "w,b\n5,2\n1 kg,3\n4 kg,1\n2 lb,9\n",
            "line 5, column \"w\": \"2 lb\" has another unit than \"1 kg\" on line 3",
        ),
        ("w,b\n5 kg,2\n12:30,9\n", "line 3, column \"w\": \"12:30\" has another unit than"),
        ("w,b\n5 kg,2\nhm,9\n", "line 3, column \"w\": \"hm\" is no number"),
    ] {
        put(&folder, "x.csv", content);
        let output = finch(&folder, &["x.csv", "--numeric", "w"]);
        let told = text(&output.stderr);
        assert!(output.status.code() == Some(1) && told.contains(said), "{said:?}: {told}");
    }
}

/// The number of a column in a message is the one that options take.
#[test]
fn columns_are_counted_as_options_count_them() {
    let folder = folder();
    for (content, arguments, said) in [
        ("1,2\n3,nan\n5,7\n", &["--no-names"][..], "column 1 (from 0): the value is missing"),
        ("1,2\n3,nan\n5,7\n", &["--exclude", "1"], ""),
        ("1,2\n3,x\n5,7\n", &["--no-header"], "column 1 (from 0): \"x\" is not a number"),
        ("1,2\n3,x\n5,7\n", &["--no-header", "--exclude", "1"], ""),
        ("a,1\n3,4\n5,\n", &["--header"], "column 1 (from 0) called \"1\": the value is missing"),
        ("a,1\n3,4\n5,\n", &["--header", "--exclude", "1"], ""),
        ("a,auto\n3,k\n5,k\n", &[], "compare its words by --categorical 1"),
        ("a,-b\n3,k\n5,k\n", &[], "leave the column out by --exclude 1"),
    ] {
        put(&folder, "x.csv", content);
        let output = finch(&folder, &[&["x.csv"], arguments].concat());
        let told = text(&output.stderr);
        assert_eq!(output.status.success(), said.is_empty(), "{content:?} {arguments:?}: {told}");
        assert!(told.contains(said), "{content:?}: {told}");
    }
}
