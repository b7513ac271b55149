//! The numbers that approximate search is tuned by. The numbers of the first three groups decide which
//! neighbours are found; the others only bound memory and the size of a thread's task (but for
//! [`LED_AT_ONCE`]: where sketches are real numbers, those compared at a time share their steps). Where a
//! number names no measurement, none is on record. "Deformed digits" are deformed images of MNIST, 256
//! features of a small network.

// The amount of comparisons, and the condition to stop.

/// Times that lists of the nearest by their sketches are doubled, at most, each time that these cannot hold enough of
/// the nearest, where sketches cannot have all features. Texts as dense rows have 0.990 in place of 0.960. Groups of
/// 50 rows in 384 to 1,024 features have 0.990 to 0.996 by either; by all features, in 0.63 to 0.92 of the time.
pub(super) const LENGTHENED: usize = 3;
/// Rows compared with a row by key beyond the k that are asked for: the nearest by their sketches.
/// Of 10⁶ deformed digits the nearest row has the nearest sketch in 68 of 100, and one of the 4, 8,
/// 12 nearest sketches in 96, 99.2, 99.9. Texts are done in two thirds of the time that 11 and
/// neighbourhoods of 12 take: more of their neighbours are found by joins, and fewer by later passes.
pub(super) const SPARE: usize = 15;
/// The same where keys are sums of differences and not of their squares, Manhattan distances: of 60,000
/// augmented images the nearest is among the 8, 16, 32 nearest by sums of squares for 95, 97, 99 in 100, and
/// among 16 for all but one in 300 of images of digits, histograms of gradients, a mixture and a manifold.
/// With 47 the histograms take a seventh longer, and of 250,000 augmented images 1.0 in place of 1.6 in 100
/// are missed after 46 s in place of 42.
pub(super) const SPARE_OF_SUMS: usize = 31;
/// Rows whose exact neighbours tell the recall in the end, at most. The true neighbours of twice as many
/// others tell after each move whether to stop: their recall is that of the luckiest move, and with as
/// many as are measured, texts ended at 0.986.
pub(super) const ASKED: usize = 1024;
/// The same where all features of all pairs have to be compared for it: of Manhattan distances, and where sketches tell
/// hardly anything. There, with 1024 and [`ASKED_AT_FIRST`] at 64, 40,000 rows of 1,024 features took 9.9 s of a core
/// in place of 7.8.
pub(in crate::neighbors) const ASKED_BY_FEATURES: usize = 256;
/// Cells that a row joins in a pass, at most.
pub(super) const JOINED: usize = 5;
/// Cells that a row joins or may reach for in a pass, at most.
pub(super) const REACHED: usize = 24;
/// Cells that a row joins or may reach for in the first pass, for [`ROWS_AT_FIRST`] rows and a
/// recall of 0.99. Deformed digits need 8 at 250,000 rows, 11 at 10⁶, 16 at 4·10⁶, and 21 at 8·10⁶:
/// the more rows there are, the more of them are as far from their nearest row as from their
/// leaders. Where the first pass finds too little, another pass takes much longer than a few cells
/// more.
pub(super) const REACHED_AT_FIRST: f64 = 11.9;
/// The number of rows that [`REACHED_AT_FIRST`] is for.
pub(super) const ROWS_AT_FIRST: f64 = 1e6;
/// Data with fewer rows takes as many cells in the first pass as this many rows.
pub(super) const ROWS_AT_LEAST: usize = 250_000;
/// Cells that a row joins or may reach for in a later pass of all rows, at least: to cut anew costs as
/// much as comparing some cells.
pub(super) const REACHED_AGAIN: f64 = 3.0;
/// In a later pass of all rows a cell finds about one part in this many of what it found in the one before:
/// of a mixture one in 2 to 2.7.
pub(super) const CELLS_AGAIN: f64 = 2.0;
/// In a pass of lone rows a cell finds about one part in this many of what it found in the pass before, if that
/// was the first pass, and if it was one of lone rows: of texts one in 3 to 5, and one in 1.1 to 2.
pub(super) const CELLS_OF_LONE: [f64; 2] = [4.0, 1.5];
/// As many cells as this would be compared in the time that it takes to cut anew.
pub(super) const CELLS_OF_CUT: f64 = 3.0;
/// A row reaches for a cell whose leader's squared distance is less than this many times that of
/// the row's k-th nearest so far.
pub(super) const REACH: f32 = 4.0;
/// Nearest rows of a row in its neighbourhood. With 7 of these, and 8 in place of [`NEAR_TO_ROW`],
/// a join takes half the time, and finds 0.2 to 0.4 of what is missing where 12 and 19 find 0.4 to
/// 0.7, of deformed digits, a mixture and texts. With 20 and 27 it finds no more of texts than with 16.
pub(super) const NEAR_OF_ROW: usize = 16;
/// Rows that have it among their nearest, in the neighbourhood of a row, at most: with these and
/// itself, two groups of rows that lie abreast.
pub(super) const NEAR_TO_ROW: usize = 15;
/// A row is lone if at most so many have it among their nearest. After three joins fewer than 25 in 100 of
/// 250,000 texts are, and nearly 90 in 100 of those whose neighbour is missing. A pass for the lone rows
/// leaves 42 to 67 in 100 of what is missing (five seeds, 2.6 s); one for all rows, of five cells, 73
/// (3.6 s). Where this leaves 42, 2 in its place leaves 50, and 8 leaves 42.
pub(super) const LONE: usize = 4;
/// Of the rows whose neighbours are missed, if a larger share is lone, a later pass is for the lone rows.
/// After three joins 0.9 of them are of texts, 0.5 to 0.65 of augmented images and a mixture, and 0.3 to 0.6
/// of 350,000 and 213,000 rows of a few clusters of a mixture: there a pass for the lone rows finds 35 in 100
/// of what is missing in 2.1 s, and one for all rows 74 in 4.1 s.
pub(super) const LONE_OF_MISSED: f64 = 2.0 / 3.0;
/// Joins that it takes to compare the rows of all neighbourhoods. The first of two finds 0.7 to 0.85 of what both
/// find of texts, augmented images and a mixture, and is enough for 250,000 patches, which take 7.2 s in place of
/// 8.5.
pub(super) const JOINS_OF_ALL: usize = 2;
/// Rows whose neighbourhoods a thread compares at a time.
pub(super) const JOINED_AT_ONCE: usize = 256;
/// Moves at most: passes, and comparisons of neighbourhoods.
pub(super) const MOVES: usize = 24;
/// The share of the missing neighbours that the next move is to find for as many comparisons as a
/// cell takes, or it is not worth its time.
pub(super) const WORTH: f64 = 1.0 / 96.0;
/// Missing so many times the share that may be missed, at most, is no reason to search anew by an exact
/// search: of texts 1.4 in 100 are missed where more moves are not worth their time.
pub(super) const NEARLY: f64 = 2.0;
/// Nanoseconds for each 64 numbers of two sketches that are compared, with all that comes before and
/// after: 250,000 deformed digits, a mixture and texts take 8 to 14.
pub(super) const PAIR_NS: f64 = 10.0;
/// The time of a whole search, in times of the first pass, of rows of [`USUAL_DIMENSION`]. 40,000 rows of
/// fewer intrinsic dimensions take less, and of more need more moves: of a manifold of 4.6 dimensions 0.3 times as
/// long, of digits and histograms of gradients of 10 to 14 0.7 to 1, of texts of 16 2.1, and of noise of 35 and
/// 83 dimensions 2.3 and 7.4 times (`benches/run.py estimates`).
pub(super) const FIRST_PASSES: f64 = 3.0;
pub(super) const USUAL_DIMENSION: f64 = 12.0;
/// The least and the most that the intrinsic dimension counts, in times.
pub(super) const TIMES_OF_DIMENSION: [f64; 2] = [0.35, 7.0];
/// Nanoseconds for a feature of a row and an axis that its sketch is made along, and how many axes that
/// are expected where there are as many features.
pub(super) const SKETCH_NS: f64 = 0.1;
pub(super) const EXPECTED_AXES: usize = SKETCH_AXES[2];
/// Nanoseconds for a feature of a row, for each row that a row is compared with by key, and for its
/// part in the sketch.
pub(super) const VALUE_NS: f64 = 0.5;
/// To find the neighbourhoods of a join, and what is new in them, takes as long as comparisons in so many cells:
/// 0.33 s of 250,000 texts, of which a cell takes 0.65 s.
pub(super) const CELLS_OF_NEIGHBORHOODS: f64 = 0.5;
/// As many comparisons as in so many cells are expected of a join before the first one has been made.
pub(super) const CELLS_OF_JOIN: f64 = 4.0 / JOINS_OF_ALL as f64;
/// Safety factor on the largest ratio of squared sketch distance to squared row distance in a
/// sample.
pub(super) const RATIO_MARGIN: f64 = 1.02;
/// Rows of a cell that are compared with each other, at most. Cells have more rows only where many
/// rows are equal.
pub(super) const CELL: usize = 2048;

