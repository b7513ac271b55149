//! Numbers that look random, and are the same on every machine.

/// One number out of every `step` numbers below `count`. Not the first of each `step`: where rows of
/// several kinds take turns, all first numbers may be of one kind.
pub(crate) fn spread(count: usize, step: usize) -> impl ExactSizeIterator<Item = usize> {
    (0..count).step_by(step).map(move |first| {
        let step = step.min(count - first);
        first + (scrambled(first as u64) >> 32) as usize % step
    })
}

/// 64 bits that look random (the finaliser of SplitMix64).
pub(crate) fn scrambled(number: u64) -> u64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}
