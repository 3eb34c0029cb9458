//! The floating-point mode in which kernels run: round to nearest, no traps, denormals kept or flushed by the
//! archive's wish. The caller's mode comes back when the guard is dropped.

use std::arch::asm;

/// Round to nearest, all exceptions masked.
const DEFAULT: u32 = 0x1f80;
/// Flush results to zero (bit 15) and take denormal operands as zero (bit 6).
const FLUSH: u32 = 0x8040;

/// While it lives, the calling thread computes in a kernel's floating-point mode.
#[derive(Debug)]
pub(crate) struct FloatingMode {
    before: u32,
}

impl FloatingMode {
    pub(crate) fn enter(flush_denorms: bool) -> Self {
        let before = read();
        write(DEFAULT | if flush_denorms { FLUSH } else { 0 });
        Self { before }
    }
}

impl Drop for FloatingMode {
    fn drop(&mut self) {
        write(self.before);
    }
}

fn read() -> u32 {
    let mut mode = 0_u32;
    // SAFETY: stores the control word, four bytes, into a variable of that size.
    unsafe { asm!("stmxcsr [{}]", in(reg) &raw mut mode, options(nostack, preserves_flags)) };
    mode
}

fn write(mode: u32) {
    // SAFETY: loads the control word from a variable; only bits that every x86-64 CPU knows are set, and the mode
    // that compiled Rust code expects comes back before any runs that depends on it.
    unsafe { asm!("ldmxcsr [{}]", in(reg) &raw const mode, options(nostack, preserves_flags, readonly)) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_comes_back() {
        let before = read();
        {
            let _mode = FloatingMode::enter(true);
            assert_eq!(read() & FLUSH, FLUSH);
        }
        assert_eq!(read() & !0x3f, before & !0x3f);
    }
}
