//! A plot over epochs or partitions, as SVG.

use kuva::TickFormat;
use kuva::backend::svg::SvgBackend;
use kuva::plot::annotations::ReferenceLine;
use kuva::plot::{LinePlot, ScatterPlot};
use kuva::prelude::{Layout, Plot, Theme};
use kuva::render::render::{Primitive, Scene, render_multiple};
use maud::{Markup, PreEscaped, html};

/// The units of a chart's drawing, about pixels: three fit beside each other on a screen, one on a
/// phone.
const WIDTH: f64 = 350.0;
const HEIGHT: f64 = 220.0;

/// The most points that are drawn as dots; of more, the line is enough.
const MOST_DOTS: usize = 60;

/// Lines over a common x.
pub(super) struct Chart {
    /// From the first drawn to the last, which is on top.
    pub(super) series: Vec<Series>,
    /// What x is, and its range, from the first to the second whole number.
    pub(super) x: (&'static str, [f64; 2]),
    /// The range of y.
    pub(super) y: Range,
    /// The values of x at which something happened: each is a vertical line.
    pub(super) marks: Vec<f64>,
    /// A value of y to compare with, drawn as a horizontal line.
    pub(super) reference: Option<f64>,
}

/// A line of a chart.
pub(super) struct Series {
    /// A CSS colour.
    pub(super) colour: String,
    /// Whether the line is dashed, as lines are that only serve to compare with.
    pub(super) dashed: bool,
    /// Whether each value holds for an epoch: from x - 1 to x.
    pub(super) steps: bool,
    /// x, y, and what to say of the point.
    pub(super) points: Vec<(f64, f64, String)>,
}

/// How y is laid out.
// Only the page of a training run has percentages and powers of ten.
#[cfg_attr(not(feature = "train"), allow(dead_code))]
pub(super) enum Range {
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
    pub(super) fn draw(mut self, description: &str) -> Markup {
        for series in &mut self.series {
            let lowest = if matches!(self.y, Range::Logarithmic) { 1.0 } else { f64::MIN };
            series.points.retain(|&(x, y, _)| x.is_finite() && y.is_finite() && y >= lowest);
        }
        let values = || self.series.iter().flat_map(|series| &series.points).map(|point| point.1);
        let low = values().chain(self.reference).fold(f64::INFINITY, f64::min);
        let high = values().chain(self.reference).fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            return html! { p.none { "Nothing to plot." } };
        }
        let plots: Vec<Plot> = self.series.iter().flat_map(Series::plots).collect();
        let (label, [first, last]) = self.x;
        let last = if last > first { last } else { first + 1.0 };
        let mut layout = base(Layout::auto_from_plots(&plots), [WIDTH, HEIGHT])
            .with_force_margins(46.0, 12.0)
            .with_force_margins_y(10.0, 44.0)
            .with_x_label(label)
            .with_x_axis_min(first)
            .with_x_axis_max(last)
            .with_x_tick_step(step((last - first) / 7.0).max(1.0))
            .with_x_tick_format(TickFormat::Integer);
        layout = match self.y {
            Range::FromZero => {
                let step = step(if high > 0.0 { high / 5.0 } else { 1.0 });
                layout
                    .with_y_axis_min(0.0)
                    .with_y_axis_max((high / step).ceil().max(1.0) * step)
                    .with_y_tick_step(step)
                    .with_y_tick_format(TickFormat::Custom(std::sync::Arc::new(super::text::short)))
            }
            Range::Percent => {
                let low = ((low - 2.0) / 10.0).floor().clamp(0.0, 9.0) * 10.0;
                let high = ((high + 2.0) / 10.0).ceil().clamp(low / 10.0 + 1.0, 10.0) * 10.0;
                layout
                    .with_y_axis_min(low)
                    .with_y_axis_max(high)
                    .with_y_tick_step(if high - low > 50.0 { 20.0 } else { 10.0 })
                    .with_y_tick_format(TickFormat::Integer)
            }
            Range::Logarithmic => {
                let high = 10f64.powf(high.max(1.0).log10().floor() + 1.0);
                layout.with_log_y().with_y_axis_min(1.0).with_y_axis_max(high)
            }
        };
        for &mark in &self.marks {
            let line = ReferenceLine::vertical(mark).with_color("var(--mark)");
            layout = layout.with_reference_line(line.with_dasharray("3 3"));
        }
        if let Some(reference) = self.reference {
            let line = ReferenceLine::horizontal(reference).with_color("var(--mark)");
            layout = layout.with_reference_line(line.with_dasharray("3 3"));
        }
        svg(render_multiple(plots, layout), description)
    }
}

impl Series {
    /// The line, its dots, and around each dot what a pointer has to hit.
    fn plots(&self) -> Vec<Plot> {
        let points = || self.points.iter().map(|&(x, y, _)| (x, y));
        let mut line = LinePlot::new().with_color(&self.colour).with_stroke_width(if self.dashed {
            1.5
        } else {
            2.0
        });
        line = match self.steps {
            true => {
                let starts = points().map(|(x, y)| (x - 1.0, y));
                line.with_data(starts.chain(points().next_back())).with_step()
            }
            false => line.with_data(points()),
        };
        if self.dashed {
            line = line.with_dashed();
        }
        let dots = ScatterPlot::new().with_data(points()).with_color(&self.colour).with_size(3.0);
        let targets = ScatterPlot::new()
            .with_data(points())
            .with_color(&self.colour)
            .with_size(7.0)
            .with_marker_opacity(0.0)
            .with_tooltip_labels(self.points.iter().map(|point| point.2.clone()));
        let mut plots = vec![Plot::Line(line)];
        if self.points.len() <= MOST_DOTS && !self.steps {
            plots.push(Plot::Scatter(dots));
        }
        plots.push(Plot::Scatter(targets));
        plots
    }
}

/// The layout that all plots share.
fn base(layout: Layout, [width, height]: [f64; 2]) -> Layout {
    let theme = Theme {
        background: "none".into(),
        axis_color: "var(--axis)".into(),
        grid_color: "var(--grid)".into(),
        tick_color: "var(--axis)".into(),
        text_color: "var(--muted)".into(),
        ..Theme::light()
    };
    let layout = layout.with_theme(theme).with_width(width).with_height(height);
    layout.with_tick_size(12).with_label_size(12).with_body_size(12)
}

/// The scene in the page: it is as wide as the page, and has the page's font and colours.
pub(super) fn svg(mut scene: Scene, description: &str) -> Markup {
    scene.background_color = None;
    // Names of clips are counted up in the process. Everything is within the plot anyway, but half
    // of the dots at its edge, which look better whole.
    scene.elements.retain(|it| !matches!(it, Primitive::ClipStart { .. } | Primitive::ClipEnd));
    scene.defs.clear();
    // The page has its own style for tooltips.
    scene.has_tooltips = false;
    let (width, height) = (scene.width, scene.height);
    let drawing = SvgBackend::new().render_scene(&scene);
    let start = drawing.find('>').map_or(0, |end| end + 1);
    let content = drawing[start..].trim_end().trim_end_matches("</svg>");
    html! {
        svg viewBox=(format!("0 0 {width} {height}")) role="img" aria-label=(description) {
            (PreEscaped(content))
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
            y,
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
        assert!(chart(&[], Range::Percent).contains("Nothing"));
        assert!(chart(&[f64::INFINITY], Range::FromZero).contains("Nothing"));
    }
}
