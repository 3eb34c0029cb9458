//! Forms kernels, compiles them with the C compiler that the project needs anyway, runs them and compares every result
//! with a plain Rust computation.

mod facts;
mod harness;
mod lanes;
mod plans;
mod shapes;
mod straight;
