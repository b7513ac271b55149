//! The comparisons of one move of a search, a pass or a join, and the neighbours found so far.

use std::collections::HashMap;
use std::mem;

use rayon::prelude::*;

use super::candidate_rows::Sketched;
use super::candidates::CandidateLists;
use super::cells::Cells;
use super::group::Group;
use super::local_join::{Neighborhoods, are_lone, write_fresh};
use super::request::Sides;
use super::shares::SETTLING;
use super::sketches::Sketches;
use super::truth::share;
use super::tuning::{
    CELL, CELLS_AT_ONCE, JOINED_AT_ONCE, JOINS_OF_ALL, NEAR_OF_ROW, RATIO_MARGIN, REACH,
    SETTLED_AT_ONCE,
};
use crate::neighbors::kernel::Candidate;
use crate::neighbors::lists::{Nearest, last, offer};
use crate::partition::members::Members;
use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::support::memory::{
    collected, filled, filled_in_parallel, gathered, reserve, reserve_entry,
};
use crate::support::parallel::SharedSplitting as _;

/// A search under way. Sketches are numbered by their places, which are not those of their rows.
pub(super) struct Passes<'a, R: Sketched> {
    rows: &'a R,
    sides: Sides,
    k: usize,
    sketches: &'a Sketches,
    /// For each place the nearest so far by their sketches.
    near: CandidateLists,
    /// The number of joins made. They take turns: each is of one neighbourhood in [`JOINS_OF_ALL`].
    joins: usize,
    /// For each turn the nearest of each place when its neighbourhoods were last joined; nothing before.
    nearest_at_join: [Option<Vec<[u32; NEAR_OF_ROW]>>; JOINS_OF_ALL],
    /// The largest ratio of the squared distance of two sketches to that of their rows, as far as
    /// is known; infinite before the first pass. A row whose sketch is farther than this times a
    /// key is farther than the key.
    ratio: f64,
    meter: &'a Meter<'a>,
}

/// A loaded row.
type Row<R> = <<R as Sketched>::Rows as Keyed>::Row;

/// The memory in which a thread compares sketches.
#[derive(Default)]
struct Workspace {
    group: Group,
    found: Vec<Candidate>,
    limits: Vec<f32>,
}

impl<'a, R: Sketched> Passes<'a, R> {
    /// Nothing is found yet. Of each row as many others as `spare`, beyond the `k` that are asked for, are
    /// compared by key.
    pub(super) fn new(
        rows: &'a R,
        sides: Sides,
        [k, spare]: [usize; 2],
        sketches: &'a Sketches,
        meter: &'a Meter<'a>,
    ) -> Self {
        // Rows that search nothing take nothing, but for equal sketches, which nobody looks at.
        let limit = |place: usize| match sides.searches(sketches.row(place as u32)) {
            true => f32::INFINITY,
            false => 0.0,
        };
        let near = CandidateLists::new(sketches.len(), k + spare, limit);
        Self {
            rows,
            sides,
            k,
            sketches,
            near,
            joins: 0,
            nearest_at_join: [const { None }; JOINS_OF_ALL],
            ratio: f64::INFINITY,
            meter,
        }
    }

    /// Compares rows by the cells of a pass, which is the share `part` of all work. In the first
    /// pass a sample tells how near the distances of sketches come to those of rows: where they do
    /// not come all the way, a third fewer rows are compared by key.
    pub(super) fn run(&mut self, cells: &Cells, sample: &[u32], part: f64) {
        let advance = part / 2.0 * self.sides.pairs();
        self.compare_members(cells, advance);
        if self.meter.stopped() {
            return;
        }
        let mut limits = self.near.distances(self.k - 1);
        limits.par_iter_mut().shared().for_each(|limit| *limit *= REACH);
        let reaching = cells.within_reach(&limits);
        drop(limits);
        self.compare_reaching(cells, &reaching, advance);
        drop(reaching);
        if self.meter.stopped() {
            return;
        }
        if self.ratio.is_infinite() {
            self.ratio = self.largest_ratio(sample);
        }
    }

    /// The place of each row that is among some nearest.
    pub(super) fn places_of(&self, nearest: &[Nearest]) -> HashMap<u32, u32> {
        let mut place_of = HashMap::new();
        for near in nearest {
            reserve_entry(&mut place_of);
            place_of.insert(near.index, 0);
        }
        for place in 0..self.sketches.len() as u32 {
            if let Some(of_row) = place_of.get_mut(&self.sketches.row(place)) {
                *of_row = place;
            }
        }
        place_of
    }

