//! Numbers of 106 bits as the sum of two f64, and the products of two rows in such numbers.
//!
//! The sum of two f64, and their product, is the rounded result and an error that is an f64 itself. Sums
//! that carry the errors along are as if computed in twice the digits and rounded once: Ogita, Rump, Oishi,
//! *Accurate sum and dot product*, 2005, algorithm 5.3 (Dot2). Where all products and sums fit in 106
//! bits, as those of small whole numbers do, they are exact, and so hang on no order.

use std::ops::{Div, Mul, Sub};

use pulp::{Simd, WithSimd};

use super::element::{Element, ElementType};
use crate::support::simd::{multiplies_and_adds, stored, vectorized, widest};

/// A number, rounded to f64, and the rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Twofold {
    high: f64,
    low: f64,
}

impl Twofold {
    /// The number, rounded to f64 but for the last bit.
    pub(crate) fn rounded(self) -> f64 {
        self.high
    }

    fn of_parts(high: f64, low: f64) -> Self {
        let sum = high + low;
        Self { high: sum, low: low - (sum - high) }
    }
}

impl Sub for Twofold {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        let (difference, error) = sum(self.high, -other.high);
        Self::of_parts(difference, error + (self.low - other.low))
    }
}

impl Mul for Twofold {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let (high, low) = product_of_halves(self.high, other.high);
        Self::of_parts(high, low + (self.high * other.low + self.low * other.high))
    }
}

impl Div for Twofold {
    type Output = f64;

    /// The quotient, rounded to f64 once: equal fractions, in whatever terms, have equal quotients.
    fn div(self, other: Self) -> f64 {
        let quotient = self.high / other.high;
        let rest = self - other * Self { high: quotient, low: 0.0 };
        quotient + rest.high / other.high
    }
}

/// x + y, rounded, and the error (Knuth).
#[inline(always)]
fn sum(x: f64, y: f64) -> (f64, f64) {
    let sum = x + y;
    let of_y = sum - x;
    (sum, (x - (sum - of_y)) + (y - of_y))
}

/// x·y, rounded, and the error (Dekker), by products of halves of 26 bits.
#[inline(always)]
fn product_of_halves(x: f64, y: f64) -> (f64, f64) {
    let halves = |value: f64| {
        let shifted = 134_217_729.0 * value;
        let upper = shifted - (shifted - value);
        (upper, value - upper)
    };
    let product = x * y;
    let ((x, x_rest), (y, y_rest)) = (halves(x), halves(y));
    (product, ((x * y - product) + x * y_rest + x_rest * y) + x_rest * y_rest)
}

/// Features this many apart share a partial sum.
const LANES: usize = 8;

/// A sum of products, term by term.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct SumOfProducts {
    high: [f64; LANES],
    low: [f64; LANES],
}

impl SumOfProducts {
    /// Adds the product of the values of a feature in two rows. Where it is 0 it can be left out.
    #[inline(always)]
    pub(crate) fn add(&mut self, feature: usize, x: f64, y: f64) {
        self.add_parts(feature % LANES, product_of_halves(x, y));
    }

    #[inline(always)]
    fn add_parts(&mut self, lane: usize, (product, of_product): (f64, f64)) {
        let (sum, of_sum) = sum(self.high[lane], product);
        self.high[lane] = sum;
        self.low[lane] += of_sum + of_product;
    }

    pub(crate) fn total(self) -> Twofold {
        let (highs, lows) = (stored(self.high), stored(self.low));
        let (mut high, mut low) = (highs[0], lows[0]);
        for lane in 1..LANES {
            let (sum, of_sum) = sum(high, highs[lane]);
            (high, low) = (sum, low + (of_sum + lows[lane]));
        }
        Twofold::of_parts(high, low)
    }
}

/// Σxᵢyᵢ, Σxᵢ² and Σyᵢ².
#[derive(Clone, Copy, Debug)]
pub(crate) struct Products {
    pub(crate) product: Twofold,
    pub(crate) squares: [Twofold; 2],
}

impl Products {
    /// The products of two rows of which both are of type `of` as given, and the second is read from
    /// numbers of this type or of f64. The type decides how long the sums take, and not what they are.
    #[inline]
    pub(crate) fn of<A: Element>(x: &[f64], y: &[A], of: ElementType) -> Self {
        // By constants, so that no loop is compiled for numbers that it does not serve.
        let [product, x, y] = if const { A::TYPE.is_whole() } {
            return Self::of_whole(products(x, y));
        } else if const { A::TYPE.is_single() } {
            products_of_singles(x, y)
        } else if of.is_whole() {
            return Self::of_whole(products(x, y));
        } else if of.is_single() {
            products_of_singles(x, y)
        } else {
            widest(Doubles { x, y })
        };
        Self { product: product.total(), squares: [x, y].map(SumOfProducts::total) }
    }

