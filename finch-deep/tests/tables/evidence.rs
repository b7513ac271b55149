//! Tables whose decimal sign, encoding, line ends, delimiter, dates and missing values one column tells, and another
//! does not.

use crate::remarks::run;
use crate::*;

/// A name, a content, the samples that `--auto` finds, words that it says, and true if a plain reading is refused.
type Table = (&'static str, &'static [u8], usize, &'static [&'static str], bool);

const TABLES: &[Table] = &[
    (
        "thousands.csv",
        b"n;people;rate\na;1.250;3,5\nb;980;3,1\nc;35.958;9,5\nd;89.974;9,1\ne;512;3,3\nf;40.100;9,9\n",
        6,
        &["semicolons, commas before decimals", "people (\"35.958\" as 35958), rate\n"],
        true,
    ),
    (
        "decimals.csv",
        b"x;v\n1,5;0,445\n2,5;0,123\n7,5;0,981\n8,5;0,911\n",
        4,
        &["commas before decimals", "numbers: x, v\n"],
        true,
    ),
    (
        "doubt.csv",
        b"x;v\n1;1.445\n2;2.123\n7;7.981\n8;7.911\n",
        4,
        &["v (\"1.445\" as 1.445, unless points are between thousands: --decimal comma)"],
        false,
    ),
    (
        "points.csv",
        b"x;v;w\n1,5;1.445;0.5\n2,5;2.123;0.25\n7,5;7.981;0.75\n8,5;7.911;0.5\n",
        4,
        &["numbers: x (\"1,5\" as 1.5), v, w\n"],
        true,
    ),
    (
        "western.csv",
        b"x;c;p\n1,5;K\xf6ln;\xa31,50\n1,7;K\xe5ln;\xa31,70\n9,5;Bonn;\xa39,50\n9,6;Bonn;\xa39,20\n1,4;K\xf6ln;\xa31,10\n\
          9,1;K\xe5ln;\xa39,90\n",
        6,
        &["c (3 words)", "p (\"\u{a3}1,50\" as 1.5)", "the text is no UTF-8, and is read as windows-1252"],
        true,
    ),
    ("returns.csv", b"\"a\",\"b\"\r\"1\",\"2\"\r\"2\",\"3\"\r\"8\",\"9\"\r", 3, &["numbers: a, b\n"], false),
    (
        "sentinel.csv",
        b"a;b;c\n20,1;1;9 kg\n-999;2;8 kg\n21,5;1;-999\n22,1;2;7 kg\n-999;1;-999\n20,9;2;6 kg\n",
        6,
        &["a (2 missing), b, c (\"9 kg\" as 9, 2 missing)", "\"-999\" taken as missing"],
        true,
    ),
    (
        "cyrillic.csv",
        b"\xe3\xee\xf0\xee\xe4;x\n\xcc\xee\xf1\xea\xe2\xe0;1\n\xca\xe0\xe7\xe0\xed\xfc;2\n\xcc\xee\xf1\xea\xe2\xe0;9\n\
          \xca\xe0\xe7\xe0\xed\xfc;8\n",
        4,
        &["\u{433}\u{43e}\u{440}\u{43e}\u{434} (2 words)", "the text is no UTF-8, and is read as windows-1251"],
        true,
    ),
    (
        "variants.vcf.txt",
        b"##fileformat=VCFv4\n##source=x\n#CHROM\tPOS\tQUAL\n1\t100\t50.5\n1\t250\t51\n2\t900\t10\n2\t950\t11\n",
        4,
        &["named by the first line", "numbers: CHROM, POS, QUAL\n"],
        false,
    ),
    (
        "savetxt.txt",
        b"# width,height\n1.5,2\n1.6,2.5\n9,8\n9.5,8.5\n",
        4,
        &["named by the first line", "numbers: width, height\n"],
        false,
    ),
    (
        "subtotals.csv",
        b"shop,sold\nTotal,60\na,10\nb,11\nNorth Total,21\nc,19\nd,20\n",
        6,
        &["there is sample 0 (from 0), called \"Total\" and 1 more like it: if they are sums"],
        false,
    ),
    (
        "boxes.csv",
        b"n,pool,stars\n1.5,x,4/5\n1.6,,3/5\n9.5,x,5/5\n9.25,,1/5\n1.25,x,4/5\n8.5,,2/5\n8.75,,1/5\n",
        7,
        &["pool (\"x\" or nothing, 4 missing)", "stars (\"4/5\" as 4)"],
        true,
    ),
    (
        "sensor.csv",
        b"Time,Temp,Pressure\n,degC,hPa\n2023-05-01 00:00:00,20.5,1000\n2023-05-01 00:10:00,20.7,1001\n\
         2023-05-01 00:20:00,35.5,1010\n2023-05-01 00:30:00,35.9,1011\n2023-05-01 00:40:00,36.1,1010\n\
         2023-05-01 00:50:00,36.5,1010\n2023-05-01 01:00:00,36.2,1012\n2023-05-01 01:10:00,36.3,1009\n\
         2023-05-01 01:20:00,36.4,1010\n2023-05-01 01:30:00,36.6,1013\n2023-05-01 01:40:00,36.8,1008\n",
        11,
        &["1 row below the header has words where others have numbers, and is left out"],
        false,
    ),
    (
        "country.csv",
        "place,people,rate\nEngland,60,1.5\nA,10,1.25\nB,11,1.5\nC,9,9.5\nD,16,9.25\nE,14,8.5\n".as_bytes(),
        6,
        &["sample 0 (from 0) has the sums of all others: delete its row if it is no sample"],
        false,
    ),
    (
        "short.csv",
        b"a,b,note,d\n1,2,x\n1,3,y,7\n2,2,x\n9,8,y,5\n9,9,y\n8,9,x,6\n8,8,y\n9,8,x,5\n",
        8,
        &["4 rows filled up at the end", "note (2 words)"],
        true,
    ),
    (
        "cars.csv",
        b"car,use,seats\nMaruti Swift Dzire VDI BS IV Long,23.4 kmpl,5\nHonda City ZX VTi AT Petrol 2010,26.6 km/kg,4\n\
          Hyundai i20 Sportz Diesel 1400 x,19.7 kmpl,5\nTata Indigo CR4 Turbo Long Name y,17.3 km/kg,7\n",
        4,
        &["left out: car (text), use (numbers that could not be read)"],
        true,
    ),
    (
        "jobs.csv",
        "id,years,\u{6708}\u{6536}\na1,10+ years,7.1\u{4e07}\na2,< 1 year,8652\na3,2 years,9100\na4,1 year,6.5\u{4e07}\na5,10+ years,7000\n".as_bytes(),
        5,
        &["years (\"< 1 year\" as 1: 1 is the end of a range)"],
        true,
    ),
    (
        "marked.csv",
        b"#a,missing,b\n-999,2,3\n4,5,missing\n6,7,8\n5,4,3\n2,2,9\n-999,1,1\n",
        6,
        &["6 rows of 3 columns, named by the first line", "a (2 missing), missing, b (1 missing)"],
        true,
    ),
    (
        "colours.json",
        b"[[\"green\",\"oval\"],[\"blue\",\"square\"],[\"blue\",\"square\"],[\"red\",\"square\"],[\"blue\",\"round\"],\
          [\"green\",\"oval\"]]",
        6,
        &["6 rows of 2 columns, without a header"],
        true,
    ),
    (
        "falling.csv",
        b"Country,2021,2020,2019\nA,18,40,55\nB,17,41,50\nC,90,95,99\nD,91,96,98\n",
        4,
        &["named by the first line", "numbers: 2021, 2020, 2019\n"],
        false,
    ),
    (
        "year.csv",
        b"name;2015;colour\nAnn;13;red\nBob;7;blue\nCat;6;red\nDan;2;blue\nEve;5;red\nFay;3;blue\n",
        6,
        &["named by the first line", "numbers: 2015\n"],
        true,
    ),
    (
        "years.csv",
        b"2015,region,2016,kind\n10.5,N,5.5,a\n11.5,S,7.5,b\n10.1,N,5.1,a\n90.5,S,40.5,b\n91.5,N,41.5,a\n",
        5,
        &["named by the first line", "numbers: 2015, 2016\n"],
        true,
    ),
    (
        "numbered.csv",
        b"#;weight;segment\n0;15;train\n1;39;bus\n2;-39;train\n3;-10;bus\n4;12;bus\n5;33;train\n",
        6,
        &["named by the first line", "left out: # (numbers the rows)", "numbers: weight\n"],
        true,
    ),
    (
        "titled.txt",
        b"Report of sales\nAll shops 2023\n\nRegion Income Kind Size\nN 1.5 a 3\nS 2.5 b 4\nN 1.7 a 3.5\nS 2.9 b 4.5\n\
          N 1.1 a 3.1\nS 2.2 b 4.4\nN 1.6 a 3.6\nS 2.1 b 4.7\nN 1.9 a 3.9\nS 2.8 b 4.8\n",
        10,
        &["named by the first line, fields apart by blanks, below 3 lines", "numbers: Income, Size\n"],
        true,
    ),
    (
        "blanks.csv",
        b"n, price\n1, 1.234\n2, 5.678\n3, 2.125\n4, 7.250\n5, 3.375\n6, 1.500\n",
        6,
        &["6 rows of 2 columns, named by the first line\n", "numbers: price\n"],
        false,
    ),
    (
        "laps.csv",
        b"lap1,lap2,lap3\n58s,61s,59s\n57s,60s,55s\n51s,60s,59s\n58s,63s,59s\n58s,61s,52s\n",
        5,
        &["numbers: lap1 (\"58s\" as 58)"],
        true,
    ),
    (
        "groups_of_two.csv",
        b"class,x,y\nstd,1,2\nexp,3,4\nstd,5,7\nexp,2,3\nstd,9,9\nexp,1,1\nstd,4,4\n",
        7,
        &["7 rows of 3 columns, named by the first line\n", "class (2 words)"],
        true,
    ),
    (
        "wages.csv",
        b"alice,teacher,1800\nbob,nurse,900\ncarol,nurse,700\ndan,cook,800\neve,cook,950\nfay,nurse,650\n",
        6,
        &["6 rows of 3 columns, without a header\n"],
        true,
    ),
    (
        "hours.csv",
        b"Sample,0h,1h,2h\nA,18,40,55\nB,17,41,50\nC,90,95,99\nD,91,96,98\n",
        4,
        &["named by the first line", "numbers: 0h, 1h, 2h\n"],
        false,
    ),
    (
        "flags.tsv",
        b"geo\tv\nAT\t12.3 p\nBE\t11.5\nCZ\t40.1 b\nDE\t41.2\nFR\t12.8\nIT\t13.9*\n",
        6,
        &["numbers: v (\"12.3 p\" as 12.3)"],
        true,
    ),
    (
        "stops.csv",
        b"fare,stops\n100,non-stop\n120,1 stop\n90,non-stop\n300,2 stops\n310,2 stops\n130,1 stop\n95,non-stop\n\
          320,2 stops\n",
        8,
        &["stops (3 words)"],
        true,
    ),
    (
        "unknown.csv",
        b"price;region\n2.5;N\nunbekannt;S\n7.5;N\n3.2;S\n9.9;unbekannt\n1.1;S\n4.4;N\n8.6;S\n",
        8,
        &["numbers: price (1 missing)", "region (2 words, 1 missing)"],
        true,
    ),
    (
        "groups.csv",
        b"no,city,price\n1,Rome,10\n2,Rome,21\n3,Rome,7\n,Total Rome,38\n4,Bari,5\n5,Bari,9\n6,Bari,33\n,Total Bari,47\n",
        8,
        &["there is sample 3 (from 0), called \"Total Rome\" and 1 more like it"],
        true,
    ),
    (
        "spaced.csv",
        b"item, price, city\nx1, \"32,8\", Roma\nx2, \"141,5\", Roma\nx3, \"-12,2\", Bari\nx4, \"7,1\", Bari\n\
          x5, \"3,7\", Roma\nx6, \"55,4\", Bari\n",
        6,
        &["named by the first line", "numbers: price (\"141,5\" as 141.5)"],
        true,
    ),
    (
        "commas.csv",
        "# nazwa;poziom;koszt\nAla;niski;44,45\nOla;wysoki;11,40\nEla;niski;40,63\nUla;wysoki;17,68\nIga;niski;22,27\n\
         Ewa;wysoki;76,37\n".as_bytes(),
        6,
        &["named by the first line, fields apart by semicolons", "koszt"],
        true,
    ),
    (
        "ended.csv",
        b"#id,city,cost\nX1,Roma,20.5,\nX7,Bari,7.1,\nX4,Roma,22.9,\nX9,Bari,3.3,\nX2,Bari,8.1,\nX5,Roma,12.7,\n",
        6,
        &["named by the first line", "numbers: cost\n"],
        true,
    ),
    (
        "usgs.txt",
        b"# data\nagency\tsite\tdatetime\tflow\n5s\t15s\t20d\t14n\nU\t01\t2020-01-01\t5.5\nU\t02\t2020-01-02\t6.5\n\
          U\t01\t2020-01-03\t9.5\nU\t02\t2020-01-04\t9.1\n",
        4,
        &["1 row below the header has words"],
        true,
    ),
    (
        "races.csv",
        b"runner,time,seen\nA,45:30,2023/03/12 9:41:22 AM GMT+1\nB,1:02:33,2023/03/12 9:42:22 AM GMT+1\n\
          C,58:12,2023/04/12 9:41:22 AM GMT+1\nD,59:12,2023/04/15 9:41:22 AM GMT+1\n",
        4,
        &["as 1.043 hours", "dates: seen"],
        true,
    ),
    (
        "answer.json",
        b"{\"count\": 4, \"results\": [{\"n\": 1}, {\"n\": 2}, {\"n\": 8}, {\"n\": 9}], \"next\": null}",
        4,
        &["numbers: n\n", "the records of \"results\" are read, and not \"count\" and 1 more"],
        false,
    ),
    (
        "genes.csv",
        b"Geneid,a,b\nENSG0001.1,5,1\nENSG0002.1,7,0\nENSG0003.2,0,1\nENSG0004.9,0,0\nENSG0005.1,2,0\nENSG0006.1,0,0\n",
        6,
        &["names of the samples: Geneid", "numbers: a, b\n"],
        false,
    ),
    (
        "films.csv",
        b"film;took;seen\nA;2h 22m;05JAN2020\nB;58m;06JAN2020\nC;2h;01MAR2021\nD;1h 55m;02MAR2021\n",
        4,
        &["took (\"2h 22m\" as 2.367 hours)", "seen (\"05JAN2020\" as 2020-01-05)"],
        true,
    ),
    (
        "bars.csv",
        b"net load|w|k\n1,5|50|a\n1,7|44|a\n9,5|41|b\n9,6|48|b\n",
        4,
        &["fields apart by |, commas before decimals", "numbers: net load, w\n"],
        true,
    ),
    (
        "titled.csv",
        b"Data, batch 7\n\nrec;a;b\nr1;1,5;20,3\nr2;2,7;21,4\nr3;8,7;31,4\nr4;9,7;32,4\n",
        4,
        &["fields apart by semicolons, below 2 lines, commas before decimals", "numbers: a, b\n"],
        true,
    ),
    (
        "quoted.txt",
        b"\"id\" \"len\" \"sp\"\n\"1\" 5.1 \"set osa\"\n\"2\" 4.9 \"virg\"\n\"3\" 7.1 \"virg\"\n\"4\" 7.2 \"set osa\"\n",
        4,
        &["fields apart by blanks", "numbers: len\n", "sp (2 words)"],
        true,
    ),
    (
        "autos.data",
        b"18.0   8   307.0\t\"chevrolet chevelle\"\n15.0   8   350.0\t\"buick skylark 320\"\n\
          24.0   4   113.0\t\"toyota corona\"\n22.0   6   198.0\t\"plymouth duster\"\n",
        4,
        &["4 columns, without a header, fields apart by blanks", "names of the samples: column 3"],
        true,
    ),
    (
        "days.csv",
        b"day,b\n20230101,5.1\n20230202,4.2\n20230303,9.2\n20240229,8.2\n",
        4,
        &["numbers: b\n", "dates: day (\"20230101\" as 2023-01-01)"],
        false,
    ),
    (
        "joined.csv",
        b"st,t\nox,1.5\ndu,2.5\nst,t\nox,1.7\ndu,2.8\nox,1.1\n",
        5,
        &["named by the first line", "numbers: t\n", "1 row repeats the header, and is left out"],
        true,
    ),
    (
        "codes.csv",
        b"code,qty\n85123A,3\n71053B,1\n22752,2\n84029G,8\n21730,9\n",
        5,
        &["names of the samples: code", "numbers: qty\n"],
        true,
    ),
    (
        "rare.csv",
        b"a,b\n1,\n2,\n3,\n7,\n8,\n9,4\n1,\n7,\n2,\n8,\n9,6\n3,\n",
        12,
        &["left out: b (10 of 12 missing)", "numbers: a\n"],
        true,
    ),
    (
        "log.csv",
        b"time,user,action\n2020-01-05 10:00,ann,open\n2020-01-05 11:00,bob,close\n2020-01-06 10:00,ann,open\n",
        3,
        &["3 columns, named by the first line\n", "dates: time", "user (2 words), action (2 words)"],
        true,
    ),
    (
        "regions.csv",
        b"nom;zone;score\na;nord;3,0\nb;sud;10,1\nc;nord;2,5\nd;sud;9,7\ne;nord;3,2\nf;sud;9,9\n",
        6,
        &["fields apart by semicolons, commas before decimals", "zone (2 words)", "numbers: score\n"],
        true,
    ),
    (
        "units.tsv",
        b"pay\tdist\n950K\t500m\n1200K\t1500m\n800K\t700m\n1500K\t2000m\n",
        4,
        &["pay (\"1200K\" as 1200000)", "dist (\"1500m\" as 1500)"],
        true,
    ),
    (
        "lists.csv",
        b"p,m\n5.340,\"2,7\"\n5.100,\"1,3\"\n9.200,\"2,4\"\n9.800,\"4,7\"\n",
        4,
        &["p (\"5.340\" as 5.340, unless points are between thousands: --decimal comma)"],
        true,
    ),
    (
        "departments.csv",
        b"dep,pop\n01,5\n02,6\n2A,7\n2B,9\n75,30\n13,33\n",
        6,
        &["names of the samples: dep", "numbers: pop\n"],
        true,
    ),
    (
        "sites.csv",
        b"site,v\n001,1.5\n002,2.5\n003,7.5\n001,1.7\n002,2.2\n003,7.9\n",
        6,
        &["numbers: v\n", "categories: site (3 words)"],
        false,
    ),
    (
        "limits.csv",
        b"Pb,z\n<0.5,1\n<0.5,2\n>100,9\n11.25,3\n12,2\n14,8\n10.5,1\n",
        7,
        &["Pb (\"<0.5\" as 0.5: 3 are ends of ranges), z\n"],
        true,
    ),
    (
        "nines.csv",
        b"a,b\n9999.9,1\n12.1,2\n13.5,3\n9999.9,8\n11.2,9\n12.9,7\n",
        6,
        &["a (2 missing), b\n", "\"9999.9\" taken as missing"],
        false,
    ),
    (
        "laboratory.csv",
        b"As,q\n1.5,1\n<LOD,2\n3.5,1\n4.5,2\n<LOD,1\n2.25,2\n",
        6,
        &["As (2 missing), q\n", "\"<LOD\" taken as missing"],
        true,
    ),
    (
        "itogo.csv",
        "x,n\na,1\nb,2\nc,8\nd,9\n\u{418}\u{442}\u{43e}\u{433}\u{43e},20\n".as_bytes(),
        4,
        &["above 1 line (a total, or a remark)", "numbers: n\n"],
        false,
    ),
    (
        "pipes.txt",
        b"\"New \"\"big\"\" York\" 5.1 a\n\"5 \\\" pipe\" 4.9 b\n\"x y\" 7.1 a\n\"z\" 7.2 b\n",
        4,
        &["3 columns, without a header, fields apart by blanks", "column 2 (from 0) (2 words)"],
        true,
    ),
    (
        "records.jsonl",
        b"{\"id\":\"a\",\"u\":{\"x\":1}}\n{\"id\":\"b\",\"u\":{\"x\":2}}\n{\"id\":\"c\",\"u\":{\"x\":9}}\n",
        3,
        &["names of the samples: id", "numbers: u.x\n"],
        false,
    ),
];

