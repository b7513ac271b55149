//! A plot over epochs or partitions, as SVG.

use std::fmt::Write;

use maud::{Markup, html};

use super::svg::{Anchor, Coordinate, Text, drawing};
use super::text::{count, short};

/// The units of a chart's drawing, about pixels: three fit beside each other on a screen, one on a
/// phone.
const WIDTH: f64 = 350.0;
const HEIGHT: f64 = 220.0;

/// The room that axes and their labels take on the left at least, right, above and below.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 10.0;
const BOTTOM: f64 = 44.0;

/// The size of labels.
const SIZE: u32 = 12;
/// The width of a digit of a label, at most, of the fonts of usual browsers.
const DIGIT: f64 = 7.7;

/// The most points that are drawn as dots; of more, the line is enough.
const MOST_DOTS: usize = 60;

/// Lines over a common x.
pub(in crate::report) struct Chart {
    /// From the first drawn to the last, which is on top.
    pub(in crate::report) series: Vec<Series>,
    /// The name of x, and its range, from the first to the second whole number.
    pub(in crate::report) x: (&'static str, [f64; 2]),
    /// The name of y, with its unit, and its range.
    pub(in crate::report) y: (&'static str, Range),
    /// The values of x at which something happened: each is a vertical line.
    pub(in crate::report) marks: Vec<f64>,
    /// A value of y to compare with, drawn as a horizontal line.
    pub(in crate::report) reference: Option<f64>,
}

/// A line of a chart.
pub(in crate::report) struct Series {
    /// A CSS colour.
    pub(in crate::report) colour: String,
    /// True if the line is dashed, as lines are that only serve to compare with.
    pub(in crate::report) dashed: bool,
    /// True if each value holds for an epoch: from x - 1 to x.
    pub(in crate::report) steps: bool,
    /// x, y, and what to say of the point.
    pub(in crate::report) points: Vec<(f64, f64, String)>,
}

/// The range of y, and its layout.
// Only the page of a training run has percentages and powers of ten.
#[cfg_attr(not(feature = "train"), allow(dead_code))]
pub(in crate::report) enum Range {
    /// From 0 to a round number above the largest.
    FromZero,
    /// Percentages: tens around all, within 0 to 100.
    Percent,
    /// Powers of ten.
    Logarithmic,
}

impl Chart {
    /// Draws the chart, and describes it to readers who do not see it. Points that are not finite
    /// are left out.
    pub(in crate::report) fn draw(mut self, description: &str) -> Markup {
        for series in &mut self.series {
            let lowest = if matches!(self.y.1, Range::Logarithmic) { 1.0 } else { f64::MIN };
            series.points.retain(|&(x, y, _)| x.is_finite() && y.is_finite() && y >= lowest);
        }
        let values = || self.series.iter().flat_map(|series| &series.points).map(|point| point.1);
        let low = values().chain(self.reference).fold(f64::INFINITY, f64::min);
        let high = values().chain(self.reference).fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return html! { p.none { "Nothing to plot." } };
        }
        let (label, [first, last]) = self.x;
        let x = Axis::whole(first, if last > first { last } else { first + 1.0 });
        let (name, range) = &self.y;
        let y = range.axis(low, high);
        let longest = y.ticks.iter().map(|&tick| y.label(tick).chars().count()).max();
        let room = f64::max(LEFT, 30.0 + DIGIT * longest.unwrap_or(0) as f64);
        let at = |x_value: f64, y_value: f64| {
            [
                Coordinate(room + x.share(x_value) * (WIDTH - room - RIGHT)),
                Coordinate(HEIGHT - BOTTOM - y.share(y_value) * (HEIGHT - TOP - BOTTOM)),
            ]
        };
        let [left, bottom] = at(x.low, y.low);
        let [right, top] = at(x.high, y.high);
        let text = |at: [Coordinate; 2], by: [f64; 2], anchor, content: &str| {
            let at = [at[0].0 + by[0], at[1].0 + by[1]];
            let colour = "var(--muted)";
            Text { at, anchor, size: SIZE, bold: false, upwards: false, colour }.draw(content)
        };
        let content = html! {
            g stroke="var(--grid)" fill="none" {
                @for &tick in &x.ticks { @let [x, _] = at(tick, y.low); path d=(format!("M{x} {top}V{bottom}")) {} }
                @for &tick in &y.ticks { @let [_, y] = at(x.low, tick); path d=(format!("M{left} {y}H{right}")) {} }
            }
            path d=(format!("M{left} {top}V{bottom}H{right}")) stroke="var(--axis)" fill="none" {}
            @for &tick in &x.ticks {
                (text(at(tick, y.low), [0.0, 16.0], Anchor::Middle, &count(tick as usize)))
            }
            @for &tick in &y.ticks {
                (text(at(x.low, tick), [-6.0, 4.0], Anchor::End, &y.label(tick)))
            }
            (text([Coordinate((left.0 + right.0) / 2.0), bottom], [0.0, 36.0], Anchor::Middle, label))
            @let middle = [12.0, (top.0 + bottom.0) / 2.0];
            (Text { at: middle, anchor: Anchor::Middle, size: SIZE, bold: false, upwards: true, colour: "var(--muted)" }.draw(name))
            g stroke="var(--mark)" stroke-dasharray="3 3" fill="none" {
                @for &mark in &self.marks { @let [x, _] = at(mark, y.low); path d=(format!("M{x} {top}V{bottom}")) {} }
                @if let Some(reference) = self.reference {
                    @let [_, y] = at(x.low, reference);
                    path d=(format!("M{left} {y}H{right}")) {}
                }
            }
            @for series in &self.series { (series.draw(at)) }
        };
        drawing([WIDTH, HEIGHT], description, content)
    }
}

impl Series {
    /// The line, its dots, and around each dot what a pointer has to hit.
    fn draw(&self, at: impl Fn(f64, f64) -> [Coordinate; 2]) -> Markup {
        let mut line = String::new();
        for (place, &(x, y, _)) in self.points.iter().enumerate() {
            let begins = if place == 0 { 'M' } else { 'L' };
            // Writing to a string does not fail.
            let _ = match self.steps {
                true => {
                    let ([start, height], [end, _]) = (at(x - 1.0, y), at(x, y));
                    write!(line, "{begins}{start} {height}H{end}")
                }
                false => {
                    let [x, y] = at(x, y);
                    write!(line, "{begins}{x} {y}")
                }
            };
        }
        let (width, dashes) = if self.dashed { ("1.5", Some("6 4")) } else { ("2", None) };
        let dots = self.points.len() <= MOST_DOTS && !self.steps;
        html! {
            path d=(line) stroke=(self.colour) stroke-width=(width) stroke-dasharray=[dashes]
                stroke-linejoin="round" fill="none" {}
            @for (x, y, tip) in &self.points {
                @let [x, y] = at(*x, *y);
                @if dots { circle cx=(x) cy=(y) r="3" fill=(self.colour) {} }
                circle.tt cx=(x) cy=(y) r="7" fill=(self.colour) fill-opacity="0" { title { (tip) } }
            }
        }
    }
}

/// The values along one side of a chart.
pub(in crate::report) struct Axis {
    low: f64,
    high: f64,
    /// The values that are written beside the axis.
    pub(in crate::report) ticks: Vec<f64>,
    logarithmic: bool,
}

impl Axis {
    /// Ticks at round numbers between any two values.
    pub(in crate::report) fn round(low: f64, high: f64) -> Self {
        let extent = high - low;
        Self::stepped(low, high, step(if extent > 0.0 { extent / 6.0 } else { 1.0 }))
    }