// The progress of the work, for whoever is told.

/// The least and the most of what is left of the moves that a move is taken for.
pub(super) const PART_OF_MOVE: [f64; 2] = [0.1, 0.8];

// The keeping of a time limit.

/// As many values of all pairs are compared in about a tenth of a second of one core, by blocks: no time limit is
/// for so few.
pub(super) const UNBOUNDED_VALUES: f64 = 4e9;
/// The share of a time limit that moves may take, with all that comes before: what they find is compared by
/// key after that.
pub(super) const TIME_OF_MOVES: f64 = 0.75;
/// The share of a time limit that the rows may take whose true neighbours are searched.
pub(super) const TIME_OF_ASKED: f64 = 0.1;
/// Nanoseconds that one of these rows takes for another row, by the [`ASKED_WIDTH`] first numbers of their
/// sketches, where these tell that it is not near.
pub(super) const ASKED_NS: f64 = 4.0;
/// The fewest of these rows.
pub(super) const ASKED_AT_LEAST: usize = 64;

// The making of sketches.

/// Principal axes of a sketch: as few of these as do (see `sketch_size.rs`), or one for each feature. With the
/// distance to them they fill whole cache lines. On 10⁶ deformed digits distances of sketches along
/// 63 axes are 0.8 times those of rows (of 31 axes 0.67, which leaves several times as many rows to
/// be compared by key).
pub(super) const SKETCH_AXES: [usize; 5] = [63, 95, 127, 191, 255];
/// Of the share of neighbours that may be missed, what sketches may lose. With twice as much, the
/// passes and joins that it takes to find the others cost more than wider sketches.
pub(super) const MAY_BE_LOST: f64 = 0.25;
/// Sketches along all axes that lose so many times as many neighbours as may be missed find too few, and
/// are given up where an exact search can run instead. The loss that a sample tells is less than what all
/// rows lose.
pub(super) const LOST_FOR_GOOD: f64 = 2.0 * NEARLY;
/// The fewest features of rows of which a sample is asked how many axes do. The features that rows of
/// fewer have beside [`FEWEST_AXES`] are too few to look for.
pub(super) const LOOKED_AT_FEATURES: usize = 96;
/// Axes of a sketch where no sample is asked, if rows have as many features.
pub(super) const FEWEST_AXES: usize = SKETCH_AXES[0];
/// One in so many rows is in the sample that tells how many axes do.
pub(super) const LOOK_SHARE: usize = 4;
/// The fewest rows of this sample.
pub(super) const LOOK_AT_LEAST: usize = 4096;
/// The least number of rows of the sample, as a multiple of its candidates.
pub(super) const LOOK_PER_CANDIDATE: usize = 8;
/// Rows of this sample, at most.
pub(super) const LOOK_SAMPLE: usize = 32_768;
/// Values of all rows of this sample together, at most.
pub(super) const LOOK_VALUES: usize = 1 << 24;
/// Rows of this sample that are asked for their nearest.
pub(super) const LOOK_ASKED: usize = 256;
/// As many of these are compared with the sample at a time.
pub(super) const LOOK_AT_ONCE: usize = 4;
/// The largest value that counts, as a multiple of the largest value of a sample. Larger values count as
/// this large, which brings rows nearer to each other.
pub(super) const VALUE_HEADROOM: f64 = 4.0;
/// Rows that are asked whether other rows crowd about them, at most.
pub(super) const CROWD_ASKED: usize = 1024;
/// One in so many rows, but at least this many times [`CROWD_ASKED`], is compared with the rows
/// that are asked.
pub(super) const CROWD_SHARE: usize = 8;
/// Steps within which a sketch crowds about another: rounding blurs distances by less than a step.
pub(super) const CROWD_STEPS: f32 = 32.0;
/// One in so many of the rows that are asked may be crowded; if more are, sketches need finer
/// steps.
pub(super) const MAY_BE_CROWDED: usize = 400;
/// Sketches of a group whose mean is taken for the middle of the group.
pub(super) const CENTRAL: usize = 32;

