//! Numbers, texts and lists as bytes of a message. Numbers are little-endian, lists and texts stand behind their lengths,
//! variants behind a byte. What is read was written by the same version of this crate (`hello.rs` sees to that), so
//! anything else is an error of the transport's and has no finer name.

use oxcl_driver::image::{Addressing, ImageDescription, ImageFormat, ImageKind, Mip, SamplerDescription};
use oxcl_driver::program::ArgValue;
use oxcl_driver::rect::RectSide;
use oxcl_driver::{DriverError, Failure, Geometry};

/// The bytes are no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the bytes are no message")]
pub(crate) struct Malformed;

/// Takes from the front of a message.
#[derive(Debug)]
pub(crate) struct Reader<'a>(pub(crate) &'a [u8]);

impl<'a> Reader<'a> {
    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let (taken, rest) = self.0.split_at_checked(count).ok_or(Malformed)?;
        self.0 = rest;
        Ok(taken)
    }
}

/// What can be part of a message.
pub(crate) trait Wire: Sized {
    fn put(&self, out: &mut Vec<u8>);
    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed>;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Wire for $number {
            fn put(&self, out: &mut Vec<u8>) {
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
                let bytes = from.bytes(size_of::<Self>())?;
                bytes.try_into().map(Self::from_le_bytes).map_err(|_| Malformed)
            }
        }
    )*};
}

numbers!(u8, u32, i32, u64);

/// A structure, field by field.
macro_rules! wire_struct {
    ($name:ty { $($field:ident),* }) => {
        impl $crate::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                $(self.$field.put(out);)*
            }

            fn take(from: &mut $crate::wire::Reader<'_>) -> Result<Self, $crate::wire::Malformed> {
                Ok(Self { $($field: $crate::wire::Wire::take(from)?),* })
            }
        }
    };
}

/// An enumeration: a byte, and the variant's fields.
macro_rules! wire_enum {
    ($name:ty { $($tag:literal => $variant:ident { $($field:ident),* }),* $(,)? }) => {
        impl $crate::wire::Wire for $name {
            fn put(&self, out: &mut Vec<u8>) {
                match self {
                    $(Self::$variant { $($field),* } => {
                        out.push($tag);
                        $($field.put(out);)*
                    })*
                }
            }

            fn take(from: &mut $crate::wire::Reader<'_>) -> Result<Self, $crate::wire::Malformed> {
                match u8::take(from)? {
                    $($tag => Ok(Self::$variant { $($field: $crate::wire::Wire::take(from)?),* }),)*
                    _ => Err($crate::wire::Malformed),
                }
            }
        }
    };
}

pub(crate) use {wire_enum, wire_struct};

impl Wire for bool {
    fn put(&self, out: &mut Vec<u8>) {
        out.push(u8::from(*self));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(u8::take(from)? != 0)
    }
}

/// Bytes as they are.
impl Wire for Box<[u8]> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend_from_slice(self);
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let length = usize::try_from(u64::take(from)?).map_err(|_| Malformed)?;
        Ok(from.bytes(length)?.into())
    }
}

impl Wire for String {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let bytes = <Box<[u8]>>::take(from)?;
        Self::from_utf8(bytes.into_vec()).map_err(|_| Malformed)
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn put(&self, out: &mut Vec<u8>) {
        (self.len() as u64).put(out);
        self.iter().for_each(|one| one.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        // Every member has at least a byte, so no length makes a list larger than its message.
        let length = u64::take(from)?;
        if length > from.0.len() as u64 {
            return Err(Malformed);
        }
        (0..length).map(|_| T::take(from)).collect()
    }
}

impl<T: Wire> Wire for Option<T> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_some().put(out);
        self.iter().for_each(|one| one.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        bool::take(from)?.then(|| T::take(from)).transpose()
    }
}

impl<T: Wire> Wire for Result<T, Failure> {
    fn put(&self, out: &mut Vec<u8>) {
        self.is_ok().put(out);
        match self {
            Ok(value) => value.put(out),
            Err(failure) => failure.put(out),
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(if bool::take(from)? { Ok(T::take(from)?) } else { Err(Failure::take(from)?) })
    }
}

impl Wire for () {
    fn put(&self, _out: &mut Vec<u8>) {}

