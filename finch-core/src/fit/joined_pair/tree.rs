//! The longest pair of a large group: a tree of balls, of which two are passed over where no row of the one
//! can be far enough from a row of the other.
//!
//! Two rows are at most as far apart as the least of three bounds: the distance of the centres of their
//! balls and both radii; their distances from the group's first neighbour; and, of rows without negative
//! values, what their distances from the origin allow. The second serves groups about their first neighbour
//! in few dimensions, the third a first neighbour at the origin, to which all rows that share no
//! feature with another one are nearest.

use rayon::prelude::*;

use super::groups::pairs_of;
use super::task::Task;
use crate::samples::comparable::Keyed;
use crate::samples::metric::Metric;
use crate::support::memory::{collected, filled, push};
use crate::support::parallel::SharedSplitting as _;

/// Rows of a ball that is not divided, at most.
const LEAF: usize = 16;
/// Rows that one thread measures at a time.
const PART: usize = 256;
/// Pairs of balls for each thread, before threads take them.
const PAIRS_OF_THREAD: usize = 64;

/// Rows about a centre, which is one of them.
struct Ball {
    /// The places of the rows in the order of the tree.
    first: usize,
    last: usize,
    center: u32,
    /// The length from the centre to the farthest row.
    radius: f64,
    /// The longest link.
    link: f64,
    /// The largest key to a row of zeros; infinite where values are negative.
    origin: f64,
    /// The numbers of the two balls that the ball is divided into.
    halves: Option<[u32; 2]>,
}

impl Ball {
    fn len(&self) -> usize {
        self.last - self.first
    }
}

/// A row of a group.
#[derive(Clone, Copy)]
struct Member {
    row: u32,
    link: f64,
    origin: f64,
}

pub(super) struct Tree {
    members: Vec<Member>,
    balls: Vec<Ball>,
}

/// Two balls, or a ball with itself, and how far apart their rows are at most.
#[derive(Clone, Copy)]
struct Pair {
    most: f64,
    balls: [u32; 2],
}

impl Tree {
    /// The tree of a group's members, whose links have these lengths. Where the run is stopped, of some.
    pub(super) fn new<R: Keyed>(task: &Task<'_, R>, members: &[u32], lengths: &[f64]) -> Self {
        let origins = origins(task, members);
        let zipped = members.iter().zip(lengths).zip(&origins);
        let mut members =
            collected(zipped.map(|((&row, &link), &origin)| Member { row, link, origin }));
        let mut balls: Vec<Ball> = Vec::new();
        // The ball to divide, and where its number goes.
        let mut open = Vec::new();
        push(&mut open, (0, members.len(), None));
        while let Some((first, last, above)) = open.pop() {
            let number = balls.len() as u32;
            if let Some((above, half)) = above {
                let above: &mut Ball = &mut balls[above as usize];
                above.halves.get_or_insert([0; 2])[half] = number;
            }
            let part = &mut members[first..last];
            let middle = first + part.len() / 2;
            let (center, radius) = divide(task, part);
            let largest = |value: fn(&Member) -> f64| part.iter().map(value).fold(0.0, f64::max);
            let (link, origin) = (largest(|member| member.link), largest(|member| member.origin));
            push(&mut balls, Ball { first, last, center, radius, link, origin, halves: None });
            if last - first > LEAF && radius > 0.0 && !task.meter.stopped() {
                push(&mut open, (middle, last, Some((number, 1))));
                push(&mut open, (first, middle, Some((number, 0))));
            }
        }
        Self { members, balls }
    }

    /// Compares what may be a longer pair than the longest so far. Advances the meter by all pairs.
    pub(super) fn search<R: Keyed>(&self, task: &Task<'_, R>) {
        let mut buffers = [(); 2].map(|()| task.rows.room());
        let mut waiting = Vec::new();
        push(&mut waiting, Pair { most: self.most(task, [0; 2], &mut buffers), balls: [0; 2] });
        let enough = PAIRS_OF_THREAD * rayon::current_num_threads();
        // As many pairs as threads have enough of, the longest always first.
        while waiting.len() < enough {
            let Some(at) =
                (0..waiting.len()).max_by(|&a, &b| waiting[a].most.total_cmp(&waiting[b].most))
            else {
                return;
            };
            let pair = waiting.swap_remove(at);
            self.look(task, pair, &mut waiting, &mut buffers);
        }
        waiting.sort_unstable_by(|a, b| b.most.total_cmp(&a.most));
        waiting.into_par_iter().with_max_len(1).shared().for_each_init(
            || ([(); 2].map(|()| task.rows.room()), Vec::new()),
            |(buffers, stack), pair| {
                push(stack, pair);
                while let Some(pair) = stack.pop() {
                    self.look(task, pair, stack, buffers);
                }
            },
        );
    }

    /// Passes over a pair of balls, compares its rows, or puts the pairs of their halves on a stack, the
    /// longest last.
    fn look<R: Keyed>(
        &self,
        task: &Task<'_, R>,
        Pair { most, balls: [a, b] }: Pair,
        stack: &mut Vec<Pair>,
        buffers: &mut [R::Row; 2],
    ) {
        let [one, other] = [a, b].map(|number| &self.balls[number as usize]);
        if task.meter.stopped() || !task.longest.may_grow_by(most) {
            task.meter.advance(match a == b {
                true => pairs_of(one.len()),
                false => one.len() as u64 * other.len() as u64,
            });
            return;
        }
        let halves: &[[u32; 2]] = match (one.halves, other.halves) {
            (None, None) => return self.compare(task, one, other, buffers),
            (Some([left, right]), _) if a == b => &[[left, left], [right, right], [left, right]],
            (None, Some([left, right])) => &[[a, left], [a, right]],
            (Some([left, right]), None) => &[[left, b], [right, b]],
            (Some([left, right]), Some(_)) if one.radius >= other.radius => {
                &[[left, b], [right, b]]
            }
            (Some(_), Some([left, right])) => &[[a, left], [a, right]],
        };
        let first = stack.len();
        for &balls in halves {
            push(stack, Pair { most: self.most(task, balls, buffers), balls });
        }
        stack[first..].sort_unstable_by(|a, b| a.most.total_cmp(&b.most));
    }

