//! The logarithm of 1 + x, for columns of counts and amounts, most of which are small.

use super::elements::{Array, Elements};

/// A value below 0, of which no logarithm is taken.
#[derive(Debug, PartialEq)]
pub(in crate::data) struct Negative {
    pub(in crate::data) row: usize,
    pub(in crate::data) column: usize,
    pub(in crate::data) value: f64,
}

/// Puts the logarithm in place of each value of these features, in an array of row after row of floats. Missing
/// values stay so.
pub(in crate::data) fn take_logarithms(array: &mut Array, logged: &[bool]) -> Result<(), Negative> {
    match &mut array.elements {
        Elements::F64(values) => take(values, logged, |x| x, |x| x),
        Elements::F32(values) => take(values, logged, f64::from, |x| x as f32),
        Elements::U8(_) => unreachable!("scaled values are floats"),
    }
}

/// Puts the logarithm in place of each value, of all features.
pub(in crate::data) fn take<T: Copy>(
    values: &mut [T],
    logged: &[bool],
    wide: fn(T) -> f64,
    narrow: fn(f64) -> T,
) -> Result<(), Negative> {
    for (row, values) in values.chunks_exact_mut(logged.len().max(1)).enumerate() {
        for (column, value) in values.iter_mut().enumerate().filter(|&(column, _)| logged[column]) {
            let x = wide(*value);
            if x < 0.0 {
                return Err(Negative { row, column, value: x });
            }
            *value = narrow(x.ln_1p());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn logarithms_of_some_columns() {
        let mut values = [0.0, 5.0, 3.0, -2.0, f64::NAN, 1.0];
        take(&mut values, &[true, false], |x| x, |x| x).unwrap();
        assert_eq!(values[..4], [0.0, 5.0, 4.0_f64.ln(), -2.0]);
        assert!(values[4].is_nan());
        let negative = take(&mut values, &[false, true], |x| x, |x| x).unwrap_err();
        assert_eq!(negative, Negative { row: 1, column: 1, value: -2.0 });
    }
}
