//! Fuzz target: any bytes as a TTA unit.

use oxcl_binary::unit::Unit;

/// Reads `bytes` as a unit. An error must have a text; what is accepted must write back to the same bytes.
///
/// # Panics
///
/// One of these promises is broken.
pub fn read_unit(bytes: &[u8]) {
    match Unit::read(bytes) {
        Ok(unit) => assert!(unit.write() == bytes, "a unit does not write back"),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
