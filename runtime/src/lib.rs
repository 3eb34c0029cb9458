//! Placeholder: the crate's owner writes this file.
