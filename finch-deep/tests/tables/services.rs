//! Tables as services, loggers and counters of genes write them: other tables above, legends below, quotes of tweets.

use crate::exports::{odd, rows, told};
use crate::*;

#[test]
fn other_tables_above_and_legends_below_are_no_samples() {
    let folder = folder();
    let weather = |at: usize| format!("2023-05-{:02},{}.5,{}", 1 + at, odd(at), odd(at + 1));
    let people = |at: usize| format!("Province {at},{},{}", odd(at), odd(at + 5));
    for (name, table, words) in [
        (
            "weather.csv",
            "latitude,longitude,zone\n52.5,13.4,GMT\n\ntime,rain,wind\n".to_string()
                + &rows(20, weather),
            ["20 rows of 3 columns, named by the first line, below 3 lines", "numbers: rain, wind"],
        ),
        (
            "watch.csv",
            "Name,Sport,Calories,Day\nAnn,RUNNING,512,12-05-2023\nTime,HR,Speed,\n".to_string()
                + &rows(20, |at| format!("00:00:{:02},{},{}.5,", at, odd(at), odd(at + 2))),
            ["20 rows of 4 columns, named by the first line, below 2 lines", "HR, Speed"],
        ),
        (
            "logger.dat",
            "\"TOA5\",\"CR1000\",\"1234\",\"Std.31\",\"Table1\"\n\"TIMESTAMP\",\"T\",\"RH\"\n\"TS\",\"Deg C\",\"%\"\n\"\",\"Avg\",\"Smp\"\n"
                .to_string()
                + &rows(20, |at| format!("\"2023-05-01 {:02}:00:00\",{}.5,{}", at, odd(at), odd(at + 1))),
            ["20 rows of 3 columns, named by the first line, below 1 line", "numbers: T, RH"],
        ),
        (
            "office.csv",
            "Geography,2021 total,2022 total\n".to_string()
                + &rows(20, people)
                + "\nSymbol legend:\n\"E\",\"use with caution\"\n\"F\",\"too unreliable\"\n\nFootnotes:\n1,\"Final up to 2020.\"\n",
            ["20 rows of 3 columns", "above 5 lines"],
        ),
        (
            "counts.txt",
            rows(20, |at| format!("ENSG{at}\t{}", odd(at)))
                + "__no_feature\t345\n__ambiguous\t12\n__not_aligned\t0\n",
            ["20 rows of 2 columns", "above 3 lines"],
        ),
        (
            "total.csv",
            "Month,Sales,Cost\n".to_string()
                + &rows(24, |at| format!("M{at},{},{}", odd(at), odd(at + 1)))
                + ",1200,900\n",
            ["24 rows of 3 columns", "above 1 line"],
        ),
        (
            "frame.txt",
            format!("{:>16}  {:>9}  {:>4}\n", "species", "island", "mass")
                + &rows(12, |at| format!("{at:<2}  {:>12}  {:>9}  {:>4}", ["Chin strap", "Gentoo"][at % 2], "Dream", 1000 + odd(at)))
                + "\n[12 rows x 3 columns]\n",
            ["12 rows of 4 columns", "numbers: mass"],
        ),
        (
            "dashes.tsv",
            "HR\tVmag\tB-V\n----\t-----\t-----\n".to_string()
                + &rows(20, |at| format!("{at}\t{}.5\t0.{}", odd(at), odd(at + 1))),
            ["20 rows of 3 columns, named by the first line", "numbers: Vmag, B-V"],
        ),
        (
            "survey.csv",
            "ID,Start,How likely?,App,Comment\n,,Response,App,Open-Ended Response\n".to_string()
                + &rows(20, |at| format!("{},2023-05-{:02},{},App,ok", 100 + at * 37, 1 + at, odd(at) % 11)),
            ["20 rows of 5 columns", "numbers: How likely?"],
        ),
        (
            "years.csv",
            "Country,2020-12-31,2021-12-31\n".to_string()
                + &rows(20, |at| match at {
                    7 => "C7,..,..".into(),
                    at => format!("C{at},{},{}", odd(at), odd(at + 1)),
                }),
            ["20 rows of 3 columns, named by the first line", "numbers: 2020-12-31"],
        ),
    ] {
        let told = told(&folder, name, &table);
        words.iter().for_each(|words| assert!(told.contains(words), "{name}: {told}"));
    }
}

