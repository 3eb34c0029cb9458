//! A machine as a picture: buses as horizontal lines, units above them, register files and immediates below, and every
//! socket as a vertical line with a mark on each bus that it joins.
//!
//! In: a [`Machine`]. Out: an SVG document that stands alone. The layout is fixed by the machine's order, so that the same
//! machine gives the same bytes. A heat map of a run uses the same layout with [`draw_with_heat`].

use crate::model::{Direction, Machine, SocketId};
use std::fmt::Write;

/// How busy each part was, from 0 to 1, in the machine's order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Heat {
    /// Buses.
    pub buses: Vec<f64>,
    /// Units, the control unit last.
    pub units: Vec<f64>,
    /// Register files.
    pub files: Vec<f64>,
    /// Immediate units.
    pub immediates: Vec<f64>,
}

/// Distance between two port columns.
const COLUMN: usize = 26;
/// Distance between two buses.
const ROW: usize = 16;
/// Height of a box.
const BOX: usize = 46;
/// Space around everything.
const MARGIN: usize = 24;
/// Room for the names of buses.
const LABEL: usize = 70;
/// Distance between the boxes and the buses, where port names stand.
const GAP: usize = 34;

/// A port as drawn.
struct Pin<'a> {
    name: &'a str,
    sockets: [Option<SocketId>; 2],
    triggers: bool,
}

/// A box as drawn.
struct Part<'a> {
    name: &'a str,
    note: String,
    class: &'static str,
    pins: Vec<Pin<'a>>,
    heat: Option<f64>,
}

impl Part<'_> {
    fn width(&self) -> usize {
        // Seven units a letter is what the font needs.
        (self.pins.len() * COLUMN).max(self.name.len().max(self.note.len()) * 7).max(2 * COLUMN) + 12
    }
}

/// Draws `machine`.
#[must_use]
pub fn draw(machine: &Machine) -> String {
    draw_with_heat(machine, None)
}

/// Draws `machine` with each part coloured by how busy it was.
#[must_use]
pub fn draw_with_heat(machine: &Machine, heat: Option<&Heat>) -> String {
    let upper = units(machine, heat);
    let lower = files(machine, heat);
    let span = |parts: &[Part<'_>]| parts.iter().map(|p| p.width() + COLUMN).sum::<usize>();
    let width = LABEL + span(&upper).max(span(&lower)) + 2 * MARGIN;
    let first = MARGIN + BOX + GAP;
    let below = first + machine.buses.len() * ROW + GAP;
    let height = below + BOX + MARGIN;

    let mut svg = String::new();
    let _ = writeln!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\" font-family=\"monospace\" font-size=\"11\">"
    );
    svg.push_str(
        "<style>.bus{stroke:#555;stroke-width:3}.in{stroke:#2563a8}.out{stroke:#b4541c}.port{font-size:8px;fill:#555}\
         .unit{fill:#e8eef7;stroke:#2563a8}.control{fill:#f7e8ef;stroke:#8a2560}.file{fill:#eaf5e6;stroke:#3a7a24}\
         .immediate{fill:#fbf3dc;stroke:#9a7a14}.note{font-size:9px;fill:#555}</style>\n",
    );
    let _ = writeln!(svg, "<rect width=\"{width}\" height=\"{height}\" fill=\"white\"/>");
    for (position, bus) in machine.buses.iter().enumerate() {
        let y = first + position * ROW;
        let colour = heat
            .and_then(|h| h.buses.get(position))
            .map_or(String::new(), |v| format!(" style=\"stroke:{}\"", shade(*v)));
        let _ = writeln!(
            svg,
            "<text x=\"{MARGIN}\" y=\"{}\">{}</text><line class=\"bus\"{colour} x1=\"{}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\"/>",
            y + 4,
            escape(&bus.name),
            MARGIN + LABEL - 10,
            width - MARGIN
        );
    }
    row(&mut svg, machine, &upper, MARGIN, first, true);
    row(&mut svg, machine, &lower, below, first, false);
    svg.push_str("</svg>\n");
    svg
}

fn units<'a>(machine: &'a Machine, heat: Option<&Heat>) -> Vec<Part<'a>> {
    machine
        .units()
        .map(|(id, unit)| {
            let control = id == machine.control_unit();
            let note = match unit.space {
                Some(space) => {
                    format!("{} ops, {}", unit.operations.len(), machine.spaces[space.index()].name)
                }
                None => format!("{} ops", unit.operations.len()),
            };
            Part {
                name: &unit.name,
                note,
                class: if control { "control" } else { "unit" },
                pins: unit
                    .ports
                    .iter()
                    .map(|p| Pin { name: &p.name, sockets: [p.input, p.output], triggers: p.triggers })
                    .collect(),
                heat: heat.and_then(|h| h.units.get(id.index())).copied(),
            }
        })
        .collect()
}