    /// Ticks at multiples of `step`, and numbers from `low` to `high`.
    fn stepped(low: f64, high: f64, step: f64) -> Self {
        let first = (low / step).ceil();
        // At most a dozen: steps are chosen by the range.
        let ticks = (0..12).map(|number| (first + f64::from(number)) * step);
        let ticks = ticks.take_while(|&tick| tick <= high * (1.0 + 1e-9)).collect();
        Self { low, high, ticks, logarithmic: false }
    }

    /// Whole numbers.
    fn whole(first: f64, last: f64) -> Self {
        Self::stepped(first, last, step((last - first) / 7.0).max(1.0))
    }

    /// Where a value is between the ends, from 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let scale = |value: f64| if self.logarithmic { value.log10() } else { value };
        let [low, high] = [self.low, self.high].map(scale);
        ((scale(value) - low) / (high - low)).clamp(0.0, 1.0)
    }

    /// A tick as people read it.
    fn label(&self, tick: f64) -> String {
        match self.logarithmic && (0.0..1e15).contains(&tick) {
            true => count(tick as usize),
            false => short(tick),
        }
    }
}

impl Range {
    /// The axis on which values from `low` to `high` are laid out.
    fn axis(&self, low: f64, high: f64) -> Axis {
        match self {
            Self::FromZero => {
                let step = step(if high > 0.0 { high / 5.0 } else { 1.0 });
                Axis::stepped(0.0, (high / step).ceil().max(1.0) * step, step)
            }
            Self::Percent => {
                let low = ((low - 2.0) / 10.0).floor().clamp(0.0, 9.0) * 10.0;
                let high = ((high + 2.0) / 10.0).ceil().clamp(low / 10.0 + 1.0, 10.0) * 10.0;
                Axis::stepped(low, high, if high - low > 50.0 { 20.0 } else { 10.0 })
            }
            Self::Logarithmic => {
                let powers = high.max(1.0).log10().floor() as i32 + 1;
                // Of many powers every second, third, … has a tick.
                let ticks = (0..=powers).step_by(1 + powers as usize / 6);
                let ticks = ticks.map(|power| 10f64.powi(power)).collect();
                Axis { low: 1.0, high: 10f64.powi(powers), ticks, logarithmic: true }
            }
        }
    }
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below the number.
fn step(number: f64) -> f64 {
    let power = 10f64.powf(number.log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|digit| digit * power)
        .into_iter()
        .find(|&step| step >= number * (1.0 - 1e-9))
        .unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps() {
        assert_eq!([0.3, 1.0, 1.1, 30.0, 0.05, 7.0].map(step), [0.5, 1.0, 2.0, 50.0, 0.05, 10.0]);
    }

    fn chart(points: &[f64], y: Range) -> String {
        let points = points.iter().zip(1..).map(|(&y, x)| (f64::from(x), y, "<tip>".to_string()));
        let series = Series {
            colour: "var(--c0)".into(),
            dashed: false,
            steps: false,
            points: points.collect(),
        };
        let last = series.points.len() as f64;
        let chart = Chart {
            series: vec![series],
            x: ("epoch", [1.0, last]),
            y: ("loss", y),
            marks: vec![1.0],
            reference: None,
        };
        chart.draw("a \"chart\"").into_string()
    }

    #[test]
    fn whatever_the_values() {
        let huge = [1e300, 1e-300, 0.0];
        for points in [&[0.0][..], &[5.0; 3], &[f64::NAN, 1.0], &[-3.0, 2.0], &huge, &[1e-9; 100]] {
            for y in [Range::FromZero, Range::Percent, Range::Logarithmic] {
                let logarithmic = matches!(y, Range::Logarithmic);
                let svg = chart(points, y);
                if logarithmic && points.iter().all(|&value| value < 1.0) {
                    assert!(svg.contains("Nothing"), "{svg}");
                    continue;
                }
                assert!(svg.starts_with("<svg viewBox=\"0 0 350 220\" role=\"img\""), "{svg}");
                assert!(!svg.contains("NaN") && !svg.contains("inf"), "{points:?} {svg}");
                assert!(svg.contains("&lt;tip&gt;") && svg.contains("a &quot;chart&quot;"));
            }
        }
        // Longer labels of an axis have more room.
        let start = |largest| {
            let svg = chart(&[largest], Range::Logarithmic);
            let axis = svg.split("<path d=\"M").nth(1).unwrap().to_string();
            axis.split(' ').next().unwrap().parse::<f64>().unwrap()
        };
        assert!(start(9_298.0) > start(90.0) + 5.0 && start(2e6) > start(9_298.0) + 15.0);
        assert!(chart(&[], Range::Percent).contains("Nothing"));
        assert!(chart(&[f64::INFINITY], Range::FromZero).contains("Nothing"));
    }
}