    /// Of the true nearest at some places, the share that was not found and whose sketches are farther than full
    /// lists reach: no move finds these, since too many sketches are nearer. `place_of` has the places of the true
    /// nearest.
    pub(super) fn beyond_lists(
        &self,
        places: &[u32],
        [found, truth]: [&[Nearest]; 2],
        place_of: &HashMap<u32, u32>,
    ) -> f64 {
        let lists = found.chunks_exact(self.k).zip(truth.chunks_exact(self.k)).zip(places);
        let beyond = lists.map(|((found, truth), &place)| {
            let reach = f64::from(self.near.limit(place)).sqrt();
            let is_missed = |near: &&Nearest| near.key < last(found).key;
            let is_beyond = |near: &&Nearest| {
                self.sketches.least_distance(place, place_of[&near.index]) > reach
            };
            truth.iter().filter(is_missed).filter(is_beyond).count()
        });
        beyond.sum::<usize>() as f64 / truth.len().max(1) as f64
    }

    /// Compares by other sketches from now on, which are in the same places. Neighbourhoods are then to be joined
    /// anew.
    pub(super) fn compare_by(&mut self, sketches: &'a Sketches, sample: &[u32]) {
        self.near.measure_anew(|one, other| match self.meter.stopped() {
            true => 0.0,
            false => sketches.squared_distance(one, other) as f32,
        });
        self.sketches = sketches;
        self.nearest_at_join = [const { None }; JOINS_OF_ALL];
        self.ratio = self.largest_ratio(sample);
    }

    /// True if lists that are twice as long take no more memory than the rows in f32.
    pub(super) fn may_lengthen(&self) -> bool {
        let bytes = 2 * self.near.most() * size_of::<Candidate>();
        bytes <= self.sketches.features() * size_of::<f32>()
    }

    /// Doubles the lists of the nearest by their sketches. Neighbourhoods are then to be joined anew.
    pub(super) fn lengthen(&mut self) {
        let most = 2 * self.near.most();
        let shorter = mem::replace(&mut self.near, CandidateLists::new(0, 1, |_| 0.0));
        self.near = shorter.lengthened(most);
        self.nearest_at_join = [const { None }; JOINS_OF_ALL];
    }

    /// Compares the rows that few others are near to with those of the cells that they join or reach
    /// for, which is the share `part` of all work. Returns the number of comparisons for each row.
    pub(super) fn run_for_lone(&mut self, cells: &Cells, part: f64) -> f64 {
        let lone = are_lone(&self.near);
        let mut limits = self.near.distances(self.k - 1);
        let of_places = limits.par_iter_mut().zip(&lone);
        of_places
            .shared()
            .for_each(|(limit, &lone)| *limit = if lone { REACH * *limit } else { 0.0 });
        let reaching = cells.within_reach(&limits);
        drop(limits);
        let advance = part * self.sides.pairs() / reaching.len().max(1) as f64;
        let compare = |(workspace, left): &mut (Workspace, Vec<u32>), cell| {
            if self.meter.stopped() {
                return 0;
            }
            let (members, reaching) = (cells.members().cluster(cell), reaching.cluster(cell));
            left.clear();
            reserve(left, members.len() + reaching.len());
            left.extend(members.iter().copied().filter(|&member| lone[member as usize]));
            left.extend(reaching);
            let members = &members[..members.len().min(CELL)];
            for left in left.chunks(CELL) {
                self.compare_with(left, members, workspace);
                self.meter.advance(0);
            }
            self.meter.advance(advance as u64);
            left.len() * members.len()
        };
        let each = (0..reaching.len()).into_par_iter().with_max_len(CELLS_AT_ONCE);
        let comparisons: usize = each.map_init(Default::default, compare).shared().sum();
        comparisons as f64 / self.sketches.len().max(1) as f64
    }

