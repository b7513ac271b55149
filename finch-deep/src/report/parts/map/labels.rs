//! The places of names on a map: beside the dots of what they name, where there is room.

/// The directions in which a name may be from the middle of its group: sixteenths of a turn.
const DIRECTIONS: [[f64; 2]; 16] = [
    [0.0, -1.0],
    [1.0, 0.0],
    [-1.0, 0.0],
    [0.0, 1.0],
    [0.707, -0.707],
    [-0.707, -0.707],
    [0.707, 0.707],
    [-0.707, 0.707],
    [0.383, -0.924],
    [-0.383, -0.924],
    [0.924, -0.383],
    [-0.924, -0.383],
    [0.924, 0.383],
    [-0.924, 0.383],
    [0.383, 0.924],
    [-0.383, 0.924],
];
/// The most rings of places around a group that are tried, half a line apart.
const RINGS: usize = 14;

/// The dots of a map, and the names that it has already.
pub(super) struct Labels<'a> {
    /// The place of each dot, and its group.
    dots: &'a [([f64; 2], usize)],
    /// The radius of a dot.
    radius: f64,
    /// The width and height of the map.
    sides: [f64; 2],
    /// The height of a line of text.
    height: f64,
    /// The places of names: left, right, top and bottom.
    taken: Vec<[f64; 4]>,
}

impl<'a> Labels<'a> {
    pub(super) fn new(
        dots: &'a [([f64; 2], usize)],
        radius: f64,
        sides: [f64; 2],
        height: f64,
    ) -> Self {
        Self { dots, radius, sides, height, taken: Vec::new() }
    }

    /// Where the middle of a group's name may be: beside its dots, over none, and nearer to them than to
    /// those of another group. Where there is no such place, over the middle of the group, unless
    /// another name is there.
    pub(super) fn beside_group(
        &mut self,
        name: &str,
        group: usize,
        middle: [f64; 2],
    ) -> Option<[f64; 2]> {
        let half = self.half(name);
        let step = 0.5 * self.height;
        let rings = (1..=RINGS).flat_map(|ring| {
            DIRECTIONS.map(|[x, y]| {
                let by = step * ring as f64;
                [middle[0] + by * x, middle[1] + by * y]
            })
        });
        let is_own = |&[x, y]: &[f64; 2]| {
            let (mut nearest, mut of) = (f64::INFINITY, group);
            for &(dot, other) in self.dots {
                let [dx, dy] = [(dot[0] - x).abs(), (dot[1] - y).abs()];
                if dx < half + self.radius && dy < 0.4 * self.height + self.radius {
                    return false;
                }
                let distance = dx * dx + dy * dy;
                if distance < nearest {
                    (nearest, of) = (distance, other);
                }
            }
            of == group
        };
        let room = |at: &[f64; 2]| self.is_free(self.around(*at, half));
        let beside = rings.filter(room).find(is_own);
        let over = [self.within(middle, half)];
        let found = beside.or_else(|| over.into_iter().find(room))?;
        self.taken.push(self.around(found, half));
        Some(found)
    }

    /// Where the name of a sample begins, or ends where the second is true: beside its dot.
    pub(super) fn beside_dot(&mut self, name: &str, [x, y]: [f64; 2]) -> Option<([f64; 2], bool)> {
        let (half, gap) = (self.half(name), self.radius + 0.3 * self.height);
        let line = self.height;
        let spots =
            [(gap, 0.0), (-gap, 0.0), (gap, line), (-gap, line), (gap, -line), (-gap, -line)];
        let hides = |&[left, right, top, bottom]: &[f64; 4]| {
            let within = |[x, y]: [f64; 2]| left < x && x < right && top < y && y < bottom;
            self.dots.iter().any(|&(dot, _)| within(dot))
        };
        let spot = |(by, down): (f64, f64)| {
            let (ends, y) = (by < 0.0, y + down);
            let start = x + by;
            let middle = if ends { start - half } else { start + half };
            let place = self.around([middle, y], half);
            (self.is_free(place) && !hides(&place)).then_some((place, [start, y], ends))
        };
        let (place, at, ends) = spots.into_iter().find_map(spot)?;
        self.taken.push(place);
        Some((at, ends))
    }

    /// Half of the width of a name.
    fn half(&self, name: &str) -> f64 {
        0.33 * self.height * name.chars().count() as f64
    }

    /// The place of a name around its middle.
    fn around(&self, [x, y]: [f64; 2], half: f64) -> [f64; 4] {
        [x - half, x + half, y - self.height / 2.0, y + self.height / 2.0]
    }

    /// The middle of a name moved onto the map.
    fn within(&self, [x, y]: [f64; 2], half: f64) -> [f64; 2] {
        let [width, height] = self.sides;
        let on = |at: f64, room: f64, side: f64| at.min(side - room).max(room);
        [on(x, half, width), on(y, self.height / 2.0, height)]
    }

    /// True if a place is on the map, and no name is there.
    fn is_free(&self, [left, right, top, bottom]: [f64; 4]) -> bool {
        let over = |other: &[f64; 4]| {
            left < other[1] && other[0] < right && top < other[3] && other[2] < bottom
        };
        let [width, height] = self.sides;
        let on_map = left >= 0.0 && right <= width && top >= 0.0 && bottom <= height;
        on_map && !self.taken.iter().any(over)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Dots in two columns, in groups of their own.
    fn dots() -> Vec<([f64; 2], usize)> {
        let column =
            |group: usize, x: f64| (0..20).map(move |i| ([x, 40.0 + 8.0 * f64::from(i)], group));
        column(0, 100.0).chain(column(1, 160.0)).collect()
    }

    #[test]
    fn a_number_hides_no_dot_and_is_nearest_to_its_own() {
        let dots = dots();
        let mut labels = Labels::new(&dots, 4.0, [300.0, 240.0], 15.0);
        for (group, x) in [(0, 100.0), (1, 160.0)] {
            let [at, y] = labels.beside_group("7", group, [x, 112.0]).unwrap();
            let distance = |dot: &([f64; 2], usize)| (dot.0[0] - at).hypot(dot.0[1] - y);
            let nearest = dots.iter().min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
            assert_eq!(nearest.1, group);
            assert!(distance(nearest) > 4.0 + 0.33 * 15.0 - 1.0);
        }
    }

    #[test]
    fn where_there_is_no_room_a_name_is_over_its_group_and_once() {
        let dots: Vec<_> =
            (0..900).map(|i| ([f64::from(i % 30) * 5.0, f64::from(i / 30) * 5.0], 0)).collect();
        let mut labels = Labels::new(&dots, 3.0, [145.0, 145.0], 15.0);
        assert_eq!(labels.beside_group("7", 0, [70.0, 70.0]), Some([70.0, 70.0]));
        assert_eq!(labels.beside_group("8", 0, [72.0, 70.0]), None);
    }

    #[test]
    fn names_of_samples_are_beside_their_dots() {
        let dots = [([280.0, 50.0], 0), ([20.0, 50.0], 0)];
        let mut labels = Labels::new(&dots, 4.0, [300.0, 100.0], 15.0);
        let (right, ends) = labels.beside_dot("Neptune", dots[0].0).unwrap();
        assert!(ends && right[0] < 276.0);
        let (left, ends) = labels.beside_dot("Mars", dots[1].0).unwrap();
        assert!(!ends && left[0] > 24.0);
        assert!(labels.beside_dot(&"long ".repeat(9), dots[1].0).is_none());
    }
}