#[test]
fn what_one_column_tells_holds_for_all() {
    for &(name, content, samples, words, is_refused) in TABLES {
        let folder = folder();
        put(&folder, name, content);
        let output = run(&folder, &format!("cluster {name} --auto --json"));
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(0), "{name}: {told}");
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(found["samples"], samples, "{name}: {told}");
        for words in words {
            assert!(told.contains(words), "{name}: {words:?} is not in {told}");
        }
        // The long command of the refusal reads the table in the same way.
        let output = run(&folder, &format!("cluster {name} --json -q"));
        assert_eq!(output.status.success(), !is_refused, "{name}: {}", text(&output.stderr));
        let refused = text(&output.stderr);
        let Some(long) = refused.split("every choice in sight:\n  finch ").nth(1) else { continue };
        let program = Path::new(env!("CARGO_BIN_EXE_finch")).display();
        let mut shell = Command::new("sh");
        let output = shell.arg("-c").arg(format!("{program} {long}")).current_dir(folder.path());
        let output = output.output().unwrap();
        let by_choices: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!(by_choices["partitions"], found["partitions"], "{name}: {long}");
    }
}

/// A model reads new rows as it read those that it was made of.
#[test]
fn a_model_keeps_the_decimal_sign_that_a_table_told() {
    let folder = folder();
    let [(name, content, ..), ..] = TABLES else { unreachable!("there are tables") };
    put(&folder, name, content);
    let made = run(&folder, &format!("cluster {name} --auto -k 2 --model m.finch -q"));
    assert!(made.status.success(), "{}", text(&made.stderr));
    // Of these rows alone nobody could tell.
    put(&folder, "new.csv", "n;people;rate\ng;1.100;3,2\nh;89.000;9,3\n");
    let predicted = run(&folder, "predict m.finch new.csv -q -o new-labels.csv");
    assert!(predicted.status.success(), "{}", text(&predicted.stderr));
    let labels = fs::read_to_string(folder.path().join("new-labels.csv")).unwrap();
    let distance = |line: &str| line.split(',').nth(2).unwrap().parse::<f64>().unwrap();
    assert!(labels.lines().skip(1).all(|line| distance(line) < 0.5), "{labels}");
}

