//! Loops compiled for the widest vectors of the processor that they run on.

use std::any::TypeId;
use std::marker::PhantomData;

use pulp::Simd;

/// Lets a borrow have no field of its own.
pub(crate) type Borrowed<'a> = PhantomData<&'a ()>;

/// Defines a function of which there is a version for each kind of vectors, and which takes the
/// widest that the processor has (by the pulp crate).
///
/// What it calls has to be `#[inline(always)]`, or it stays as it is for all processors; it is too
/// large a step for a few numbers. The numbers are the same whatever the vectors: none is computed
/// in another order, and products and sums are never fused.
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
                borrowed: $crate::vector::Borrowed<$life>,
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
            $crate::vector::widest(Loop { $($argument,)* borrowed })
        }
    };
}

pub(crate) use vectorized;

/// Runs what is compiled for each kind of vectors, with the widest that the processor has.
#[inline(always)]
pub(crate) fn widest<T: pulp::WithSimd>(task: T) -> T::Output {
    match pulp::Arch::new() {
        // Where pulp knows none: four numbers at a time, which the compiler makes the best of.
        pulp::Arch::Scalar => pulp::Scalar128b.vectorize(task),
        arch => arch.dispatch(task),
    }
}

/// a·b + c, rounded once where the processor can. Where it cannot, to do so all the same would be a
/// call for each number.
#[inline(always)]
pub(crate) fn multiply_add<S: Simd>(simd: S, a: S::f32s, b: S::f32s, c: S::f32s) -> S::f32s {
    if TypeId::of::<S>() == TypeId::of::<pulp::Scalar128b>() {
        simd.add_f32s(simd.mul_f32s(a, b), c)
    } else {
        simd.mul_add_f32s(a, b, c)
    }
}

/// Some numbers, which are written to memory first: so that what comes next with them, one by one,
/// does not lead the compiler to shuffle them in the loop that they come from (which takes twice as
/// long).
#[inline(always)]
pub(crate) fn stored<T>(lanes: T) -> T {
    std::hint::black_box(lanes)
}