fn files<'a>(machine: &'a Machine, heat: Option<&Heat>) -> Vec<Part<'a>> {
    fn pins(ports: &[crate::model::FilePort]) -> Vec<Pin<'_>> {
        ports.iter().map(|p| Pin { name: &p.name, sockets: [p.socket, None], triggers: false }).collect()
    }
    let files = machine.register_files().map(|(id, file)| Part {
        name: &file.name,
        note: format!("{} x {} bits", file.size, file.width),
        class: "file",
        pins: pins(&file.ports),
        heat: heat.and_then(|h| h.files.get(id.index())).copied(),
    });
    let immediates = machine.immediate_units().map(|(id, unit)| Part {
        name: &unit.name,
        note: format!("{} x {} bits", unit.size, unit.width),
        class: "immediate",
        pins: pins(&unit.ports),
        heat: heat.and_then(|h| h.immediates.get(id.index())).copied(),
    });
    files.chain(immediates).collect()
}

/// White to red.
fn shade(value: f64) -> String {
    let cold = 235.0 * (1.0 - value.clamp(0.0, 1.0));
    // In range by the clamp.
    let cold = cold.round() as u8;
    format!("rgb(225,{cold},{cold})")
}

fn escape(text: &str) -> String {
    quick_xml::escape::escape(text).into_owned()
}

/// Draws one row of boxes, with lines to the buses below (or above) it.
fn row(svg: &mut String, machine: &Machine, parts: &[Part<'_>], y: usize, first: usize, above: bool) {
    let mut x = MARGIN + LABEL;
    for part in parts {
        let width = part.width();
        let fill = part.heat.map_or(String::new(), |v| format!(" style=\"fill:{}\"", shade(v)));
        let _ = writeln!(
            svg,
            "<rect class=\"{}\"{fill} x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\" rx=\"4\"/>\
             <text x=\"{}\" y=\"{}\">{}</text><text class=\"note\" x=\"{}\" y=\"{}\">{}</text>",
            part.class,
            x + 6,
            y + 18,
            escape(part.name),
            x + 6,
            y + 34,
            escape(&part.note)
        );
        for (position, pin) in part.pins.iter().enumerate() {
            let column = x + 12 + position * COLUMN;
            let edge = if above { y + BOX } else { y };
            let text = if above { edge + 10 } else { edge - 4 };
            let mark = if pin.triggers { "*" } else { "" };
            let _ = writeln!(
                svg,
                "<text class=\"port\" x=\"{}\" y=\"{text}\">{}{mark}</text>",
                column - 4,
                escape(pin.name)
            );
            for (side, socket) in pin.sockets.iter().enumerate() {
                if let Some(socket) = socket {
                    let from = if above { edge + 13 } else { edge - 13 };
                    self::socket(svg, machine, *socket, column + side * 8, from, first);
                }
            }
        }
        x += width + COLUMN;
    }
}

/// Draws a socket: a line from its port to the furthest bus, a triangle towards the unit or a dot where the unit writes.
fn socket(svg: &mut String, machine: &Machine, id: SocketId, x: usize, from: usize, first: usize) {
    let socket = &machine.sockets[id.index()];
    let class = if socket.direction == Direction::Output { "out" } else { "in" };
    let rows: Vec<usize> = socket.buses.iter().map(|b| first + b.index() * ROW).collect();
    let furthest = rows.iter().copied().max_by_key(|y| y.abs_diff(from));
    let Some(to) = furthest else { return };
    let _ = write!(svg, "<line class=\"{class}\" x1=\"{x}\" y1=\"{from}\" x2=\"{x}\" y2=\"{to}\"/>");
    for y in rows {
        let colour = if class == "out" { "#b4541c" } else { "#2563a8" };
        if socket.direction == Direction::Output {
            let _ = write!(svg, "<circle cx=\"{x}\" cy=\"{y}\" r=\"3.5\" fill=\"{colour}\"/>");
        } else {
            let _ = write!(
                svg,
                "<rect x=\"{}\" y=\"{}\" width=\"6\" height=\"6\" fill=\"{colour}\"/>",
                x - 3,
                y - 3
            );
        }
    }
    svg.push('\n');
}

#[cfg(test)]
mod tests {
    use super::{Heat, draw, draw_with_heat};
    use crate::compose::{compose, stock};

    #[test]
    fn every_machine_is_drawn_as_well_formed_xml() {
        for (name, plan) in stock::plans() {
            let machine = compose(&plan);
            let svg = draw(&machine);
            let mut reader = quick_xml::Reader::from_str(&svg);
            loop {
                match reader.read_event() {
                    Ok(quick_xml::events::Event::Eof) => break,
                    Ok(_) => {}
                    Err(error) => panic!("{name}: {error}"),
                }
            }
            for unit in &machine.units {
                assert!(svg.contains(&format!(">{}</text>", unit.name)), "{name}: {}", unit.name);
            }
            assert_eq!(svg, draw(&machine));
        }
    }

    #[test]
    fn heat_colours_parts() {
        let machine = compose(&stock::plans()[0].1);
        let heat = Heat { buses: vec![1.0], ..Heat::default() };
        assert!(draw_with_heat(&machine, Some(&heat)).contains("rgb(225,0,0)"));
    }
}
