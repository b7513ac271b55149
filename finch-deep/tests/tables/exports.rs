//! Tables as instruments, surveys, databases and offices export them.

use crate::remarks::run;
use crate::*;

/// Rows of a table, of their numbers.
pub(crate) fn rows(count: usize, row: impl Fn(usize) -> String) -> String {
    (0..count).map(|at| row(at) + "\n").collect()
}

/// A number without order, from 0 to 96.
pub(crate) fn odd(at: usize) -> usize {
    (at * at * 31 + at * 17) % 97
}

/// The words of `--auto` on a table.
pub(crate) fn told(folder: &TempDir, name: &str, text_of: &str) -> String {
    put(folder, name, text_of);
    let output = finch(folder, &[name, "--auto", "-k", "2"]);
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{name}: {told}");
    told
}

#[test]
fn what_is_above_and_below_a_table_is_no_sample() {
    let folder = folder();
    let sales = |at: usize| format!("R{at},{},{},{}", odd(at), odd(at + 3), odd(at + 7));
    let cells = |at: usize| format!("S{at}.fcs,{}.5,{}", odd(at), odd(at + 1));
    for (name, table, words) in [
        (
            "pairs.csv",
            "Report:,Sales,,\n,,,\nRegion,Q1,Q2,Q3\n".to_string() + &rows(20, sales),
            ["20 rows of 4 columns, named by the first line, below 2 lines", "numbers: Q1, Q2, Q3"],
        ),
        (
            "narrow.csv",
            "Device,ABC\nSerial,123\n\nDay,T,RH\n".to_string()
                + &rows(20, |at| format!("{at},{},{}.1", odd(at), odd(at + 2))),
            ["20 rows of 3 columns, named by the first line, below 3 lines", "Day, T, RH"],
        ),
        (
            "sentence.csv",
            "Sales, returns, and stock by shop\nid,name,x\n".to_string()
                + &rows(20, |at| format!("{at},n{at},{}", odd(at))),
            ["20 rows of 3 columns, named by the first line, below 1 line", "numbers: x"],
        ),
        (
            "note.csv",
            "id,name,x\n".to_string()
                + &rows(20, |at| format!("{at},n{at},{}", odd(at)))
                + "Note: EUR, net, rounded\n",
            ["20 rows of 3 columns", "above 1 line (a total, or a remark)"],
        ),
        (
            "statistics.csv",
            "Sample,A,B\n".to_string() + &rows(20, cells) + "Mean,45.1,50.2\nSD,12.1,17.0\n",
            ["20 rows of 3 columns", "above 2 lines"],
        ),
        // Such words may be names of samples, where no mean is beside them.
        (
            "dogs.csv",
            "Sample,A,B\n".to_string() + &rows(20, cells) + "Max,45.1,50.2\nMode,12.1,17.0\n",
            ["22 rows of 3 columns", "names of the samples: Sample"],
        ),
        // A blank may be behind each comma.
        (
            "blanks.csv",
            "product, price, weight\n".to_string()
                + &rows(20, |at| format!("p{at}, {}, {}", odd(at), odd(at + 1)))
                + "Notebook, 5, 6\n",
            ["21 rows of 3 columns", "names of the samples: product"],
        ),
        // The first sample rises by even steps.
        (
            "steps.csv",
            "0.1,0.2,0.3,0.4\n".to_string()
                + &rows(20, |at| format!("0.{},0.{},0.{},0.5", odd(at), odd(at + 1), odd(at + 2))),
            ["21 rows of 4 columns, without a header", "numbers: "],
        ),
        (
            "max.csv",
            "Sample,A,B\n".to_string() + &rows(20, cells) + "Max,45.1,50.2\n",
            ["21 rows of 3 columns", "names of the samples: Sample"],
        ),
    ] {
        let said = told(&folder, name, &table);
        words.iter().for_each(|words| assert!(said.contains(words), "{name}: {said}"));
    }
}

