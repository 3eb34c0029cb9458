//! Line charts as SVG: axes from zero (the upright one), a curve and a legend entry for each series. The same figures
//! give the same bytes.

use std::fmt;

/// A chart.
#[derive(Debug)]
pub(crate) struct Chart {
    /// What it shows.
    pub(crate) title: String,
    /// What runs to the right.
    pub(crate) x_label: String,
    /// What runs upward.
    pub(crate) y_label: String,
    /// Equal ratios are equal distances on the x axis.
    pub(crate) logarithmic_x: bool,
    /// The curves.
    pub(crate) series: Vec<Series>,
}

/// A curve.
#[derive(Debug)]
pub(crate) struct Series {
    /// Its name.
    pub(crate) name: String,
    /// Its points, from left to right.
    pub(crate) points: Vec<(f64, f64)>,
}

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 170.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 55.0;

/// Colours that differ for people who see few of them.
const COLOURS: [&str; 8] =
    ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#999933"];

/// The least of 1, 2, 2.5, 5 times a power of ten that divides `range` into at most six steps.
fn step(range: f64) -> f64 {
    let power = 10_f64.powf((range / 6.0).log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    steps.into_iter().map(|step| step * power).find(|step| range / step <= 6.0).unwrap_or(range)
}

/// A number on an axis, as short as it can be.
fn number(value: f64) -> String {
    let text = format!("{value:.4}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl Chart {
    fn along(&self, x: f64) -> f64 {
        if self.logarithmic_x { x.max(f64::MIN_POSITIVE).log2() } else { x }
    }
}

impl fmt::Display for Chart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let mut ticks: Vec<f64> = points().map(|point| point.0).collect();
        ticks.sort_by(f64::total_cmp);
        ticks.dedup();
        let first = ticks.first().map_or(0.0, |x| self.along(*x));
        let last = ticks.last().map_or(1.0, |x| self.along(*x));
        let highest = points().map(|point| point.1).fold(0.0, f64::max);
        let step = step(if highest > 0.0 { highest } else { 1.0 });
        let top = (highest / step).ceil().max(1.0) * step;
        let right = WIDTH - RIGHT;
        let bottom = HEIGHT - BOTTOM;
        let at_x = |x: f64| match last - first {
            range if range > 0.0 => LEFT + (self.along(x) - first) / range * (right - LEFT),
            _ => f64::midpoint(LEFT, right),
        };
        let at_y = |y: f64| bottom - y / top * (bottom - TOP);
        writeln!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">"#
        )?;
        writeln!(f, r#"<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>"#)?;
        let title = escaped(&self.title);
        writeln!(f, r#"<text x="{LEFT}" y="24" font-size="15" font-weight="bold">{title}</text>"#)?;
        let mut y = 0.0;
        while y <= top + step / 2.0 {
            let (at, label) = (at_y(y), number(y));
            writeln!(f, r##"<path d="M{LEFT:.1} {at:.1}H{right:.1}" stroke="#dddddd"/>"##)?;
            writeln!(
                f,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{label}</text>"#,
                LEFT - 8.0,
                at + 4.0
            )?;
            y += step;
        }
        for x in &ticks {
            let (at, label) = (at_x(*x), number(*x));
            writeln!(f, r#"<text x="{at:.1}" y="{:.1}" text-anchor="middle">{label}</text>"#, bottom + 18.0)?;
        }
        let middle = f64::midpoint(LEFT, right);
        writeln!(
            f,
            r#"<text x="{middle:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
            HEIGHT - 14.0,
            escaped(&self.x_label)
        )?;
        let upright = f64::midpoint(TOP, bottom);
        writeln!(
            f,
            r#"<text transform="translate(18 {upright:.1}) rotate(-90)" text-anchor="middle">{}</text>"#,
            escaped(&self.y_label)
        )?;
        writeln!(f, r#"<path d="M{LEFT} {TOP}V{bottom}H{right}" fill="none" stroke="black"/>"#)?;
        for (index, series) in self.series.iter().enumerate() {
            let colour = COLOURS[index % COLOURS.len()];
            let places: Vec<(f64, f64)> = series.points.iter().map(|(x, y)| (at_x(*x), at_y(*y))).collect();
            let line: Vec<String> = places.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
            writeln!(
                f,
                r#"<polyline points="{}" fill="none" stroke="{colour}" stroke-width="2"/>"#,
                line.join(" ")
            )?;
            for (x, y) in places {
                writeln!(f, r#"<circle cx="{x:.1}" cy="{y:.1}" r="3" fill="{colour}"/>"#)?;
            }
            let at = TOP + 16.0 * index as f64;
            let beside = right + 16.0;
            writeln!(f, r#"<path d="M{beside:.1} {at:.1}h18" stroke="{colour}" stroke-width="2"/>"#)?;
            let name = escaped(&series.name);
            writeln!(f, r#"<text x="{:.1}" y="{:.1}">{name}</text>"#, beside + 24.0, at + 4.0)?;
        }
        writeln!(f, "</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chart_has_its_curves_names_and_ticks() {
        let series =
            |name: &str, points: &[(f64, f64)]| Series { name: name.to_owned(), points: points.to_vec() };
        let chart = Chart {
            title: "a < b".to_owned(),
            x_label: "workers".to_owned(),
            y_label: "us".to_owned(),
            logarithmic_x: false,
            series: vec![series("one", &[(1.0, 0.5), (2.0, 1.0)]), series("two", &[(1.0, 0.25)])],
        };
        let svg = chart.to_string();
        assert!(svg.contains("a &lt; b") && svg.contains(">two<") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<polyline").count(), 2);
        assert_eq!(svg.matches("<circle").count(), 3);
        // A single point stands in the middle, and nothing is divided by zero.
        let alone = Chart { series: vec![series("one", &[(1.0, 0.0)])], ..chart };
        assert!(!alone.to_string().contains("NaN"));
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(step(6.0), 1.0);
        assert_eq!(step(0.3), 0.05);
        assert_eq!(number(0.25), "0.25");
        assert_eq!(number(3.0), "3");
    }
}
