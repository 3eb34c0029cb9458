//! Small arithmetic for `bytes` and `flops`: numbers, `+ - * /`, parentheses, and names (the launch's sizes and the
//! kernel's scalar arguments).

use thiserror::Error;

/// What a formula may hold, for messages.
pub const HELP: &str = "a formula has numbers, + - * / ( ), gx gy gz (global size), lx ly lz (local size) and scalar arguments by name";

/// Why a formula has no value.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum FormulaError {
    /// Not the syntax.
    #[error("`{rest}` is not understood")]
    Syntax { rest: String },
    /// The formula ends early.
    #[error("it ends where a value is expected")]
    End,
    /// A name that means nothing here.
    #[error("nothing is called `{name}`")]
    Name { name: String },
    /// Parentheses within parentheses without end.
    #[error("it is nested too deeply")]
    Depth,
}

/// Evaluates a formula with the names that `lookup` knows.
pub fn evaluate(text: &str, lookup: &dyn Fn(&str) -> Option<f64>) -> Result<f64, FormulaError> {
    let mut parser = Parser { rest: text.trim(), lookup, depth: 0 };
    let value = parser.sum()?;
    if parser.rest.is_empty() {
        Ok(value)
    } else {
        Err(FormulaError::Syntax { rest: parser.rest.to_owned() })
    }
}

struct Parser<'a> {
    rest: &'a str,
    lookup: &'a dyn Fn(&str) -> Option<f64>,
    depth: u32,
}

impl<'a> Parser<'a> {
    fn take(&mut self, symbol: char) -> bool {
        match self.rest.strip_prefix(symbol) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Result<f64, FormulaError> {
        let mut value = self.product()?;
        loop {
            if self.take('+') {
                value += self.product()?;
            } else if self.take('-') {
                value -= self.product()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn product(&mut self) -> Result<f64, FormulaError> {
        let mut value = self.atom()?;
        loop {
            if self.take('*') {
                value *= self.atom()?;
            } else if self.take('/') {
                value /= self.atom()?;
            } else {
                return Ok(value);
            }
        }
    }

    fn atom(&mut self) -> Result<f64, FormulaError> {
        if self.take('(') {
            self.depth += 1;
            if self.depth > 100 {
                return Err(FormulaError::Depth);
            }
            let value = self.sum()?;
            self.depth -= 1;
            return if self.take(')') { Ok(value) } else { Err(self.unexpected()) };
        }
        let name =
            self.word(|c| c.is_ascii_alphabetic() || c == '_', |c| c.is_ascii_alphanumeric() || c == '_');
        if let Some(name) = name {
            return (self.lookup)(name).ok_or_else(|| FormulaError::Name { name: name.to_owned() });
        }
        let number = self.word(|c| c.is_ascii_digit() || c == '.', |c| c.is_ascii_alphanumeric() || c == '.');
        match number {
            Some(number) => number.parse().map_err(|_| FormulaError::Syntax { rest: number.to_owned() }),
            None => Err(self.unexpected()),
        }
    }

    fn word(&mut self, first: fn(char) -> bool, more: fn(char) -> bool) -> Option<&'a str> {
        self.rest.chars().next().filter(|c| first(*c))?;
        let end = self.rest.find(|c| !more(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        Some(word)
    }

    fn unexpected(&self) -> FormulaError {
        if self.rest.is_empty() {
            FormulaError::End
        } else {
            FormulaError::Syntax { rest: self.rest.to_owned() }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> Result<f64, FormulaError> {
        evaluate(text, &|name| match name {
            "gx" => Some(1024.0),
            "n_steps" => Some(3.0),
            _ => None,
        })
    }

    #[test]
    fn arithmetic() {
        assert_eq!(value("2 * gx * (4 + n_steps) - 1"), Ok(2.0 * 1024.0 * 7.0 - 1.0));
        assert_eq!(value("1e3/4"), Ok(250.0));
    }

    #[test]
    fn errors_name_the_place() {
        assert_eq!(value("gx *"), Err(FormulaError::End));
        assert_eq!(value("gq"), Err(FormulaError::Name { name: "gq".into() }));
        assert_eq!(value("gx gx"), Err(FormulaError::Syntax { rest: "gx".into() }));
        assert_eq!(value("1.2.3"), Err(FormulaError::Syntax { rest: "1.2.3".into() }));
        assert_eq!(value(&"(".repeat(100_000)), Err(FormulaError::Depth));
        assert!(value("").is_err() && value("é").is_err());
    }
}