    /// Compares the rows of each neighbourhood with those that are new in it since it was last joined, and at
    /// first with each other, which is the share `part` of all work. Each join is of one neighbourhood in
    /// [`JOINS_OF_ALL`], of others each time. Returns the number of comparisons for each row.
    pub(super) fn join(&mut self, part: f64) -> f64 {
        let neighborhoods = Neighborhoods::of(&self.near);
        let turn = self.joins % JOINS_OF_ALL;
        self.joins += 1;
        let before = self.nearest_at_join[turn].take();
        let parts = self.sketches.len().div_ceil(JOINED_AT_ONCE);
        let advance = part * self.sides.pairs() / parts as f64;
        let compare = |(workspace, [members, fresh]): &mut (Workspace, [Vec<u32>; 2]), part| {
            let (first, mut comparisons) = (part * JOINED_AT_ONCE, 0);
            let end = self.sketches.len().min(first + JOINED_AT_ONCE);
            for place in (first + turn..end).step_by(JOINS_OF_ALL) {
                if self.meter.stopped() {
                    return 0;
                }
                neighborhoods.write(place as u32, members);
                match &before {
                    Some(before) => write_fresh(place as u32, before, members, fresh),
                    None => fresh.clone_from(members),
                }
                // Where most are new, all pairs, as in the first join.
                if 2 * fresh.len() > members.len() {
                    comparisons += members.len().pow(2);
                    self.compare_each_other(members, workspace);
                } else {
                    comparisons += fresh.len() * members.len();
                    self.compare_with(fresh, members, workspace);
                }
            }
            self.meter.advance(advance as u64);
            comparisons
        };
        let comparisons: usize = (0..parts)
            .into_par_iter()
            .with_max_len(1)
            .map_init(Default::default, compare)
            .shared()
            .sum();
        self.nearest_at_join[turn] = Some(neighborhoods.into_nearest());
        comparisons as f64 / self.sketches.len().max(1) as f64
    }

    /// Compares the sketches at some places with each other.
    fn compare_each_other(&self, members: &[u32], workspace: &mut Workspace) {
        let (near, Workspace { group, found, .. }) = (&self.near, workspace);
        let scale = group.gather(self.sketches, &[], members);
        group.compare_right(|i, to_members| {
            if self.meter.stopped() {
                return;
            }
            let limit = scale.to_steps(near.limit(members[i]));
            // One more, since one is the member itself.
            to_members.find_few(limit, near.most() + 1, found);
            found.retain(|other| other.number() as usize != i);
            scale.name(found, members);
            near.offer(members[i], found);
        });
    }

    /// Compares the sketches at some places, the left, with those at others, for both. A place may be in
    /// both.
    fn compare_with(&self, left: &[u32], right: &[u32], workspace: &mut Workspace) {
        if self.meter.stopped() || left.is_empty() || right.is_empty() {
            return;
        }
        let (near, Workspace { group, found, limits }) = (&self.near, workspace);
        let scale = group.gather(self.sketches, left, right);
        // Other threads may lower limits meanwhile: then more is offered than is taken.
        let limit = |place: u32| scale.to_steps(near.limit(place));
        limits.clear();
        reserve(limits, right.len());
        limits.extend(right.iter().map(|&place| limit(place)));
        group.compare(self.sketches, left, |i, to_right| {
            if self.meter.stopped() {
                return;
            }
            let (i, limit_of_row) = (left[i], limit(left[i]));
            to_right.find_within(limit_of_row, limits, found);
            found.retain(|other| right[other.number() as usize] != i);
            for other in found.iter() {
                let j = other.number() as usize;
                if other.distance() <= limits[j] {
                    let other = Candidate::new(scale.to_real(other.distance()), i);
                    near.offer(right[j], &[other]);
                    limits[j] = limit(right[j]);
                }
            }
            found.retain(|other| other.distance() <= limit_of_row);
            scale.name(found, right);
            near.offer(i, found);
        });
    }

    /// Compares the sketches of queries at some places with those of the base at the others.
    fn compare_queries(&self, members: &[u32], workspace: &mut Workspace) {
        let (near, Workspace { group, found, .. }) = (&self.near, workspace);
        let of_base = |place: &&u32| self.sides.is_base(self.sketches.row(**place));
        let base: Vec<u32> = gathered(members.iter().filter(of_base).copied());
        let queries = members.iter().filter(|place| !of_base(place)).copied();
        let queries: Vec<u32> = gathered(queries);
        if base.is_empty() || queries.is_empty() {
            return;
        }
        let scale = group.gather(self.sketches, &queries, &base);
        group.compare(self.sketches, &queries, |i, to_base| {
            if self.meter.stopped() {
                return;
            }
            let limit = scale.to_steps(near.limit(queries[i]));
            to_base.find_few(limit, near.most(), found);
            scale.name(found, &base);
            near.offer(queries[i], found);
        });
    }