// The cutting of cells.

/// Sketches for each leader of a pass. With fewer, a row has to join more cells for the same
/// recall; with more, more pairs are compared.
pub(super) const ROWS_PER_LEADER: usize = 24;
/// Leaders that all sketches are compared with, at most. More leaders need coarse cells first.
pub(super) const LEADERS_FOR_ALL: usize = 1024;
/// Leaders of the next cut for each leader of a cut.
pub(super) const BRANCHES: usize = 48;
/// Coarse cells that a sketch joins.
pub(super) const JOINED_COARSE: usize = 3;
/// Coarse cells that a leader joins: more than other sketches, so that a sketch and a leader near
/// it usually share a coarse cell. Joining 2 and 6 cells, in place of 3 and 6, misses a third more
/// of the neighbours.
pub(super) const JOINED_BY_LEADERS: usize = 6;
/// Leaders of a coarse cell that its members are compared with, at most. A cell has more only where
/// many rows are equal, or near each other for how far they are from all others.
pub(super) const LEADERS_OF_CELL: usize = 1024;

/// The first numbers of a sketch, by which cells are cut. Of texts, whose sketches have 192 numbers, the
/// first 64 miss 10.6 of 100 neighbours in the first pass, 128 miss 5.6, and all 5.3; and coarse cells
/// cut by the first 32 miss 6.6 where 128 miss 5.4.
pub(super) const LED_WIDTH: usize = 128;

