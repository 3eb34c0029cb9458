//! Test inputs that are the same in every run.

/// A generator of bits (xorshift, multiplied).
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub(crate) fn bits(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    /// From 0 to `end`, without `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.bits() % end
    }

    /// From 0 to 1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// An integer of up to 64 bits, with many near the ends of each size, as a bit pattern.
    pub(crate) fn integer(&mut self) -> u64 {
        let edge = 1_u64.checked_shl(self.below(65) as u32).unwrap_or(0);
        match self.below(6) {
            0 => self.below(5).wrapping_sub(2),
            1 => edge.wrapping_add(self.below(5)).wrapping_sub(2),
            2 => edge.wrapping_neg().wrapping_add(self.below(5)).wrapping_sub(2),
            _ => self.bits() >> self.below(64),
        }
    }
}