    /// Compares the sketches of each cell's members with each other.
    fn compare_members(&self, cells: &Cells, advance: f64) {
        let advance = advance / cells.members().all().len() as f64;
        (0..cells.members().len())
            .into_par_iter()
            .with_max_len(CELLS_AT_ONCE)
            .shared()
            .for_each_init(Workspace::default, |workspace, cell| {
                for members in cells.members().cluster(cell).chunks(CELL) {
                    if self.meter.stopped() {
                        return;
                    }
                    match self.sides.are_two() {
                        true => self.compare_queries(members, workspace),
                        false => self.compare_each_other(members, workspace),
                    }
                    self.meter.advance((advance * members.len() as f64) as u64);
                }
            });
    }

    /// Compares the sketches of each cell's members with those that reach for the cell, for both.
    fn compare_reaching(&self, cells: &Cells, reaching: &Members, advance: f64) {
        if reaching.all().is_empty() {
            return self.meter.advance(advance as u64);
        }
        let advance = advance / reaching.all().len() as f64;
        let each = (0..reaching.len()).into_par_iter().with_max_len(CELLS_AT_ONCE);
        each.shared().for_each_init(Workspace::default, |workspace, cell| {
            let members = cells.members().cluster(cell).iter().copied();
            let of_base = |place: &u32| self.sides.is_base(self.sketches.row(*place));
            let members: Vec<u32> = gathered(members.filter(of_base).take(CELL));
            let members = &members[..];
            for reaching in reaching.cluster(cell).chunks(CELL) {
                if self.meter.stopped() {
                    return;
                }
                self.compare_with(reaching, members, workspace);
                self.meter.advance((advance * reaching.len() as f64) as u64);
            }
        });
    }

    /// The largest ratio of the squared distance of two sketches to that of their rows, among the
    /// sketches at some places and those near them, and a hair more. In cells that are wide for how
    /// near neighbours are, rounding makes the ratio larger than 1.
    fn largest_ratio(&self, places: &[u32]) -> f64 {
        let of_place = |(found, [of_row, of_other]): &mut (Vec<_>, [Row<R>; 2]), &place: &u32| {
            if self.meter.stopped() {
                return 0.0;
            }
            self.near.copy(place, found);
            let rows = self.rows.rows();
            rows.load(self.sketches.row(place) as usize, of_row);
            let of_pair = |near: &Candidate| {
                let other = self.sketches.row(near.number()) as usize;
                let key = rows.key(of_row, other, of_other);
                let limit = self.sketches.limit(self.rows.squared(key));
                f64::from(near.distance()) / (limit * limit)
            };
            found.iter().map(of_pair).fold(0.0, f64::max)
        };
        let ratios = places
            .par_iter()
            .map_init(|| (Vec::new(), [(); 2].map(|()| self.rows.rows().room())), of_place);
        let largest = ratios.shared().reduce(|| 0.0, f64::max);
        if largest > 0.0 { largest * RATIO_MARGIN } else { f64::INFINITY }
    }

    /// Lists of the `k` nearest by key, of all places that search, among the rows whose sketches are near.
    fn settle_all(&self) -> Vec<Nearest> {
        let mut nearest = filled_in_parallel(Nearest::NONE, self.sketches.len() * self.k);
        // Places that follow each other are near each other: their rows are compared with much the
        // same rows, which are then in a cache.
        let part = SETTLED_AT_ONCE as f64 / self.sketches.len().max(1) as f64;
        let advance = (SETTLING * part * self.sides.pairs()) as u64;
        let parts = nearest.par_chunks_mut(SETTLED_AT_ONCE * self.k).with_max_len(1).enumerate();
        parts.shared().for_each_init(
            || self.settling(),
            |settling, (part, lists)| {
                let lists = lists.chunks_exact_mut(self.k);
                for (place, list) in (part * SETTLED_AT_ONCE..).zip(lists) {
                    if self.sides.searches(self.sketches.row(place as u32)) {
                        self.settle_row(place as u32, list, settling);
                    }
                }
                self.meter.advance(advance);
            },
        );
        nearest
    }

