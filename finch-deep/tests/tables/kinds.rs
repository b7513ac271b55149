//! Tables as other programs write them: UCI's `.data`, R's `write.csv`, pandas' `to_csv`, Excel's export with
//! semicolons, and ARFF.

use crate::remarks::run;
use crate::*;

/// A name, a content, the samples and features that `--auto` finds, and words that it says.
type Kind = (&'static str, &'static str, usize, usize, &'static [&'static str]);

const KINDS: &[Kind] = &[
    (
        "flowers.data",
        "5.1,3.5,?,0.2,Iris-setosa\n4.9,3.0,1.4,0.2,Iris-setosa\n4.7,?,1.3,0.2,Iris-setosa\n\
         7.0,3.2,4.7,1.4,Iris-versicolor\n6.4,3.2,4.5,1.5,Iris-versicolor\n6.9,3.1,4.9,?,Iris-versicolor\n\
         6.3,3.3,6.0,2.5,Iris-virginica\n5.8,2.7,5.1,1.9,Iris-virginica\n",
        8,
        7,
        &["without a header", "column 4 (from 0) (3 words)", "(1 missing)"],
    ),
    (
        "cars.csv",
        "\"\",\"mpg\",\"cyl\",\"gear\"\n\"Mazda RX4\",21,6,4\n\"Datsun 710\",22.8,4,4\n\
         \"Hornet 4 Drive\",21.4,6,NA\n\"Valiant\",18.1,6,3\n\"Duster 360\",14.3,8,3\n",
        5,
        3,
        &["names of the samples: column 0 (from 0)", "gear (1 missing)"],
    ),
    (
        "frame.csv",
        ",age,income,city\n0,23,1200.5,Rome\n1,45,,Paris\n2,31,3000.0,Rome\n3,52,4100.0,Paris\n\
         4,29,1500.0,Oslo\n5,41,3900.0,Rome\n",
        6,
        5,
        &["left out: column 0 (from 0) (numbers the rows)", "income (1 missing)", "city (3 words)"],
    ),
    (
        "export.csv",
        "\u{feff}Kunde;Umsatz;Datum;Anteil\r\nA1;1.234,50;05.01.2024;12 %\r\nA2;99,00;17.02.2024;3 %\r\n\
         A3;2.500,00;28.02.2024;44 %\r\nA4;10,5;01.03.2024;5 %\r\nA5;1.900,00;02.03.2024;38 %\r\n",
        5,
        3,
        &["names of the samples: Kunde", "Umsatz (\"1.234,50\" as 1234.5)", "as 2024-01-05"],
    ),
    (
        "weather.arff",
        "% weather\n@relation weather\n@attribute outlook {sunny, overcast, 'very rainy'}\n\
         @attribute temperature numeric\n@attribute windy {TRUE, FALSE}\n@attribute play {yes, no}\n@data\n\
         sunny,85,FALSE,no\nsunny,80,TRUE,no\novercast,83,FALSE,yes\n'very rainy',70,FALSE,yes\n\
         'very rainy',68,FALSE,yes\n'very rainy',?,TRUE,no\n",
        6,
        6,
        &["outlook (3 words)", "temperature (1 missing)", "true or false: windy, play"],
    ),
    (
        "periods.csv",
        "period,week,month,sold\n2018Q1,2020-W01,Jan-10,5\n2018Q2,2020-W02,Feb-10,6\n2018Q3,2020-W03,Mar-10,50\n\
         2018Q4,2020-W04,Apr-10,52\n",
        4,
        4,
        &["period (\"2018Q1\" as 2018-01-01)", "as 2019-12-30", "month (\"Jan-10\" as 2010-01-01)"],
    ),
    (
        "communes.csv",
        "Commune;Population;Cr\u{e9}\u{e9}e le\nA;12\u{202f}000;1 janvier 1900\nB;13\u{202f}500;14 juillet 1920\n\
         C;45\u{202f}200;3 ao\u{fb}t 1950\nD;47\u{202f}000;9 f\u{e9}vrier 1960\n",
        4,
        2,
        &["as 12000", "(\"14 juillet 1920\" as 1920-07-14)"],
    ),
    (
        "stations.csv",
        "station;latitude;longitude\nA;45\u{b0}30'15\"N;5\u{b0}20'E\nB;46\u{b0}00'00\"N;6\u{b0}40'W\n\
         C;10.5\u{b0} S;60\u{b0}00'E\nD;11.5\u{b0} S;61\u{b0}30'E\n",
        4,
        2,
        &["latitude (\"45\u{b0}30'15\\\"N\" as 45.5042 degrees)", "degrees"],
    ),
    (
        "lab.csv",
        "sample;As;Pb\nA;<0,5;2,0 \u{b1} 0,2\nB;0,7;2,5 \u{b1} 0,2\nC;8,25;9,0 \u{b1} 0,4\nD;9,5;9,5 \u{b1} 0,4\n",
        4,
        2,
        &["As (\"<0,5\" as 0.5: 1 is the end of a range)", "as 2"],
    ),
    (
        "stata.tsv",
        "inc\tage\n.a\t20\n1000\t21\n1100\t22\n.b\t25\n9000\t60\n9100\t61\n9050\t65\n",
        7,
        2,
        &["\".a\", \".b\" taken as missing", "inc (2 missing)"],
    ),
    (
        "survey.csv",
        "Start,Q1,Q2,Q3\nWhen?,How old are you?,From 0 to 10,Which plan?\n{Import: s},{Import: Q1},{Import: Q2},{Import: Q3}\n\
         2024-04-01,28,5,basic\n2024-04-02,31,6,basic\n2024-04-03,60,1,plus\n2024-04-04,65,2,plus\n2024-04-05,66,1,plus\n",
        5,
        5,
        &["2 rows below the header have words where others have numbers", "Q3 (2 words)"],
    ),
    (
        "spectra.csv",
        "Probe;400,0;402,0;404,0;406,0\nA;0,25;0,5;0,75;0,125\nB;0,26;0,55;0,7;0,12\nC;0,95;0,1;0,2;0,9\n",
        3,
        4,
        &["numbers: 400,0, 402,0, 404,0, 406,0\n", "names of the samples: Probe"],
    ),
    (
        "decades.csv",
        "Country,Code,1960,1990,2000,2023\nA,AA,1.5,2,3,4\nB,BB,1.25,2.5,3.5,4.5\nC,CC,10,20,30,40\nD,DD,11,22,33,44\n",
        4,
        4,
        &["numbers: 1960, 1990, 2000, 2023\n"],
    ),
    (
        "nested.csv",
        ",,2019,2019,2020,2020\nregion,kind,births,deaths,births,deaths\nA,town,10,20,11,21\nB,town,12,22,12,20\n\
         C,land,100,90,110,95\nD,land,101,91,112,96\n",
        4,
        6,
        &[
            "below 1 line",
            "numbers: births, deaths, births, deaths",
            "names of the samples: region",
        ],
    ),
];

