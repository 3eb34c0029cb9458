//! Arguments whose values code is made for, beside a local size: the formats of images, with whether these are small, and the bits of
//! samplers. They are the same for all work-items of a launch, and few are met in a program's life.
//!
//! What is not known here is how anybody comes to make such code, or who takes it.

use std::fmt;

/// What is known of one argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KnownArgument {
    /// Which one, from 0.
    pub index: u32,
    /// Of an image what [`ImageWords::value`] gives, and [`FEW_PIXELS`] where that holds; of a sampler its bits.
    pub value: u64,
}

/// The bit of a [`KnownArgument::value`] that says of an image that its pixels are in less than 2^31 bytes, all levels together, and that
/// its pitches are multiples of a pixel's size: no [`ImageWords::value`] has it.
pub const FEW_PIXELS: u64 = 1 << 63;

/// The last four numbers of an image's description ([`crate::abi::ImageData`]): what says how a pixel's bytes are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImageWords {
    /// `CL_R` and its like.
    pub order: u32,
    /// `CL_UNORM_INT8` and its like.
    pub channel_type: u32,
    /// Channels that are in memory; 1 where they are in one number.
    pub channels: u32,
    /// Bytes of each.
    pub element_size: u32,
}

impl ImageWords {
    /// The four in one number, 16 bits each, of which the highest is 0; none where one of them does not fit.
    #[must_use]
    pub fn value(self) -> Option<u64> {
        let words = [self.order, self.channel_type, self.channels, self.element_size];
        let mut value = 0;
        for word in words.into_iter().rev() {
            value = value << 16 | u64::from(u16::try_from(word).ok()?);
        }
        (value & FEW_PIXELS == 0).then_some(value)
    }
}

/// What is known of a kernel's arguments, in their order. The same arguments always give the same list.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KnownArguments(pub Vec<KnownArgument>);

impl KnownArguments {
    /// Nothing is known.
    pub const NONE: Self = Self(Vec::new());

    /// Whether nothing is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// As a part of a file's name: `0=1000410d210b5.3=12`, numbers of arguments and values in hexadecimal digits.
impl fmt::Display for KnownArguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (position, KnownArgument { index, value }) in self.0.iter().enumerate() {
            let between = if position == 0 { "" } else { "." };
            write!(f, "{between}{index}={value:x}")?;
        }
        Ok(())
    }
}

/// What is known of the arguments of one of a program's kernels.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownOf {
    /// The kernel's name.
    pub kernel: String,
    /// Its arguments.
    pub arguments: KnownArguments,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_told_apart_and_have_names() {
        let words = ImageWords { order: 0x10b5, channel_type: 0x10d2, channels: 4, element_size: 1 };
        assert_eq!(words.value(), Some(0x0001_0004_10d2_10b5));
        assert_eq!(ImageWords { channels: 1 << 16, ..words }.value(), None);
        assert_eq!(ImageWords { element_size: 1 << 15, ..words }.value(), None);
        let known = KnownArguments(vec![
            KnownArgument { index: 0, value: words.value().unwrap() },
            KnownArgument { index: 3, value: 0x12 },
        ]);
        assert_eq!(known.to_string(), "0=1000410d210b5.3=12");
    }
}