    /// The `k` nearest so far at each of some places that search.
    pub(super) fn found(&self, places: &[u32]) -> Vec<Nearest> {
        let mut found = filled(Nearest::NONE, places.len() * self.k);
        let lists = found.par_chunks_exact_mut(self.k).zip(places);
        lists.shared().for_each_init(
            || self.settling(),
            |settling, (list, &place)| self.settle_row(place, list, settling),
        );
        found
    }

    fn settling(&self) -> (Vec<Candidate>, [Row<R>; 2]) {
        (Vec::new(), [(); 2].map(|()| self.rows.rows().room()))
    }

    /// Compares a row by key with the rows whose sketches are near, as far as these may be nearer
    /// than what its list holds.
    fn settle_row(
        &self,
        place: u32,
        list: &mut [Nearest],
        (near, [of_row, of_other]): &mut (Vec<Candidate>, [Row<R>; 2]),
    ) {
        let Self { sketches, .. } = self;
        let rows = self.rows.rows();
        // Neighbours found by a pass that a deadline ended count, too.
        if self.meter.beyond().stopped() {
            return;
        }
        self.near.copy(place, near);
        rows.load(sketches.row(place) as usize, of_row);
        for near in near.iter() {
            let limit = sketches.limit(self.rows.squared(last(list).key));
            if f64::from(near.distance()) > self.ratio * limit * limit {
                break;
            }
            let other = sketches.row(near.number());
            let key = rows.key_within(of_row, other as usize, last(list).key, of_other);
            offer(list, key, other);
        }
    }

    /// Of those of some places whose true nearest are not all among what was found, the share that few others
    /// are near to.
    pub(super) fn lone_of_missed(&self, places: &[u32], [found, truth]: [&[Nearest]; 2]) -> f64 {
        let lone = are_lone(&self.near);
        let lists = found.chunks_exact(self.k).zip(truth.chunks_exact(self.k));
        let missed =
            lists.zip(places).filter(|((found, truth), _)| share(found, truth, self.k) < 1.0);
        let missed: Vec<bool> = gathered(missed.map(|(_, &place)| lone[place as usize]));
        missed.iter().filter(|&&lone| lone).count() as f64 / missed.len().max(1) as f64
    }

    /// The true `k` nearest at each of some places, of which these are `found` so far: the share `part` of all
    /// work. Where all features have to be compared, at the first `most_by_features` places alone.
    pub(super) fn truth(
        &self,
        places: &[u32],
        found: &[Nearest],
        part: f64,
        most_by_features: usize,
    ) -> Vec<Nearest> {
        let known = |asked: usize| last(&found[asked * self.k..][..self.k]).key;
        let of_base = |place: &u32| self.sides.is_base(self.sketches.row(*place));
        let base = gathered((0..self.sketches.len() as u32).filter(of_base));
        let of_pair = part * self.sides.pairs() / (base.len() * places.len()).max(1) as f64;
        let meter = &self.meter.weighted(of_pair);
        self.rows.truth(self.sketches, [&base, places], self.k, &known, most_by_features, meter)
    }

    /// The lists of all rows that search, in the order of the rows. A row for which fewer than `k` were found
    /// gets its true neighbours, unless a deadline has come.
    pub(super) fn into_lists(self) -> Vec<Nearest> {
        let Self { k, sketches, .. } = self;
        let mut nearest = self.settle_all();
        let mut lacking: Vec<u32> = collected(0..sketches.len() as u32);
        lacking.retain(|&place| {
            let searches = self.sides.searches(sketches.row(place));
            searches && last(&nearest[place as usize * k..][..k]) == &Nearest::NONE
        });
        if self.meter.stopped() {
            lacking.clear();
        }
        let exact =
            self.truth(&lacking, &filled(Nearest::NONE, lacking.len() * k), 0.0, usize::MAX);
        for (&place, list) in lacking.iter().zip(exact.chunks_exact(k)) {
            nearest[place as usize * k..][..k].copy_from_slice(list);
        }
        let mut all = filled(Nearest::NONE, self.rows.rows().len() * k);
        for (place, list) in (0..).zip(nearest.chunks_exact(k)) {
            all[sketches.row(place) as usize * k..][..k].copy_from_slice(list);
        }
        all.drain(..self.sides.first() * k);
        all
    }
}