#[test]
fn tables_of_other_programs_are_read_by_auto() {
    for (name, content, samples, features, words) in KINDS {
        let folder = folder();
        put(&folder, name, content);
        let output = run(&folder, &format!("cluster {name} --auto --json"));
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {told}");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["samples"], *samples, "{name}");
        assert_eq!(found["features"], *features, "{name}");
        for words in *words {
            assert!(told.contains(words), "{name}: {words:?} is not in {told}");
        }
        // The same is said in the JSON of other commands.
        for command in ["suggest", "describe"] {
            let output = run(&folder, &format!("{command} {name} --auto --json -q"));
            let other: Value = serde_json::from_slice(&output.stdout).unwrap();
            assert_eq!(other["prepared"], found["prepared"], "{command} {name}");
        }
        // Without it, the refusal says how.
        let output = run(&folder, &format!("cluster {name}"));
        assert_eq!(output.status.code(), Some(1), "{name}");
        assert!(text(&output.stderr).contains(&format!("finch cluster {name} --auto\n")), "{name}");
    }
}

/// The index of pandas, and row names of R that are numbers, which are numbers among others.
#[test]
fn a_column_that_counts_the_rows_without_a_name_is_told() {
    let folder = folder();
    let rows = |first: usize| -> String {
        (0..6)
            .map(|row| format!("{},{}.5,{}\n", row + first, row % 2 * 50 + row, row * row % 5))
            .collect()
    };
    put(&folder, "pandas.csv", format!(",x,y\n{}", rows(0)));
    put(&folder, "r.csv", format!("\"\",\"x\",\"y\"\n{}", rows(1)));
    put(&folder, "named.csv", format!("n,x,y\n{}", rows(0)));
    put(&folder, "bare.csv", rows(1));
    for (name, is_told) in
        [("pandas.csv", true), ("r.csv", true), ("named.csv", false), ("bare.csv", false)]
    {
        let told = text(&run(&folder, &format!("cluster {name}")).stderr);
        let words = "column 0 (from 0) looks like an id, since it has no name and numbers the rows: --exclude 0";
        assert_eq!(told.contains(words), is_told, "{name}: {told}");
    }
}
