//! Device memory. For now the allocator that divides a region of addresses into chunks ([`bufalloc`]); residency,
//! migration and eviction build on it.

#![forbid(unsafe_code)]

pub mod bufalloc;
mod classes;
