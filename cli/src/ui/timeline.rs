//! Timelines as SVG: a lane for each kind of work, a bar for each piece of it, time to the right. The same pieces give
//! the same bytes.

use std::fmt;

/// What time is counted in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    /// Nanoseconds, shown as milliseconds.
    Milliseconds,
    /// A processor's cycles.
    Cycles,
}

impl Unit {
    /// A time on the axis, as short as it can be.
    fn label(self, time: f64) -> String {
        match self {
            Unit::Milliseconds => {
                let label = format!("{:.3}", time / 1e6);
                format!("{} ms", label.trim_end_matches('0').trim_end_matches('.'))
            }
            Unit::Cycles => format!("{time:.0}"),
        }
    }

    /// The exponent of the least step between two labels: a microsecond, or a cycle.
    fn least(self) -> i32 {
        match self {
            Unit::Milliseconds => 3,
            Unit::Cycles => 0,
        }
    }
}

/// What happened, and when.
#[derive(Debug, Clone)]
pub(crate) struct Span {
    /// The lane.
    pub(crate) lane: String,
    /// What is written on the bar, if it is wide enough.
    pub(crate) label: String,
    pub(crate) start: u64,
    pub(crate) end: u64,
}

/// A timeline.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// What it shows.
    pub(crate) title: String,
    /// What its times are.
    pub(crate) unit: Unit,
    /// The lanes, from above.
    pub(crate) lanes: Vec<String>,
    /// In any order.
    pub(crate) spans: Vec<Span>,
}

const WIDTH: f64 = 960.0;
const LEFT: f64 = 96.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 44.0;
const LANE: f64 = 44.0;
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

impl fmt::Display for Timeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let begin = self.spans.iter().map(|span| span.start).min().unwrap_or(0);
        let end = self.spans.iter().map(|span| span.end).max().unwrap_or(begin + 1).max(begin + 1);
        let length = (end - begin) as f64;
        let at = |time: u64| LEFT + (time - begin) as f64 / length * (WIDTH - LEFT - RIGHT);
        let bottom = TOP + LANE * self.lanes.len() as f64;
        writeln!(
            f,
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {:.0}" font-family="sans-serif" font-size="12">"#,
            bottom + 36.0
        )?;
        writeln!(f, r#"<rect width="{WIDTH}" height="{:.0}" fill="white"/>"#, bottom + 36.0)?;
        writeln!(
            f,
            r#"<text x="{LEFT}" y="24" font-size="15" font-weight="bold">{}</text>"#,
            escaped(&self.title)
        )?;
        let powers = (self.unit.least()..).map(|power| 10f64.powi(power));
        let mut steps = powers.flat_map(|power| [power, 2.0 * power, 5.0 * power]);
        let step = steps.find(|step| length / step <= 10.0).unwrap_or(length);
        let mut tick = 0.0;
        while tick <= length {
            let x = LEFT + tick / length * (WIDTH - LEFT - RIGHT);
            writeln!(f, r##"<path d="M{x:.1} {TOP}V{bottom:.1}" stroke="#dddddd"/>"##)?;
            writeln!(
                f,
                r#"<text x="{x:.1}" y="{:.1}" text-anchor="middle">{}</text>"#,
                bottom + 18.0,
                self.unit.label(tick)
            )?;
            tick += step;
        }
        for (index, lane) in self.lanes.iter().enumerate() {
            let top = TOP + LANE * index as f64;
            let colour = COLOURS[index % COLOURS.len()];
            writeln!(
                f,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="end">{}</text>"#,
                LEFT - 8.0,
                top + 26.0,
                escaped(lane)
            )?;
            let mut spans: Vec<&Span> = self.spans.iter().filter(|span| span.lane == *lane).collect();
            spans.sort_by_key(|span| (span.start, span.end));
            // What overlaps in a lane lies in rows of its own.
            let mut ends: Vec<u64> = Vec::new();
            let rows: Vec<usize> = spans
                .iter()
                .map(|span| {
                    let free = ends.iter().position(|&end| end <= span.start);
                    let row = free.unwrap_or(ends.len());
                    match ends.get_mut(row) {
                        Some(end) => *end = span.end,
                        None => ends.push(span.end),
                    }
                    row
                })
                .collect();
            let height = (LANE - 8.0) / ends.len().max(1) as f64;
            for (span, row) in spans.into_iter().zip(rows) {
                let (x, width) = (at(span.start), (at(span.end) - at(span.start)).max(1.0));
                let y = top + 4.0 + height * row as f64;
                writeln!(
                    f,
                    r#"<rect x="{x:.1}" y="{y:.1}" width="{width:.1}" height="{:.1}" fill="{colour}"/>"#,
                    height - 1.0
                )?;
                if width > 6.0 * span.label.len() as f64 && height > 10.0 {
                    writeln!(
                        f,
                        r#"<text x="{:.1}" y="{:.1}" text-anchor="middle" font-size="10" fill="white">{}</text>"#,
                        x + width / 2.0,
                        y + height / 2.0 + 3.5,
                        escaped(&span.label)
                    )?;
                }
            }
        }
        writeln!(f, "</svg>")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_span_is_a_bar_and_time_runs_to_the_right() {
        let span = |lane: &str, label: &str, start, end| Span {
            lane: lane.to_owned(),
            label: label.to_owned(),
            start,
            end,
        };
        let timeline = Timeline {
            title: "a < b".to_owned(),
            unit: Unit::Milliseconds,
            lanes: vec!["kernels".to_owned(), "page out".to_owned()],
            spans: vec![
                span("kernels", "first", 1_000_000, 5_000_000),
                span("page out", "8 MiB", 3_000_000, 9_000_000),
            ],
        };
        let svg = timeline.to_string();
        assert!(svg.contains("a &lt; b") && svg.contains(">first<") && svg.ends_with("</svg>\n"));
        assert_eq!(svg.matches("<rect x=").count(), 2);
        assert!(svg.contains(">8 ms<"), "{svg}");
        // No spans at all are no division by zero.
        let timeline = Timeline { spans: vec![], ..timeline };
        assert!(timeline.to_string().contains(">0 ms<"));
        assert!(Timeline { unit: Unit::Cycles, ..timeline }.to_string().contains(">0<"));
    }
}