    /// The largest distance of the rows of two balls.
    fn most<R: Keyed>(
        &self,
        task: &Task<'_, R>,
        [a, b]: [u32; 2],
        [row, room]: &mut [R::Row; 2],
    ) -> f64 {
        let [one, other] = [a, b].map(|number| &self.balls[number as usize]);
        let bounds = task.bounds;
        let beside = f64::min(
            bounds.of_path(one.link + other.link),
            bounds.of_origin(one.origin + other.origin),
        );
        if a == b {
            return f64::min(beside, bounds.of_path(2.0 * one.radius));
        }
        if !task.longest.may_grow_by(beside) {
            return beside;
        }
        task.rows.load(one.center as usize, row);
        let apart = bounds.length(task.distance(row, other.center, room));
        f64::min(beside, bounds.of_path(apart + one.radius + other.radius))
    }

    /// Compares the rows of two balls, or of one.
    fn compare<R: Keyed>(
        &self,
        task: &Task<'_, R>,
        one: &Ball,
        other: &Ball,
        [row, room]: &mut [R::Row; 2],
    ) {
        let same = one.first == other.first;
        for at in one.first..one.last {
            let member = self.members[at];
            let others = if same { at + 1 } else { other.first }..other.last;
            task.meter.advance(others.len() as u64);
            let mut loaded = false;
            for with in &self.members[others] {
                let most = f64::min(
                    task.bounds.of_path(member.link + with.link),
                    task.bounds.of_origin(member.origin + with.origin),
                );
                if !task.longest.may_grow_by(most) {
                    continue;
                }
                if !loaded {
                    task.rows.load(member.row as usize, row);
                    loaded = true;
                }
                task.distance(row, with.row, room);
            }
            if task.meter.stopped() {
                return;
            }
        }
    }
}

/// Puts the nearer half of some members to one of two far ones first, and gives a centre and the length from
/// it to the farthest member.
fn divide<R: Keyed>(task: &Task<'_, R>, members: &mut [Member]) -> (u32, f64) {
    let farthest = |lengths: &[f64]| {
        let by_length = |&a: &usize, &b: &usize| lengths[a].total_cmp(&lengths[b]).then(b.cmp(&a));
        (0..lengths.len()).max_by(by_length).expect("there are members")
    };
    let from_first = lengths_from(task, members[0].row, members);
    let one = lengths_from(task, members[farthest(&from_first)].row, members);
    let other = lengths_from(task, members[farthest(&one)].row, members);
    // Amid both: the member from which the farther of the two is nearest.
    let amid: Vec<f64> = collected(one.iter().zip(&other).map(|(a, b)| -f64::max(*a, *b)));
    let center = members[farthest(&amid)].row;
    let from_center = lengths_from(task, center, members);
    let radius = from_center[farthest(&from_center)];
    let mut order: Vec<(f64, Member)> =
        collected((0..members.len()).map(|at| (one[at] - other[at], members[at])));
    let middle = members.len() / 2;
    if middle > 0 {
        order
            .select_nth_unstable_by(middle, |a, b| a.0.total_cmp(&b.0).then(a.1.row.cmp(&b.1.row)));
    }
    members.iter_mut().zip(order).for_each(|(member, (_, moved))| *member = moved);
    (center, radius)
}

/// The length from a row to each of some members.
fn lengths_from<R: Keyed>(task: &Task<'_, R>, from: u32, members: &[Member]) -> Vec<f64> {
    let mut lengths = filled(0.0, members.len());
    let mut row = task.rows.room();
    task.rows.load(from as usize, &mut row);
    lengths.par_chunks_mut(PART).zip(members.par_chunks(PART)).shared().for_each_init(
        || task.rows.room(),
        |room, (lengths, members)| {
            task.meter.advance(0);
            if task.meter.stopped() {
                return;
            }
            for (length, member) in lengths.iter_mut().zip(members) {
                let is_itself = member.row == from;
                let distance = if is_itself { 0.0 } else { task.distance(&row, member.row, room) };
                *length = task.bounds.length(distance);
            }
        },
    );
    lengths
}

/// The key of each member to a row of zeros; infinite for all where a value of some member is negative, or
/// some member is a zero row under cosine. Under cosine no other key counts.
fn origins<R: Keyed>(task: &Task<'_, R>, members: &[u32]) -> Vec<f64> {
    let zeros = task.rows.room();
    let mut keys = filled(0.0, members.len());
    let is_positive = keys.par_chunks_mut(PART).zip(members.par_chunks(PART)).map_init(
        || task.rows.room(),
        |row, (keys, members)| {
            keys.iter_mut().zip(members).all(|(key, &member)| {
                task.rows.load(member as usize, row);
                *key = task.rows.key_of_loaded(row, &zeros);
                let is_zero_row = task.rows.metric() == Metric::Cosine && *key == 0.0;
                *key = task.rows.metric().finite(*key);
                task.rows.is_positive(row) && !is_zero_row
            })
        },
    );
    match is_positive.all(|is_positive| is_positive) {
        true => keys,
        false => filled(f64::INFINITY, members.len()),
    }
}
