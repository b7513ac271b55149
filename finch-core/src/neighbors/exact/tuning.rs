//! The numbers that exact searches are tuned by. None of them changes what is found. Where a number
//! names no measurement, none is on record.

/// Rows of a block of brute force: two blocks of 784 features in f64 stay in a core's second cache.
pub(super) const BRUTE_BLOCK: usize = 32;

/// The most rows of which all pairs are looked at on end: their squared distances take 4 MB.
pub(super) const FEW_ROWS: usize = 1024;
/// The most values of these rows, which take 4 MB in f32.
pub(super) const VALUES_OF_FEW: usize = 1 << 20;
/// The fewest rows for which distances in f32 pay: fewer fill a third of a panel of the kernel.
pub(super) const FEWEST_FILTERED: usize = 16;

/// The most features of rows that are filtered: n·u of f32 is then 1/16.
pub(super) const MOST_FILTERED: usize = 1 << 20;
/// Values of the part of a base that a thread takes at a time, and the most rows.
pub(super) const PART_OF_BASE: usize = 1 << 19;
pub(super) const MOST_ROWS_OF_PART: usize = 1 << 14;
/// Rows of a block that is filtered, at most, and the most values: so many stay in a core's first or second cache.
pub(super) const ROWS_OF_BLOCK: usize = 256;
pub(super) const VALUES_OF_BLOCK: usize = 1 << 14;

/// Rows of a block that is multiplied: two blocks along a few principal axes stay in a core's second
/// cache.
pub(super) const BLOCK: usize = 512;

/// A label has blocks of its own if its rows fill one in so many of a block.
pub(super) const FEWEST_OF_BLOCK: usize = 4;

/// Leaves of a tree that a thread takes at a time: few, so that all threads end at about one time.
pub(super) const LEAVES_AT_ONCE: usize = 16;

/// Rows that are loaded in f64 at a time, on their way into a block, at most.
pub(super) const LOADED: usize = 32;
/// The most values of these rows together: a few milliseconds.
pub(super) const LOADED_VALUES: usize = 1 << 20;

/// Rows that blocked search holds in f32 at a time, a slab: so many blocks that writing all other
/// rows anew for each slab takes no time beside comparing them.
pub(super) const SLAB: usize = 32 * BLOCK;
/// Bytes of a slab at most. From 1,024 features on a slab has fewer rows for it.
pub(super) const SLAB_BYTES: usize = 64 << 20;

/// The fewest rows that are cut into groups. Fewer rows take no time to compare by key.
pub(super) const FEWEST_GROUPED: usize = 512;
/// The number of times that groups are cut, one within the other.
pub(super) const CUTS: usize = 6;
/// The rows of a sample whose distances to all others tell whether rounding blurs many.
pub(super) const PROBES: usize = 32;
/// The number of steps of bytes that are looked at, from that by which all values of the sample are within
/// 255 steps, each half of the one before.
pub(super) const HALVINGS: i32 = 12;
/// The share of blurred distances from which on groups pay. A pair that is compared by key takes ten
/// times as long as a pair in a product, and is compared from both of its rows: a share of 0.05 doubles
/// the time.
pub(super) const MANY_BLURRED: f64 = 0.005;
/// The most pivots of a cut, beside the origin.
pub(super) const PIVOTS: usize = 63;

/// The ladder: numbers of principal axes that blocks may be multiplied along, multiples of the first.
/// The last *rung* is that of the closer bound.
pub(super) const LADDER: [usize; 8] = [8, 16, 24, 32, 48, 64, 96, 128];

/// Rows of the sample that tells whether there are principal axes that help.
pub(super) const SAMPLE: usize = 2048;
/// Rows for which the others that bounds leave are counted.
pub(super) const PROBED: usize = 32;

/// Principal axes across which rows are cut into blocks: the first, along which data spreads most.
pub(super) const CUT_AXES: usize = 16;
/// Blocks around a block that are compared with it before all others.
pub(super) const AROUND: usize = 4;

// Nanoseconds on one thread of Zen 3, two of which share a core, with MNIST. It is their ratio that
// decides.
/// Nanoseconds for a pair and a feature (or an axis) in a matrix product.
pub(super) const PRODUCT_NS: f64 = 0.033;
/// Nanoseconds for a pair and a feature where larger values are added up: two instructions, where a
/// product takes one.
pub(super) const LARGER_NS: f64 = 2.0 * PRODUCT_NS;
/// Nanoseconds for a pair and a feature where differences of bytes are added up: a third of those of larger
/// values (20,000 images on Zen 1: 2.9 s in place of 8.4).
pub(super) const BYTE_NS: f64 = LARGER_NS / 3.0;
/// Nanoseconds for a feature of a row and an axis that the row is projected along.
pub(super) const PROJECTED_NS: f64 = 0.1;
/// Nanoseconds for a look at the sum of a pair.
pub(super) const LOOK_NS: f64 = 0.3;
/// Nanoseconds for the closer bound of a pair.
pub(super) const CLOSER_NS: f64 = 54.0;
/// Nanoseconds for a pair and a feature when compared by key.
pub(super) const KEY_NS: f64 = 0.35;
/// The same where features are columns in memory: each feature of a row lies in a cache line of its
/// own, of 8 values.
pub(super) const KEY_OF_COLUMNS_NS: f64 = 8.0 * KEY_NS;

/// Coordinates of a point in a k-d tree, at most.
pub(super) const MOST_COORDINATES: usize = 16;

/// Rows of the larger of two samples that tell how long a tree takes.
pub(super) const TREE_SAMPLE: usize = 16_384;
/// Leaves of a tree of a sample for which is counted what they look at.
pub(super) const PROBED_LEAVES: usize = 8;
/// Nanoseconds for a look at a coordinate of a point of a tree.
pub(super) const TREE_LOOK_NS: f64 = 0.4;
/// Nanoseconds for a pair that is compared by key, beside those for its features.
pub(super) const TREE_KEY_NS: f64 = 20.0;