    /// Of sums that are exact.
    fn of_whole([product, x, y]: [f64; 3]) -> Self {
        let whole = |high| Twofold { high, low: 0.0 };
        Self { product: whole(product), squares: [x, y].map(whole) }
    }
}

/// Σxᵢyᵢ of two rows of type `of`, or Σxᵢ² of a row and itself: the number that [`Products::of`] has.
pub(crate) fn product_of(x: &[f64], y: &[f64], of: ElementType) -> Twofold {
    if of.is_whole() {
        Twofold { high: rounded_product(x, y), low: 0.0 }
    } else if of.is_single() {
        product_of_singles(x, y).total()
    } else {
        widest(DoublesOnce { x, y }).total()
    }
}

vectorized! {
    /// Σxᵢyᵢ, Σxᵢ² and Σyᵢ² as sums of f64, in any order.
    pub(crate) fn products<'a, A: Element>(x: &'a [f64], y: &'a [A]) -> [f64; 3] {
        const WIDE: usize = 16;
        let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<WIDE>(), y.as_chunks::<WIDE>());
        let [mut product, mut of_x, mut of_y] = [[0.0; WIDE]; 3];
        for (x, y) in x.iter().zip(y) {
            for lane in 0..WIDE {
                let (x, y) = (x[lane], y[lane].to_f64());
                product[lane] += x * y;
                of_x[lane] += x * x;
                of_y[lane] += y * y;
            }
        }
        let mut sums = [0.0; 3];
        for (&x, y) in x_rest.iter().zip(y_rest) {
            let y = y.to_f64();
            sums = [sums[0] + x * y, sums[1] + x * x, sums[2] + y * y];
        }
        let lanes = stored([product, of_x, of_y]);
        for (sum, lanes) in sums.iter_mut().zip(lanes) {
            lanes.into_iter().for_each(|lane| *sum += lane);
        }
        sums
    }
}

vectorized! {
    /// Σxᵢyᵢ as a sum of f64, in any order.
    pub(crate) fn rounded_product<'a>(x: &'a [f64], y: &'a [f64]) -> f64 {
        const WIDE: usize = 32;
        let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<WIDE>(), y.as_chunks::<WIDE>());
        let mut sums = [0.0; WIDE];
        for (x, y) in x.iter().zip(y) {
            for lane in 0..WIDE {
                sums[lane] += x[lane] * y[lane];
            }
        }
        let rest: f64 = x_rest.iter().zip(y_rest).map(|(x, y)| x * y).sum();
        stored(sums).into_iter().fold(rest, |total, lane| total + lane)
    }
}

vectorized! {
    /// Of rows whose values have 26 bits at most, so that each product is an f64.
    fn products_of_singles<'a, A: Element>(x: &'a [f64], y: &'a [A]) -> [SumOfProducts; 3] {
        sums_of_products(x, y, |x, y| (x * y, 0.0))
    }
}

vectorized! {
    fn product_of_singles<'a>(x: &'a [f64], y: &'a [f64]) -> SumOfProducts {
        sum_of_products(x, y, |x, y| (x * y, 0.0))
    }
}

/// Rows of any values.
struct Doubles<'a, A> {
    x: &'a [f64],
    y: &'a [A],
}

impl<A: Element> WithSimd for Doubles<'_, A> {
    type Output = [SumOfProducts; 3];

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        // The error of a product is the same number by either way.
        match multiplies_and_adds::<S>() {
            true => sums_of_products(self.x, self.y, product_at_once),
            false => sums_of_products(self.x, self.y, product_of_halves),
        }
    }
}

/// Rows of any values, of which one sum is taken.
struct DoublesOnce<'a> {
    x: &'a [f64],
    y: &'a [f64],
}

impl WithSimd for DoublesOnce<'_> {
    type Output = SumOfProducts;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Self::Output {
        match multiplies_and_adds::<S>() {
            true => sum_of_products(self.x, self.y, product_at_once),
            false => sum_of_products(self.x, self.y, product_of_halves),
        }
    }
}

/// x·y, rounded, and the error, on a processor that multiplies and adds at once.
#[inline(always)]
fn product_at_once(x: f64, y: f64) -> (f64, f64) {
    let product = x * y;
    (product, x.mul_add(y, -product))
}

