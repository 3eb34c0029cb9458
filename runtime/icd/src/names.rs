//! The names that programs see: ours, or those that the user chooses by `OXCL_PLATFORM_NAME` and `OXCL_PLATFORM_VENDOR`.
//! Some programs decide by an implementation's name what they hand to it; their user can give them the name that they know.
//!
//! Nothing but the answers of three queries changes with them: versions, extensions and the vendor's number stay ours.
//! They are read once, when first asked for.

use std::sync::OnceLock;

use crate::reported;

const NAME_VARIABLE: &str = "OXCL_PLATFORM_NAME";
const VENDOR_VARIABLE: &str = "OXCL_PLATFORM_VENDOR";

/// The longest name in bytes: programs read names into arrays of their own, many into 256 bytes or less.
const LONGEST: usize = 127;

/// `CL_PLATFORM_NAME`.
pub(crate) fn platform() -> &'static str {
    static NAME: OnceLock<String> = OnceLock::new();
    NAME.get_or_init(|| seen(NAME_VARIABLE))
}

/// `CL_PLATFORM_VENDOR` and `CL_DEVICE_VENDOR`.
pub(crate) fn vendor() -> &'static str {
    static VENDOR: OnceLock<String> = OnceLock::new();
    VENDOR.get_or_init(|| seen(VENDOR_VARIABLE))
}

fn seen(variable: &str) -> String {
    let value = std::env::var(variable).unwrap_or_default();
    chosen(&value).unwrap_or(reported::NAME).to_owned()
}

/// The name in `value`, without blanks around it; none where it is empty, too long, or not of printable ASCII.
fn chosen(value: &str) -> Option<&str> {
    let name = value.trim_matches(' ');
    let fits =
        !name.is_empty() && name.len() <= LONGEST && name.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    fits.then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_a_name() {
        assert_eq!(chosen(" Some (R) Platform "), Some("Some (R) Platform"));
        let longest = "x".repeat(LONGEST);
        assert_eq!(chosen(&longest), Some(longest.as_str()));
        for none in ["", "  ", "two\nlines", "pläne", &"x".repeat(LONGEST + 1)] {
            assert_eq!(chosen(none), None, "{none}");
        }
    }
}
