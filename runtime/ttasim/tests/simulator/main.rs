//! The simulator as a whole: rules of time, hazards, several cores, and the two engines against each other.

mod common;
mod cores;
mod corpus;
mod differential;
mod hazards;
#[path = "../../../../compiler/tta/tests/support/machine_files.rs"]
mod machine_files;
mod reports;
mod schedule;
mod timing;
mod units;