/// Σxᵢyᵢ, Σxᵢ² and Σyᵢ², one after the other: the terms of one sum fill the registers.
#[inline(always)]
fn sums_of_products<A: Element>(
    x: &[f64],
    y: &[A],
    product: impl Fn(f64, f64) -> (f64, f64) + Copy,
) -> [SumOfProducts; 3] {
    let value = |value: A| value.to_f64();
    [
        sum_of_products(x, y, |x, y| product(x, value(y))),
        sum_of_products(x, x, product),
        sum_of_products(y, y, |x, y| product(value(x), value(y))),
    ]
}

#[inline(always)]
fn sum_of_products<X: Copy, Y: Copy>(
    x: &[X],
    y: &[Y],
    product: impl Fn(X, Y) -> (f64, f64),
) -> SumOfProducts {
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    let mut sums = SumOfProducts::default();
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            sums.add_parts(lane, product(x[lane], y[lane]));
        }
    }
    for (lane, (&x, &y)) in x_rest.iter().zip(y_rest).enumerate() {
        sums.add_parts(lane, product(x, y));
    }
    sums
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::random::scrambled;

    fn noise(number: usize) -> f64 {
        (scrambled(number as u64) >> 11) as f64 / 2f64.powi(52) - 1.0
    }

    fn of_product(x: f64, y: f64) -> Twofold {
        let (high, low) = product_of_halves(x, y);
        Twofold { high, low }
    }

    /// Products of numbers of 53 bits against whole numbers of 128.
    #[test]
    fn products_are_exact() {
        for number in 0..1_000 {
            let [x, y] = [0, 1].map(|at| (scrambled(2 * number + at) >> 11) as i128);
            let product = of_product(x as f64, -y as f64);
            assert_eq!(product.high as i128 + product.low as i128, -x * y);
            let (x, y) = (x as f64, -y as f64);
            assert_eq!(product.low, x.mul_add(y, -product.high));
        }
    }

    /// Sums of rows, whatever they are read from and however they are summed, are the same numbers.
    #[test]
    fn sums_of_products_are_the_same_in_any_type() {
        for features in [1, 3, 4, 15, 16, 17, 300] {
            let whole = |number: usize| (scrambled(number as u64) >> 56) as u8;
            let x: Vec<f64> = (0..features).map(|i| f64::from(whole(i))).collect();
            let y: Vec<u8> = (features..2 * features).map(whole).collect();
            let of_y: Vec<f64> = y.iter().copied().map(f64::from).collect();
            let parts =
                |products: Products| [products.product, products.squares[0], products.squares[1]];
            let expected = parts(Products::of(&x, &of_y, ElementType::F64));
            assert_eq!(expected, parts(Products::of(&x, &y, ElementType::U8)));
            assert_eq!(expected, parts(Products::of(&x, &y, ElementType::F32)));
            assert_eq!(expected, parts(Products::of(&x, &of_y, ElementType::F32)));
            assert_eq!(expected, parts(Products::of(&x, &of_y, ElementType::U8)));
            for of in [ElementType::F64, ElementType::F32, ElementType::U8] {
                let pairs = [[&x, &of_y], [&x, &x], [&of_y, &of_y]];
                assert_eq!(expected, pairs.map(|[x, y]| product_of(x, y, of)));
            }
            assert!(expected.iter().all(|sum| sum.low == 0.0));
        }
    }

    #[test]
    fn the_products_that_are_zero_can_be_left_out() {
        for features in [5, 64, 203] {
            let value = |number: usize| if number.is_multiple_of(3) { noise(number) } else { 0.0 };
            let x: Vec<f64> = (0..features).map(value).collect();
            let y: Vec<f64> = (0..features).map(|i| value(i / 2 * 3)).collect();
            let expected = Products::of(&x, &y, ElementType::F64);
            let halves = sums_of_products(&x, &y, product_of_halves);
            assert_eq!(expected.product, halves[0].total());
            assert_eq!(expected.product, product_of(&x, &y, ElementType::F64));
            assert_eq!(expected.squares[1], product_of(&y, &y, ElementType::F64));
            let mut sum = SumOfProducts::default();
            for i in (0..features).filter(|&i| x[i] != 0.0 && y[i] != 0.0) {
                sum.add(i, x[i], y[i]);
            }
            assert_eq!(sum.total(), expected.product);
        }
    }

    /// One over seven in several terms.
    #[test]
    fn equal_fractions_have_equal_quotients() {
        let of = |value: f64| of_product(value, 1.0);
        for factor in [1.0, 3.0, 1e8 + 1.0, 94_906_267.0] {
            assert_eq!(of(factor) / of(7.0 * factor), 1.0 / 7.0);
            let square = of(factor) * of(factor);
            assert_eq!(square / (of(7.0) * square), 1.0 / 7.0);
        }
    }
}
