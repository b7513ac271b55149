//! Loops compiled for the widest vectors of the processor that they run on.

use std::any::TypeId;
use std::marker::PhantomData;

use pulp::Simd;

/// Stands for a lifetime that no field of a struct uses.
pub(crate) type Borrowed<'a> = PhantomData<&'a ()>;

/// Defines a function of which there is a version for each kind of vectors, and which takes the
/// widest that the processor has (by the pulp crate).
///
/// Functions that the body calls have to be `#[inline(always)]`, or they are compiled for any
/// processor. The call costs too much for a loop over a few numbers. The numbers that come out are the
/// same whatever the vectors are: no sum changes its order, and products and sums are never fused.
macro_rules! vectorized {
    (
        $(#[$meta:meta])*
        $vis:vis fn $name:ident<$life:lifetime $(, $generic:ident: $bound:path)?>(
            $($argument:ident: $type:ty),* $(,)?
        ) -> $output:ty $body:block
    ) => {
        $(#[$meta])*
        $vis fn $name<$life $(, $generic: $bound)?>($($argument: $type),*) -> $output {
            struct Loop<$life $(, $generic: $bound)?> {
                $($argument: $type,)*
                borrowed: $crate::support::simd::Borrowed<$life>,
            }
            impl<$life $(, $generic: $bound)?> pulp::WithSimd for Loop<$life $(, $generic)?> {
                type Output = $output;

                #[inline(always)]
                fn with_simd<S: pulp::Simd>(self, _: S) -> $output {
                    let Self { $($argument,)* borrowed: _ } = self;
                    $body
                }
            }
            let borrowed = std::marker::PhantomData;
            $crate::support::simd::widest(Loop { $($argument,)* borrowed })
        }
    };
}

pub(crate) use vectorized;

/// Runs the version of a task that is compiled for the widest vectors of this processor.
#[inline(always)]
pub(crate) fn widest<T: pulp::WithSimd>(task: T) -> T::Output {
    match pulp::Arch::new() {
        // Where pulp knows no vectors: four numbers at a time, for the compiler to make the best of.
        pulp::Arch::Scalar => pulp::Scalar128b.vectorize(task),
        arch => arch.dispatch(task),
    }
}

/// True if the processor multiplies and adds at once. Where it does not, to round once takes a function call for each
/// number.
#[inline(always)]
pub(crate) fn multiplies_and_adds<S: Simd>() -> bool {
    TypeId::of::<S>() != TypeId::of::<pulp::Scalar128b>()
}

/// a·b + c, rounded once where the processor has an instruction for it.
#[inline(always)]
pub(crate) fn multiply_add<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    match multiplies_and_adds::<S>() {
        true => simd.mul_add_f32s(a, b, c),
        false => simd.add_f32s(simd.mul_f32s(a, b), c),
    }
}

/// c − a·b, as [`multiply_add`].
#[inline(always)]
pub(crate) fn subtract_product<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    match multiplies_and_adds::<S>() {
        true => simd.negate_mul_add_f32s(a, b, c),
        false => simd.sub_f32s(c, simd.mul_f32s(a, b)),
    }
}

/// The same numbers, written to memory first. Without that the compiler would arrange the numbers, in
/// the loop that computes them, for the code that uses them one by one afterwards, and the loop would
/// take twice as long.
#[inline(always)]
pub(crate) fn stored<T>(lanes: T) -> T {
    std::hint::black_box(lanes)
}
