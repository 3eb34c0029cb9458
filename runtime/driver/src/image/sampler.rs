//! Samplers as kernels see them: how coordinates find pixels, and how levels of a mipmap are found, in the bits of one number.

/// What coordinates outside of an image mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Addressing {
    /// The kernel has none.
    None,
    /// The pixel at the edge.
    ClampToEdge,
    /// The border's colour.
    Clamp,
    /// The image again.
    Repeat,
    /// The image mirrored.
    MirroredRepeat,
}

/// A sampler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SamplerDescription {
    /// Coordinates run from 0 to 1.
    pub normalised: bool,
    /// What coordinates outside mean.
    pub addressing: Addressing,
    /// Neighbouring pixels are interpolated.
    pub linear: bool,
    /// What it says of mipmaps.
    pub mip: Mip,
}

/// What a sampler says of mipmaps (`cl_khr_mipmap_image`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mip {
    /// Neighbouring levels are interpolated.
    pub linear: bool,
    /// The bits of the float that levels of detail are at least.
    pub lowest: u32,
    /// The bits of the float that they are at most.
    pub highest: u32,
}

impl Default for Mip {
    /// What literals say: the nearest one of all levels.
    fn default() -> Self {
        Self { linear: false, lowest: 0, highest: f32::MAX.to_bits() }
    }
}

impl Mip {
    /// The bits that kernels have for it: 0 for what literals say. A limit has the 24 highest bits behind its sign, and the upper one is
    /// taken from the largest float.
    fn bits(self) -> u64 {
        let short = |bits: u32| {
            let limit = f32::from_bits(bits);
            // No level is below 0, and NaN is no limit.
            if limit > 0.0 { u64::from(limit.min(f32::MAX).to_bits() >> 7) } else { 0 }
        };
        let linear = if self.linear { 0x40 } else { 0 };
        linear | short(self.lowest) << 16 | (u64::from(f32::MAX.to_bits() >> 7) - short(self.highest)) << 40
    }
}

impl SamplerDescription {
    /// A sampler that says nothing of mipmaps.
    #[must_use]
    pub fn new(normalised: bool, addressing: Addressing, linear: bool) -> Self {
        Self { normalised, addressing, linear, mip: Mip::default() }
    }

    /// The sampler as kernels have it: the bits that OpenCL C has for literals, in an argument of a pointer's size, and above them
    /// what it says of mipmaps.
    #[must_use]
    pub fn bits(&self) -> [u8; 8] {
        let addressing = match self.addressing {
            Addressing::None => 0_u64,
            Addressing::ClampToEdge => 2,
            Addressing::Clamp => 4,
            Addressing::Repeat => 6,
            Addressing::MirroredRepeat => 8,
        };
        let filter = if self.linear { 0x20 } else { 0x10 };
        (u64::from(self.normalised) | addressing | filter | self.mip.bits()).to_le_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samplers_have_the_bits_of_literals() {
        let sampler = SamplerDescription::new(true, Addressing::Repeat, true);
        assert_eq!(u64::from_le_bytes(sampler.bits()), 0x27);
    }

    #[test]
    fn what_is_said_of_mipmaps_is_above_them() {
        let bits = |linear, lowest: f32, highest: f32| {
            let mip = Mip { linear, lowest: lowest.to_bits(), highest: highest.to_bits() };
            u64::from_le_bytes(
                SamplerDescription { mip, ..SamplerDescription::new(false, Addressing::None, false) }.bits(),
            )
        };
        assert_eq!(bits(true, 0.0, f32::INFINITY), 0x50);
        let limited = bits(false, 1.5, 2.25);
        let float = |bits: u64| f32::from_bits(u32::try_from(bits << 7).unwrap());
        assert_eq!(float(limited >> 16 & 0xff_ffff), 1.5);
        assert_eq!(float(0xfe_ffff - (limited >> 40)), 2.25);
        assert_eq!(bits(false, -3.0, f32::NAN), 0x10 | 0xfe_ffff << 40);
    }
}
