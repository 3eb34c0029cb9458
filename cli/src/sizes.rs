//! Sizes on the command line: `1024`, `512,512`, `8,8,8`.

/// One to three positive sizes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sizes(pub(crate) Vec<u64>);

impl Sizes {
    /// Missing dimensions filled.
    #[cfg_attr(
        not(feature = "compiler"),
        expect(dead_code, reason = "only the compiler asks for whole sizes")
    )]
    pub(crate) fn padded(&self, fill: u64) -> [u64; 3] {
        std::array::from_fn(|d| self.0.get(d).copied().unwrap_or(fill))
    }
}

/// Reads a global or local size.
pub(crate) fn parse(text: &str) -> Result<Sizes, String> {
    numbers(text, 1)
}

/// Reads an offset, which may be zero.
pub(crate) fn parse_offset(text: &str) -> Result<Sizes, String> {
    numbers(text, 0)
}

fn numbers(text: &str, least: u64) -> Result<Sizes, String> {
    let sizes: Vec<u64> = text
        .split([',', 'x'])
        .map(|part| match part.trim().parse() {
            Ok(size) if size >= least => Ok(size),
            _ => Err(format!("`{part}` is not a whole number of {least} or more; for example 512,512")),
        })
        .collect::<Result<_, _>>()?;
    if sizes.len() > 3 {
        return Err(format!("{} dimensions are more than OpenCL's three", sizes.len()));
    }
    Ok(Sizes(sizes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_to_three_sizes() {
        assert_eq!(parse("512,256"), Ok(Sizes(vec![512, 256])));
        assert_eq!(parse("8x8x8"), Ok(Sizes(vec![8, 8, 8])));
        assert_eq!(parse_offset("0,1").map(|s| s.padded(0)), Ok([0, 1, 0]));
        for wrong in ["", "0", "1,", "-1", "1,2,3,4", "a", "99999999999999999999"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