#[test]
fn a_quote_that_no_tab_ends_is_a_character() {
    let folder = folder();
    let of = |at: usize, text: &str| format!("{at}\t{text}\t{}\t{}", odd(at), odd(at + 1));
    // A last field, too, and a field of two lines between them.
    let tweets = "id\ttext\tlikes\tstars\n".to_string()
        + &rows(20, |at| match at {
            3 => of(at, "\"Great product"),
            8 => of(at, "\"two\nlines\""),
            11 => of(at, "\"so-called\" news"),
            15 => of(at, "\"\"quoted\"\" and \"more"),
            at => of(at, &format!("text {at}")),
        })
        + "20\tlast\t5\t\"7\n";
    put(&folder, "tweets.tsv", &tweets);
    let line = "cluster tweets.tsv --select likes --append -o out.csv --quiet";
    let output = crate::remarks::run(&folder, line);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    for words in ["\"\"\"Great product\"", "two\nlines", "so-called", "last,5,\"\"\"7\""] {
        assert!(table.contains(words), "{words}: {table}");
    }
    assert_eq!(table.lines().count(), 1 + 21 + 1, "{table}");
    // Through blocks of rows, as long files are read, it is the same.
    let long = "a\tb\tx\n".to_string()
        + &rows(60_000, |at| {
            format!("{at}\t{}\t{}", if at % 5 == 0 { "\"open" } else { "shut" }, odd(at))
        });
    put(&folder, "long.tsv", &long);
    let output = finch(&folder, &["long.tsv", "--select", "x", "--json"]);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["samples"], 60_000, "{}", text(&output.stderr));
}

#[test]
fn cells_of_sheets_keep_their_tabs_and_lines() {
    let folder = folder();
    let long = "line\n".repeat(3_000);
    let sheet =
        "id\ttext\tx\n1\t\"a\tb\"\t0.1\n2\t\"two\nlines\"\t0.2\n3\t\"\"\"so\"\" it is\"\t0.3\n"
            .to_string()
            + &format!("4\t\"{long}\"\t0.4\n5\tplain\t9.5\n6\t\"last\"\t9.6\n");
    put(&folder, "sheet.tsv", sheet);
    // One quote of many lines without a tab is looked for once.
    put(
        &folder,
        "alone.tsv",
        "x\n".to_string()
            + &rows(40_000, |at| if at % 3 == 0 { "\"7".into() } else { odd(at).to_string() }),
    );
    let line = "cluster sheet.tsv --select x --append -o out.csv --quiet";
    let output = crate::remarks::run(&folder, line);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let table = fs::read_to_string(folder.path().join("out.csv")).unwrap();
    for words in ["a\tb,0.1", "\"two\nlines\",0.2", "\"\"\"so\"\" it is\",0.3", "last,9.6"] {
        assert!(table.contains(words), "{words}: {table}");
    }
    let told = text(&finch(&folder, &["alone.tsv", "--delimiter", "tab"]).stderr);
    assert!(told.contains("is not a number"), "{told}");
}