#[test]
fn strokes_between_rows_are_no_samples() {
    let folder = folder();
    let row = |at: usize| format!("| r{at} | {} | {} |", odd(at), ["a", "b"][odd(at) % 2]);
    let stroke = "+----+-----+---+\n";
    for (name, table) in [
        ("markdown.md", "| id | x | g |\n|:---|---:|:-:|\n".to_string() + &rows(20, row)),
        ("sql.txt", stroke.to_string() + "| id | x | g |\n" + stroke + &rows(20, row) + stroke),
        (
            "below.txt",
            "id     x   g\n-----  --  -\n".to_string()
                + &rows(20, |at| format!("r{at:<4}  {:>2}  {}", odd(at), ["a", "b"][odd(at) % 2]))
                + "(20 rows affected)\n",
        ),
        (
            "rule.txt",
            "id     x   g\n-----  --  -\n".to_string()
                + &rows(20, |at| format!("r{at:<4}  {:>2}  {}", odd(at), ["a", "b"][odd(at) % 2])),
        ),
    ] {
        let said = told(&folder, name, &table);
        for words in
            ["20 rows", "names of the samples: id", "numbers: x", "categories: g (2 words)"]
        {
            assert!(said.contains(words), "{name}: {said}");
        }
    }
}

/// The command of the refusal reads the table as `--auto` does.
#[test]
fn columns_at_fixed_positions_may_have_blanks_within() {
    let folder = folder();
    let letters = ["A", "B", "C"];
    let row =
        |at: usize| format!("Jo {} {:>9} {:>8}", letters[odd(at) % 3], odd(at), 100 * odd(at + 1));
    let table = "Name       Age   Income\n".to_string() + &rows(24, row);
    let said = told(&folder, "fixed.txt", &table);
    for words in ["24 rows of 3 columns", "fields apart by blanks", "Age, Income", "Name (3 words)"]
    {
        assert!(said.contains(words), "{said}");
    }
    let refusal = finch(&folder, &["fixed.txt"]);
    assert_eq!(refusal.status.code(), Some(1));
    let refusal = text(&refusal.stderr);
    let line = refusal.lines().find(|line| line.contains("--delimiter aligned")).expect(&refusal);
    let line = line.trim().trim_start_matches("finch ").replace('\'', "");
    assert_eq!(run(&folder, &(line + " -q --out long.csv")).status.code(), Some(0));
    let auto = run(&folder, "cluster fixed.txt --auto -q --out auto.csv");
    assert_eq!(auto.status.code(), Some(0));
    let [long, auto] =
        ["long.csv", "auto.csv"].map(|name| fs::read(folder.path().join(name)).unwrap());
    assert_eq!(long, auto);
    put(&folder, "prose.txt", "a b\nc\nd e f\n");
    let output = run(&folder, "cluster prose.txt --delimiter aligned");
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no columns are at fixed positions"), "{output:?}");
}

#[test]
fn numbers_that_stand_for_missing_values_are_taken_or_told() {
    let folder = folder();
    let at_times = |at: usize, number: &str, other: String| match at % 17 {
        3 | 11 => number.to_string(),
        _ => other,
    };
    let answer = |at: usize| (1 + odd(at) % 5).to_string();
    let number = |at: usize| (odd(at) as f64 / 10.0).to_string();
    for (name, table, words) in [
        (
            "air.csv",
            "co,t\n".to_string()
                + &rows(60, |at| {
                    let [co, t] = [number(at), number(at + 1)].map(|one| at_times(at, "-200", one));
                    format!("{co},{t}")
                }),
            "\"-200\" taken as missing",
        ),
        (
            "survey.csv",
            "id,q\n".to_string()
                + &rows(60, |at| format!("r{at}x,{}", at_times(at, "99", answer(at)))),
            "\"99\" taken as missing",
        ),
        (
            "logger.csv",
            "id,t\n".to_string()
                + &rows(60, |at| format!("r{at}x,{}", at_times(at, "1e+20", number(at)))),
            "taken as missing",
        ),
        // Levels of an experiment, two prices, and two counts.
        (
            "levels.csv",
            "a,b,y\n".to_string()
                + &rows(36, |at| {
                    format!(
                        "{},{},{}",
                        10 * (at % 3) as i64 - 10,
                        10 * (at / 3 % 3) as i64 - 10,
                        number(at)
                    )
                }),
            "numbers: a, b, y",
        ),
        (
            "counts.csv",
            "id,items,x\n".to_string()
                + &rows(60, |at| {
                    format!(
                        "r{at}x,{},{}",
                        if at % 40 == 7 { "99".into() } else { answer(at) },
                        number(at)
                    )
                }),
            "numbers: items, x",
        ),
        // Another column has the number, too.
        (
            "both.csv",
            "age,q\n".to_string()
                + &rows(60, |at| format!("{},{}", 70 + at % 30, at_times(at, "99", answer(at)))),
            "column \"q\" has 99, unlike all other values: --missing-word=99 takes it as missing",
        ),
        (
            "open.csv",
            "x,until\n".to_string()
                + &rows(60, |at| {
                    let day = format!("2020-03-{:02}", 1 + at % 28);
                    format!("{},{}", number(at), at_times(at, "9999-12-31", day))
                }),
            "\"9999-12-31\" taken as missing",
        ),
    ] {
        let said = told(&folder, name, &table);
        assert!(said.contains(words), "{name}: {said}");
    }
}