/// Boxes that few ticked tell samples apart, however numbers are scaled.
#[test]
fn boxes_tell_under_every_scale() {
    let folder = folder();
    put(&folder, "b.csv", "a,b\n1,x\n1,x\n1,x\n1,\n1,\n1,\n1,x\n");
    for scale in ["none", "zscore", "robust", "mixed", "minmax"] {
        let options = format!("--categorical b --missing median --standardize {scale}");
        let output = run(&folder, &format!("cluster b.csv {options} -k 2 --json -q"));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap();
        let sizes = [&found["requested"]["largest"], &found["requested"]["smallest"]];
        assert_eq!(sizes, [4, 3], "{scale}: {found}");
    }
}

/// A line behind `#` that names the columns is the header, whatever an option says of values.
#[test]
fn a_header_behind_a_mark_names_columns_without_auto() {
    let folder = folder();
    put(&folder, "m.csv", "# price,size\n1,2\n2,2\n8,9\n9,9\n");
    for options in ["-q", "--numeric 1", "--missing-word price", "--select size"] {
        let output = run(&folder, &format!("cluster m.csv {options} --json"));
        let found: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        assert_eq!(found["samples"], 4, "{options}: {}", text(&output.stderr));
    }
}

/// Many answers of a service have the same fields beside their records.
#[test]
fn fields_beside_the_records_are_told_once() {
    let folder = folder();
    for name in ["a.json", "b.json", "c.json"] {
        put(
            &folder,
            name,
            "{\"count\": 2, \"results\": [{\"n\": 1, \"m\": 3}, {\"n\": 9, \"m\": 8}]}",
        );
    }
    let output = run(&folder, "cluster a.json b.json c.json");
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert_eq!(told.matches("the records of \"results\" are read").count(), 1, "{told}");
}