#[test]
fn rows_that_look_like_remarks_are_samples() {
    let folder = folder();
    let few = |at: usize| format!("C{at},{},x", 1000 + odd(at));
    let words = "City,pop,note\n".to_string();
    for (name, table, count) in [
        ("missing.csv", words.clone() + "Aachen,250000,\nBerlin,n/a,\n" + &rows(30, few), 32),
        ("unnamed.csv", words.clone() + &rows(30, few) + ",1005,x\n", 31),
        (
            "sensor.csv",
            "temp,hum,press\n".to_string()
                + &rows(30, |at| format!("{},{}.5,{}", odd(at), odd(at + 1), odd(at + 2)))
                + ",955.5,913.1\n",
            31,
        ),
        (
            "short.csv",
            "name,x,y,z\n".to_string()
                + &rows(30, |at| format!("N{at},{},{},1", odd(at), odd(at + 1)))
                + "\n"
                + &rows(10, |at| format!("M{at},{},{}", odd(at), odd(at + 1))),
            40,
        ),
        (
            "genes.csv",
            "TOB1,TP53,MYC\n".to_string() + &rows(20, |at| format!("{at},{},3", odd(at))),
            20,
        ),
        (
            "calls.csv",
            "function,calls,share\n".to_string()
                + &rows(20, |at| format!("f{at},{},0.{}", odd(at), odd(at + 1)))
                + "__init__,77,0.2\n__main__,1,0.9\n",
            22,
        ),
        (
            "first.csv",
            "id,city,x\n,Berlin,see note\n".to_string()
                + &rows(30, |at| format!("{at},B{at},{}", odd(at))),
            31,
        ),
        (
            "birds.csv",
            "bird,seen,kind\n".to_string()
                + &rows(20, |at| format!("b{at},{},k", odd(at)))
                + "[Sparrow],12,[rare]\n",
            21,
        ),
    ] {
        let told = told(&folder, name, &table);
        assert!(told.contains(&format!("{count} rows of")), "{name}: {told}");
    }
}

#[test]
fn several_codes_of_missing_values_are_told_each() {
    let folder = folder();
    let of = |at: usize, codes: &[i64], least: usize| match at % 7 {
        1 => codes[0].to_string(),
        4 => codes[1].to_string(),
        _ => (least + odd(at)).to_string(),
    };
    let table = "age,income,score,right\n".to_string()
        + &rows(80, |at| {
            format!(
                "{},{},{},{}",
                of(at, &[-99, -98], 18),
                of(at, &[99_999, 99_998], 1000),
                match at % 9 {
                    2 => -1,
                    5 => -2,
                    _ => 1 + (odd(at) % 4) as i64,
                },
                90 + odd(at) % 10, // Ages up to 99 are no codes.
            )
        });
    let told = told(&folder, "codes.csv", &table);
    for (column, codes) in [("age", ["-99", "-98"]), ("income", ["99999", "99998"])] {
        for code in codes {
            let words = format!("column {column:?} has {code}, unlike");
            assert!(told.contains(&words), "{words}: {told}");
        }
    }
    assert!(!told.contains("column \"right\" has"), "{told}");
    // Differences are below zero, too.
    let goals = "team,goals,other\n".to_string()
        + &rows(60, |at| format!("T{at},{},{}", odd(at) as i64 % 9 - 3, odd(at + 1)));
    let told = self::told(&folder, "goals.csv", &goals);
    assert!(!told.contains("unlike"), "{told}");
}

#[test]
fn scores_are_no_times_and_strokes_end_prices() {
    let folder = folder();
    let table = "club;result;price;km\n".to_string()
        + &rows(30, |at| {
            format!(
                "C{at};{}:{};€ {},-;1.{:03},{}",
                odd(at) % 5,
                odd(at + 1) % 4,
                20 + odd(at),
                100 + at,
                odd(at)
            )
        });
    let told = told(&folder, "prices.csv", &table);
    assert!(!told.contains("hours"), "{told}");
    assert!(told.contains("commas before decimals"), "{told}");
    put(
        &folder,
        "thousands.csv",
        "price\n".to_string() + &rows(12, |at| format!("€ {}.{}79,-", at + 1, at % 10)),
    );
    let line = "cluster thousands.csv --auto -k 2 --json";
    let output = crate::remarks::run(&folder, line);
    let found: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(found["samples"], 12, "{}", text(&output.stderr));
    // Where fields are apart by commas and decimals have them, too, the printed command says both.
    let quoted = "Name,Size,Weight,Class\n".to_string()
        + &rows(24, |at| {
            format!("P{at},\"1,{}\",\"{},5\",{}", 50 + at, odd(at), ["a", "b"][at % 2])
        });
    put(&folder, "quoted.csv", quoted);
    let refused = text(&finch(&folder, &["quoted.csv"]).stderr);
    assert!(
        refused.contains("--delimiter comma") && refused.contains("--decimal comma"),
        "{refused}"
    );
}