#[test]
fn keys_of_other_tables_are_not_compared_by_size() {
    let folder = folder();
    let row = |at: usize| {
        format!("{},{},{},{}", odd(at), 17_850 + odd(at) % 31, 1 + odd(at) % 3, odd(at + 5))
    };
    let said = told(
        &folder,
        "orders.csv",
        &("quantity,CustomerID,storeid,price\n".to_string() + &rows(80, row)),
    );
    for words in [
        "left out: CustomerID (a key, whose numbers repeat)",
        "numbers: quantity, price",
        "categories: storeid (3 words, numbers of a key)",
    ] {
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn numbers_name_columns_beside_names_of_rows() {
    let folder = folder();
    let of = |count: usize| {
        rows(30, |at| {
            let values: Vec<String> = (0..count).map(|one| odd(at + one).to_string()).collect();
            format!("s{at},{}", values.join(","))
        })
    };
    for (name, header, count) in
        [("year.csv", "Country,2019\n", 1), ("waves.csv", "sample,400.0,400.5,401.0,401.5\n", 4)]
    {
        let said = told(&folder, name, &(header.to_string() + &of(count)));
        assert!(said.contains("30 rows") && said.contains("named by the first line"), "{said}");
    }
    let table = "2015,2016,2017\n".to_string()
        + &rows(30, |at| format!("{},{},{}", odd(at), odd(at + 1), odd(at + 2)));
    assert!(told(&folder, "years.csv", &table).contains("numbers: 2015, 2016, 2017"));
}

#[test]
fn numbers_as_people_write_them_have_units_ranks_and_fractions() {
    let folder = folder();
    let header = "name,distance,rank,size,amount,took,race,height,until\n";
    let row = |at: usize| {
        let n = odd(at);
        let distance = if at.is_multiple_of(3) { format!("{n}.5 km") } else { format!("{n} m") };
        let side = ["CR", "DR"][at % 2];
        let race = if at.is_multiple_of(2) {
            format!("1:{:02}.25", n % 60)
        } else {
            format!("{:02}.75", n % 60)
        };
        format!(
            "n{at},{distance},{}th,{}½,{n}.50 {side},{} days 02:59:49,{race},\"{}'{}\"\"\",23h{:02}",
            n + 20,
            n % 9,
            n % 4,
            5 + n % 2,
            n % 12,
            n % 60
        )
    };
    let said = told(&folder, "written.csv", &(header.to_string() + &rows(40, row)));
    let numbers = said.lines().find(|line| line.contains("numbers:")).expect(&said);
    for name in
        ["distance (", "rank (", "size (", "amount (", "took (", "race (", "height (", "until ("]
    {
        assert!(numbers.contains(name), "{name}: {said}");
    }
    assert!(numbers.contains(" km\" as ") && numbers.contains("00 m)"), "{said}");
}

/// Spanish without a letter that Windows-1250 has elsewhere in any word is read as Spanish.
#[test]
fn short_texts_of_windows_1252_keep_their_letters() {
    let folder = folder();
    let mut table = b"A\xf1o,Se\xf1al,x\n".to_vec();
    for at in 0..20 {
        table.extend(format!("{},{},{}\n", 1990 + at, odd(at), odd(at + 1)).bytes());
    }
    fs::write(folder.path().join("es.csv"), table).unwrap();
    let output = finch(&folder, &["es.csv", "--auto", "-k", "2"]);
    let said = text(&output.stderr);
    assert!(said.contains("Año") && said.contains("numbers: Señal, x"), "{said}");
}

#[test]
fn pages_show_dates_and_words_of_an_order_as_such() {
    let folder = folder();
    let sizes = ["low", "medium", "high"];
    let table = "day,size,took,x\n".to_string()
        + &rows(60, |at| {
            let late = at % 2;
            format!(
                "20{}-03-{:02},{},{:02}:30,{}",
                10 + 10 * late,
                1 + at % 28,
                sizes[2 * late],
                1 + 9 * late,
                odd(at) + 900 * late
            )
        });
    put(&folder, "days.csv", &table);
    let output = finch(&folder, &["days.csv", "--auto", "-k", "2", "--report", "p.html", "-q"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let page = fs::read_to_string(folder.path().join("p.html")).unwrap();
    for words in ["2010-03-", "2020-03-", "1.50 hours", "10.50 hours"] {
        assert!(page.contains(words), "{words}");
    }
}

#[test]
fn features_of_one_name_keep_their_own_differences() {
    let folder = folder();
    let table = "r,Rate,Rate\n".to_string()
        + &rows(30, |at| {
            let far = if at > 15 { 5 } else { 0 };
            format!("r{at},{}.{},{}.{}", 1 + far, at % 10, 9 - far, at % 7)
        });
    put(&folder, "two.csv", &table);
    let output = run(&folder, "describe two.csv -k 2");
    let said = text(&output.stdout);
    assert!(said.contains("Rate +1.9") && said.contains("Rate -1.9"), "{said}");
}

/// The model of a table with a title reads the next such table, and so does one of columns at fixed positions.
#[test]
fn a_model_reads_tables_that_are_laid_out_as_its_own() {
    let folder = folder();
    let row = |at: usize| format!("R{at},{},{}", odd(at), odd(at + 3));
    let fixed = |at: usize| format!("Jo {} {:>9} {:>8}", ["A", "B"][at % 2], odd(at), odd(at + 1));
    for (name, table, plain) in [
        (
            "titled.csv",
            "Report of March,,\n\nRegion,Q1,Q2\n".to_string() + &rows(30, row) + "Total,9,9\n",
            "Region,Q1,Q2\n".to_string() + &rows(30, row),
        ),
        (
            "fixed.txt",
            "Name       Age   Income\n".to_string() + &rows(30, fixed),
            "Name,Age,Income\n".to_string()
                + &rows(30, |at| format!("Jo {},{},{}", ["A", "B"][at % 2], odd(at), odd(at + 1))),
        ),
    ] {
        put(&folder, name, &table);
        put(&folder, "plain.csv", &plain);
        let fitted = run(&folder, &format!("cluster {name} --auto -q -k 3 --model m --force"));
        assert_eq!(fitted.status.code(), Some(0), "{name}: {fitted:?}");
        let [own, other] = [name, "plain.csv"].map(|name| {
            let output = run(&folder, &format!("predict m {name} --out -"));
            assert_eq!(output.status.code(), Some(0), "{name}: {output:?}");
            text(&output.stdout)
        });
        assert_eq!(own, other, "{name}");
        assert_eq!(own.lines().count(), 31, "{name}: {own}");
    }
}

#[test]
fn odd_texts_are_refused_and_end_no_process() {
    let folder = folder();
    let days = "1 day ".repeat(60_000);
    put(
        &folder,
        "days.csv",
        format!("t,x\n{days}01:00,1\n2 days 03:00,2\n3 days 01:00,3\n4 days 01:00,4\n"),
    );
    put(&folder, "strokes.txt", "# ---\n\"\"\n1\n2\n3\n");
    // A row whose values are all missing is a row.
    put(&folder, "missing.tsv", "a\tb\n1\t2\n---\t---\n3\t4\n9\t9\n8\t9\n");
    for (line, rows) in [
        ("cluster days.csv --auto -k 2 --out l.csv --force", 4),
        ("cluster strokes.txt --delimiter tab --missing drop --out l.csv --force", 4),
        ("cluster missing.tsv --auto --missing drop -k 2 --out l.csv --force", 5),
    ] {
        let output = run(&folder, line);
        assert!(matches!(output.status.code(), Some(0 | 1)), "{line}: {output:?}");
        let labels = fs::read_to_string(folder.path().join("l.csv")).unwrap_or_default();
        assert!(
            output.status.code() == Some(1) || labels.lines().count() == 1 + rows,
            "{line}: {labels}"
        );
    }
}