    fn take(_from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(())
    }
}

impl<T: Wire + Copy + Default, const N: usize> Wire for [T; N] {
    fn put(&self, out: &mut Vec<u8>) {
        self.iter().for_each(|one| one.put(out));
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        let mut all = [T::default(); N];
        for one in &mut all {
            *one = T::take(from)?;
        }
        Ok(all)
    }
}

wire_struct!(Geometry { work_dim, groups, local, global, offset });
wire_struct!(RectSide { offset, row_pitch, slice_pitch });
wire_struct!(ImageFormat { channel_order, channel_type });
wire_struct!(ImageDescription {
    kind,
    format,
    size,
    array_size,
    element_size,
    row_pitch,
    slice_pitch,
    levels
});
wire_struct!(Mip { linear, lowest, highest });
wire_struct!(SamplerDescription { normalised, addressing, linear, mip });
wire_enum!(ImageKind {
    0 => Image1d {},
    1 => Image1dBuffer {},
    2 => Image1dArray {},
    3 => Image2d {},
    4 => Image2dArray {},
    5 => Image3d {},
});
wire_enum!(Addressing {
    0 => None {},
    1 => ClampToEdge {},
    2 => Clamp {},
    3 => Repeat {},
    4 => MirroredRepeat {},
});

impl<M: Wire, V: Wire> Wire for ArgValue<M, V> {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Buffer(memory) => {
                out.push(0);
                memory.put(out);
            }
            Self::Null => out.push(1),
            Self::Pointer(address) => {
                out.push(2);
                address.put(out);
            }
            Self::Local(bytes) => {
                out.push(3);
                bytes.put(out);
            }
            Self::Value(bytes) => {
                out.push(4);
                bytes.put(out);
            }
            Self::Image(memory, description) => {
                out.push(5);
                memory.put(out);
                description.put(out);
            }
            Self::Sampler(sampler) => {
                out.push(6);
                sampler.put(out);
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match u8::take(from)? {
            0 => Self::Buffer(M::take(from)?),
            1 => Self::Null,
            2 => Self::Pointer(u64::take(from)?),
            3 => Self::Local(u64::take(from)?),
            4 => Self::Value(V::take(from)?),
            5 => Self::Image(M::take(from)?, ImageDescription::take(from)?),
            6 => Self::Sampler(SamplerDescription::take(from)?),
            _ => return Err(Malformed),
        })
    }
}

/// Failures keep their kind as far as whoever asks for a status tells kinds apart; of other refusals the text is kept.
impl Wire for Failure {
    fn put(&self, out: &mut Vec<u8>) {
        match self {
            Self::Kernel { kernel, reason } => {
                out.push(0);
                kernel.put(out);
                reason.put(out);
            }
            Self::Panicked { message } => {
                out.push(1);
                message.put(out);
            }
            Self::Driver(DriverError::OutOfMemory { needed, available }) => {
                out.push(2);
                [*needed, *available].put(out);
            }
            Self::Driver(DriverError::DeviceMemory { needed, available, pinned }) => {
                out.push(3);
                [*needed, *available, *pinned].put(out);
            }
            Self::Driver(DriverError::Device { reason }) => {
                out.push(4);
                reason.put(out);
            }
            Self::Driver(other) => {
                out.push(4);
                other.to_string().put(out);
            }
            Self::UserEvent { status } => {
                out.push(5);
                status.put(out);
            }
            Self::Abandoned => out.push(6),
            Self::OutOfHostMemory => out.push(7),
            Self::ShutDown => out.push(8),
            Self::Elsewhere { place, cause } => {
                out.push(9);
                place.put(out);
                cause.put(out);
            }
        }
    }

    fn take(from: &mut Reader<'_>) -> Result<Self, Malformed> {
        Ok(match u8::take(from)? {
            0 => Self::Kernel { kernel: String::take(from)?, reason: String::take(from)? },
            1 => Self::Panicked { message: String::take(from)? },
            2 => {
                let [needed, available] = Wire::take(from)?;
                DriverError::OutOfMemory { needed, available }.into()
            }
            3 => {
                let [needed, available, pinned] = Wire::take(from)?;
                DriverError::DeviceMemory { needed, available, pinned }.into()
            }
            4 => DriverError::Device { reason: String::take(from)? }.into(),
            5 => Self::UserEvent { status: i32::take(from)? },
            6 => Self::Abandoned,
            7 => Self::OutOfHostMemory,
            8 => Self::ShutDown,
            9 => Self::Elsewhere { place: String::take(from)?, cause: Box::new(Self::take(from)?) },
            _ => return Err(Malformed),
        })
    }
}
