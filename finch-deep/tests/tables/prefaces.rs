//! Tables behind what instruments, offices and programs write before them, and prints of programs.

use crate::exports::{odd, rows, told};
use crate::*;

#[test]
fn tables_are_found_behind_prefaces() {
    let folder = folder();
    let three = |at: usize| format!("{}.25\t{}.5\t{}", at, odd(at), odd(at + 1));
    for (name, table, words) in [
        (
            "labview.lvm",
            "LabVIEW Measurement\nSeparator\tTab\nChannels\t2\nX0\t0.0\t0.0\t\n***End_of_Header***\t\t\t\nX_Value\tVolts\tAmperes\tComment\n"
                .to_string()
                + &rows(30, three),
            ["30 rows of 4 columns, named by the first line", "numbers: X_Value, Volts, Amperes"],
        ),
        (
            "cast.cnv",
            "* Instrument FileName = C:\\cast1.hex\n* Software Version 7.26\n* System UpLoad Time = Jun 02 2019 11:02:51\n*END*\n"
                .to_string()
                + &rows(30, |at| format!("  {at}.5   {}.25   {}", odd(at), odd(at + 1))),
            ["30 rows of 3 columns, without a header", "below 4 lines"],
        ),
        (
            "report.txt",
            "Peak Report\n\nSample Name:\tmix\tVolume:\t10\nSample Type:\tunknown\tFactor:\t1\n\nName\tTime\tArea\tHeight\tKind\n\tmin\tmAU\t%\t\n"
                .to_string()
                + &rows(30, |at| format!("Acid {at}\t{at}.5\t{}\t{}.5\tMB", odd(at), odd(at + 1))),
            ["30 rows of 5 columns, named by the first line", "numbers: Time, Area, Height"],
        ),
        (
            "series.csv",
            "Title,Prices,Wages\nCDID,D7G7,CZBH\nUnit,%,%\nRelease date,17-04-2024,17-04-2024\n".to_string()
                + &rows(30, |at| format!("{},{}.5,{}", 1990 + at, odd(at), odd(at + 1))),
            ["30 rows of 3 columns, named by the first line", "3 rows below the header have words"],
        ),
        (
            "bank.csv",
            "Booked;Text;Kind;Amount;Balance\n".to_string()
                + &rows(30, |at| format!("{:02}.01.2023;Shop {};Card;{},50;{},25", 1 + at % 28, odd(at), odd(at), odd(at + 3)))
                + "Opening balance;4.321,55\nClosing balance;5.000,10\n",
            ["30 rows of 5 columns", "above 2 lines"],
        ),
    ] {
        let told = told(&folder, name, &table);
        for words in words {
            assert!(told.contains(words), "{name}: {words}\n{told}");
        }
    }
}

#[test]
fn prints_of_programs_are_tables() {
    let folder = folder();
    let drawn = |at: usize| format!("│ {:>3} │ {:>6}.5 │ {:>6} │", at, odd(at), odd(at + 1));
    let page = |page: usize| {
        format!(
            "                 The SAS System      10:32 Monday, March 4, 2019   {page}\n\n    Obs    Height    Weight\n\n"
        )
    };
    let printed = |from: usize| {
        rows(20, |at| {
            format!("    {:>3}    {:>6}    {:>6}", from + at, odd(from + at), odd(from + at + 1))
        })
    };
    let tibble = |at: usize| format!("{:>2} Ost   {:>5}.5 {:>5}", at + 1, odd(at), odd(at + 1));
    for (name, table, words) in [
        (
            "drawn.txt",
            "┌─────┬──────────┬────────┐\n│  id │   height │ weight │\n├─────┼──────────┼────────┤\n".to_string()
                + &rows(30, drawn)
                + "└─────┴──────────┴────────┘\n",
            "30 rows of 5 columns, named by the first line",
        ),
        ("sas.lst", page(1) + &printed(1) + &page(2) + &printed(21), "40 rows of 3 columns, named by the first line"),
        (
            "tibble.txt",
            "# A tibble: 30 × 3\n   place  height weight\n   <chr>   <dbl>  <dbl>\n".to_string()
                + &rows(30, tibble)
                + "# ℹ 334 more rows\n# ℹ Use `print(n = ...)` to see more rows\n",
            "30 rows of 4 columns, named by the first line",
        ),
        (
            "grace.txt",
            "# Created by a program\n@    title \"RMSD\"\n@TYPE xy\n@ s0 legend \"Backbone\"\n".to_string()
                + &rows(30, |at| format!("   0.{at:02}    0.{:04}", odd(at))),
            "30 rows of 2 columns, without a header",
        ),
        (
            "console.txt",
            "> print(d)\n   height weight\n".to_string()
                + &rows(30, |at| format!("{:<3} {:>5}.5 {:>5}", at + 1, odd(at), odd(at + 1))),
            "30 rows of 3 columns, named by the first line",
        ),
    ] {
        let told = told(&folder, name, &table);
        assert!(told.contains(words), "{name}: {words}\n{told}");
    }
}