// The amount of work done at a time. Work that a thread has begun stays its own, even where others have nothing left
// to do. So parts are small, or all wait for the last: of a million rows, a thread was alone for a second of
// five. Each takes milliseconds, beside which the memory to compare in, asked for with each part, is nothing.

/// Cells whose members a thread compares at a time.
pub(super) const CELLS_AT_ONCE: usize = 16;
/// Batches of rows that a thread sketches at a time.
pub(super) const BATCHES_AT_ONCE: usize = 4;

/// Rows whose lists one lock guards.
pub(super) const LOCKED_ROWS: usize = 64;
/// Sketches that a thread compares with the leaders of a cell at a time: few enough that 20,000 rows, whose
/// leaders are in one cell, are shared out among many threads.
pub(super) const LED_AT_ONCE: usize = 512;
/// Rows that a thread compares with those that are asked whether rows crowd about them, at a time.
pub(super) const CROWD_AT_ONCE: usize = 256;
/// Sketches of the left that are written in steps at a time.
pub(super) const LEFT_AT_ONCE: usize = 128;
/// Rows that a thread compares by key at a time.
pub(super) const SETTLED_AT_ONCE: usize = 256;
/// Rows whose exact neighbours are searched at a time: the asked rows.
pub(super) const ASKED_AT_ONCE: usize = 4096;
/// The asked rows that are searched before all others; and the share of pairs that is left to compare by key
/// from which on the others are searched by all features: to compare a pair by key takes about ten times as
/// long as in blocks. Of 40,000 rows of 800 blobs in 1,024 features, whose sketches tell hardly anything, the
/// search takes this long by key.
pub(super) const ASKED_AT_FIRST: usize = 16;
pub(super) const MOST_LEFT: f64 = 0.1;
/// The first numbers of a sketch that the asked rows are compared by, before more are taken.
pub(super) const ASKED_WIDTH: usize = 32;
/// Sketches that the asked rows are compared with, or pass by, at a time: at most; at least; and in how many
/// blocks of fewer all are, in between, so that threads have blocks enough.
pub(super) const BLOCK: usize = 1024;
pub(super) const SMALLEST_BLOCK: usize = 512;
pub(super) const BLOCKS: usize = 64;
/// More numbers of sketches are compared once the share of pairs that are left for comparison by key is
/// larger than the number of numbers over this: a key costs as much as so many numbers. Of augmented
/// images 0.4 in 100 are left by 32 numbers, of a mixture 4, of texts 27 and, by 128 numbers, 0.1.
pub(super) const LEFT_BY_FEWER: f64 = 2048.0;
/// As many pairs as so many of the largest blocks have are taken to leave none, before any are compared: the rows of
/// one block may all be near many that are asked.
pub(super) const BLOCKS_AT_FIRST: usize = 8;
