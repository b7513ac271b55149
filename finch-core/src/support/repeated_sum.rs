//! A number that is added many times.

/// Additions that are made one by one.
pub(crate) const FEW: u64 = 8;

/// The sum after `times` additions of the same term, bit for bit as if each were made and rounded, in
/// time that grows with the logarithm of `times`.
///
/// Between two powers of two all numbers are multiples of one unit u. As long as sums stay between
/// them, adding a term moves the sum by the same multiple of u each time, namely the term rounded to
/// u. (Where the term lies halfway between two multiples, the first addition makes the sum even, and
/// the sum stays even from then on.) So many additions are one product, which is a multiple of u
/// below 2⁵³·u, and so exact.
pub(crate) fn added(mut sum: f64, term: f64, mut times: u64) -> f64 {
    while times > FEW {
        let first = sum + term;
        let second = first + term;
        let third = second + term;
        if third == second {
            return third;
        }
        (sum, times) = (third, times - 3);
        let binade = binade(third);
        if [first, second].map(self::binade) != [binade; 2] {
            continue;
        }
        // Differences of numbers between the same powers of two are exact.
        let step = third - second;
        let limit = match (step > 0.0) == (third > 0.0) {
            true => f64::from_bits((binade.exponent + 1) << EXPONENT_SHIFT),
            false => f64::from_bits(binade.exponent << EXPONENT_SHIFT),
        };
        // The quotient may be rounded up to the next whole number: one step less stays within.
        let within = ((limit - third.abs()) / step).abs() as u64;
        let steps = within.saturating_sub(1).min(times);
        sum += steps as f64 * step;
        times -= steps;
    }
    (0..times).fold(sum, |sum, _| sum + term)
}

const EXPONENT_SHIFT: u32 = f64::MANTISSA_DIGITS - 1;

/// The numbers of one sign between two powers of two.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Binade {
    negative: bool,
    /// The exponent as it is stored.
    exponent: u64,
}

fn binade(number: f64) -> Binade {
    let exponent = number.abs().to_bits() >> EXPONENT_SHIFT;
    Binade { negative: number.is_sign_negative(), exponent }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::random::scrambled;

    fn one_by_one(sum: f64, term: f64, times: u64) -> f64 {
        (0..times).fold(sum, |sum, _| sum + term)
    }

    /// Sums that grow, shrink and change their sign, by terms with many digits and with few, of all
    /// sizes beside the sum, halfway between two numbers, and so small that they are lost.
    #[test]
    fn as_if_one_by_one() {
        let mut number = 0;
        let mut random = |below: u64| {
            number += 1;
            scrambled(number) % below
        };
        for trial in 0..6_000 {
            let mantissa = 1.0 + random(1 << 52) as f64 / (1_u64 << 52) as f64;
            let short = 1.0 + random(8) as f64 / 8.0;
            let sign = |bit: u64| if bit == 0 { 1.0 } else { -1.0 };
            let value = if trial % 3 == 0 { short } else { mantissa };
            let sum = sign(random(2)) * (1.0 + random(1 << 52) as f64 / (1_u64 << 52) as f64);
            let sum = if trial % 7 == 0 { 0.0 } else { sum };
            let term = sign(random(2)) * value * 2_f64.powi(random(60) as i32 - 56);
            let scale = [1.0, 1e-308, 1e-300, 1e140][trial % 4];
            let times = random([20, 400, 20_000][trial % 3]);
            let (sum, term) = (sum * scale, term * scale);
            let found = added(sum, term, times);
            let expected = one_by_one(sum, term, times);
            assert_eq!(found.to_bits(), expected.to_bits(), "{sum:e} + {times} · {term:e}");
        }
    }

    #[test]
    fn many_additions() {
        assert_eq!(added(0.0, 1.0, 1 << 52), (1_u64 << 52) as f64);
        assert_eq!(added(0.0, 0.1, 1_000_000), one_by_one(0.0, 0.1, 1_000_000));
        assert_eq!(added(-3e5, 0.3, 3_000_000), one_by_one(-3e5, 0.3, 3_000_000));
        // From here on the term is lost.
        assert_eq!(added((1_u64 << 53) as f64, 1.0, 1 << 50), (1_u64 << 53) as f64);
        assert_eq!(added(5.0, 0.0, u64::MAX), 5.0);
    }
}
