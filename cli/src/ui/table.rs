//! Tables for people: columns as wide as their widest cell, two spaces apart, no lines. And the figures in them.

use std::fmt;
use std::time::Duration;

/// Rows under a heading.
#[derive(Debug)]
pub(crate) struct Table {
    heading: Vec<String>,
    right: Vec<bool>,
    rows: Vec<Vec<String>>,
}

impl Table {
    /// A table without rows.
    pub(crate) fn new(heading: &[&str]) -> Self {
        Self {
            heading: heading.iter().map(|h| (*h).to_owned()).collect(),
            right: vec![false; heading.len()],
            rows: Vec::new(),
        }
    }

    /// Aligns a column to the right.
    pub(crate) fn right(mut self, column: usize) -> Self {
        if let Some(right) = self.right.get_mut(column) {
            *right = true;
        }
        self
    }

    /// Adds a row; missing cells are empty.
    pub(crate) fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let all = || std::iter::once(&self.heading).chain(&self.rows);
        let width = |column: usize| {
            all().filter_map(|row| row.get(column)).map(|c| c.chars().count()).max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..self.heading.len()).map(width).collect();
        for row in all() {
            let mut line = String::new();
            for (column, width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or("", String::as_str);
                let padding = " ".repeat(width - cell.chars().count());
                let gap = if column == 0 { "" } else { "  " };
                line.push_str(gap);
                if self.right[column] {
                    line.push_str(&padding);
                    line.push_str(cell);
                } else {
                    line.push_str(cell);
                    line.push_str(&padding);
                }
            }
            writeln!(f, "{}", line.trim_end())?;
        }
        Ok(())
    }
}

/// A time with three digits and its unit.
pub(crate) fn duration(time: Duration) -> String {
    let ns = time.as_nanos() as f64;
    let (value, unit) = match ns {
        n if n < 1e3 => return format!("{n} ns"),
        n if n < 1e6 => (n / 1e3, "us"),
        n if n < 1e9 => (n / 1e6, "ms"),
        n => (n / 1e9, "s"),
    };
    format!("{} {unit}", figure(value))
}

/// A figure with three digits.
pub(crate) fn figure(value: f64) -> String {
    let decimals = match value.abs() {
        v if v < 10.0 => 2,
        v if v < 100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Cycles as `12345 cycles`.
pub(crate) fn cycles(count: u64) -> String {
    format!("{count} cycle{}", if count == 1 { "" } else { "s" })
}

/// Sizes as `512 x 512`.
pub(crate) fn sizes(sizes: &[u64]) -> String {
    sizes.iter().map(u64::to_string).collect::<Vec<_>>().join(" x ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_line_up() {
        let mut table = Table::new(&["kernel", "time", "checked"]).right(1);
        table.row(vec!["blur".into(), "1.25 ms".into(), "yes".into()]);
        table.row(vec!["a_long_name".into(), "950 ns".into()]);
        assert_eq!(
            table.to_string(),
            "kernel          time  checked\nblur         1.25 ms  yes\na_long_name   950 ns\n"
        );
    }

    #[test]
    fn figures_have_three_digits() {
        assert_eq!(duration(Duration::from_nanos(999)), "999 ns");
        assert_eq!(duration(Duration::from_nanos(1_250)), "1.25 us");
        assert_eq!(duration(Duration::from_micros(12_340)), "12.3 ms");
        assert_eq!(duration(Duration::from_secs(123)), "123 s");
    }
}
