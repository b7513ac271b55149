//! Text that is read in blocks by several threads, against its definition: line by line, field by
//! field.

use std::fmt::Write;

use finch_deep::data::{self, Fault, Missing, ReadOptions};
use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};

use crate::{folder, put, values};

/// How a number may be written: its text, and what it reads as.
fn field(random: &mut Xoshiro256PlusPlus) -> String {
    let value: f64 = random.random_range(-1e3..1e3);
    match random.random_range(0..8) {
        0 => format!("{value:e}"),
        1 => format!("{}", value as i64),
        2 => format!("  {value:.3} "),
        3 => format!("{value:.20}"),
        4 => format!("+{:.1}", value.abs()),
        _ => format!("{value}"),
    }
}

#[test]
fn blocks_by_definition() {
    let folder = folder();
    let mut random = Xoshiro256PlusPlus::seed_from_u64(7);
    // Rows of several blocks, which are a mebibyte each.
    let (rows, columns) = (60_000, 5);
    for (delimiter, quoted, gaps, end) in [
        (',', false, false, "\n"),
        (',', true, true, "\n"),
        ('\t', false, true, "\r\n"),
        (' ', false, false, "\n"),
    ] {
        let (mut text, mut expected, mut lines) = (String::new(), Vec::new(), Vec::new());
        let mut line = 1;
        for row in 0..rows {
            if row % 977 == 5 {
                text.push_str(end); // A blank line.
                line += 1;
            }
            lines.push(line);
            for column in 0..columns {
                if column > 0 {
                    text.push(delimiter);
                }
                // The missing values of the first rows would decide what is a column of names.
                let missing = gaps && row > 200 && random.random_range(0..50) == 0;
                let written = if missing { "NA".to_string() } else { field(&mut random) };
                let value = if missing { f64::NAN } else { written.trim().parse().unwrap() };
                expected.push(value);
                match quoted && random.random_range(0..20) == 0 {
                    true => write!(text, "\"{written}\"").unwrap(),
                    false => text.push_str(&written),
                }
            }
            if quoted {
                // A column beside, over two lines.
                write!(text, "{delimiter}\"of row {row}{end}and \"\"on\"\"\"").unwrap();
                line += 1;
            }
            text.push_str(end);
            line += 1;
        }
        assert!(text.len() > 3 << 20, "{}", text.len());
        let path = put(&folder, "x.csv", &text);
        for threads in [1, 2, 5] {
            let mut options = ReadOptions::default();
            options.threads = Some(threads);
            if quoted {
                options.exclude = vec![data::Column::Index(columns)];
            }
            // Fills, so that the rows stay: with the number that stands for a gap here.
            options.missing = Some(Missing::Mean);
            let input = data::read(&[&path], &options).unwrap();
            let found = values(&input);
            assert_eq!(found.dim(), (rows, columns));
            let pairs = found.iter().zip(&expected);
            assert!(pairs.clone().all(|(found, value)| value.is_nan() || found == value));
            for row in [0, 4, 5, 6, 977, rows / 2, rows - 1] {
                assert_eq!(input.line(row), Some((&*path, lines[row])), "row {row}");
            }
            options.missing = Some(Missing::Drop);
            let input = data::read(&[&path], &options).unwrap();
            let whole = |row: &&[f64]| !row.iter().any(|value| value.is_nan());
            let kept: Vec<f64> =
                expected.chunks(columns).filter(whole).flatten().copied().collect();
            assert_eq!(values(&input).iter().copied().collect::<Vec<_>>(), kept);
            let last =
                (0..rows).rev().find(|row| whole(&&expected[row * columns..(row + 1) * columns]));
            assert_eq!(input.line(input.samples() - 1).map(|at| at.1), last.map(|row| lines[row]));
        }
    }
}

/// The fault of the first line at fault, whatever the threads.
#[test]
fn the_first_fault_is_told() {
    let folder = folder();
    let good = "1.5,2.25\n".repeat(400_000);
    for (wrong, at) in [("1\n", "ragged"), ("x,1\n", "word"), ("1,1e999\n", "infinite")] {
        let text = format!("{good}{wrong}{good}1,2,3\n");
        let path = put(&folder, "x.csv", text);
        for threads in [1, 3] {
            let mut options = ReadOptions::default();
            options.threads = Some(threads);
            let fault = data::read(&[&path], &options).expect_err("a fault").fault;
            let line = match fault {
                Fault::Ragged { line, .. } | Fault::NotANumber { line, .. } => line,
                Fault::Infinite { line, .. } => line,
                other => panic!("{other}"),
            };
            assert_eq!(line, 400_001, "{at}");
        }
    }
}

/// Means, medians and scales beside their definitions, on arrays and on text.
#[test]
fn missing_values_and_scales_by_definition() {
    let folder = folder();
    let text = put(&folder, "x.csv", "1,10\n2,\n6,40\n,10\n");
    let nan = f64::NAN;
    let array = ndarray::array![[1., 10.], [2., nan], [6., 40.], [nan, 10.]];
    let binary = folder.path().join("x.npy");
    ndarray_npy::write_npy(&binary, &array).unwrap();
    for path in [&text, &binary] {
        let prepared = |missing, standardize| {
            let mut options = ReadOptions::default();
            (options.missing, options.standardize) = (Some(missing), Some(standardize));
            let input = data::read(&[path], &options).unwrap();
            let dropped: Vec<usize> = input.dropped().iter().map(|dropped| dropped.row).collect();
            (values(&input), dropped)
        };
        use data::Standardize::{Minmax, None, Zscore};
        let (found, dropped) = prepared(Missing::Drop, None);
        assert_eq!((found, dropped), (ndarray::array![[1., 10.], [6., 40.]], vec![1, 3]));
        let (found, dropped) = prepared(Missing::Mean, None);
        let filled = ndarray::array![[1., 10.], [2., 20.], [6., 40.], [3., 10.]];
        assert_eq!((found, dropped), (filled, vec![]));
        let (found, _) = prepared(Missing::Median, None);
        assert_eq!(found, ndarray::array![[1., 10.], [2., 10.], [6., 40.], [2., 10.]]);
        let (found, _) = prepared(Missing::Mean, Minmax);
        let third = 10. / 30.;
        assert_eq!(found, ndarray::array![[0., 0.], [0.2, third], [1., 1.], [0.4, 0.]]);
        let (found, _) = prepared(Missing::Mean, Zscore);
        for column in found.columns() {
            assert!(column.sum().abs() < 1e-12 && (column.dot(&column) - 4.).abs() < 1e-12);
        }
    }
}
