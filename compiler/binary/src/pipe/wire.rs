//! The encoding of messages: little-endian integers, lengths in front. In: values. Out: bytes, and back; the reader
//! never reads past its end and never takes memory for more elements than the bytes left could hold.

/// Bytes that are not the message they should be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// They end too early.
    #[error("the message ends inside {0}")]
    Truncated(&'static str),
    /// A count or length that the bytes left cannot hold.
    #[error("{0} is larger than the message")]
    TooLarge(&'static str),
    /// A text that is not UTF-8.
    #[error("{0} is not UTF-8")]
    Text(&'static str),
    /// A value that an enumeration does not have.
    #[error("{value} is not a value of {field}")]
    Value {
        /// The enumeration.
        field: &'static str,
        /// The value.
        value: u64,
    },
    /// Bytes behind the last field.
    #[error("{0} bytes follow the message")]
    Trailing(usize),
}

/// Takes a message apart.
pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    fn take(&mut self, count: usize, field: &'static str) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(WireError::Truncated(field))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self, field: &'static str) -> Result<[u8; N], WireError> {
        let mut out = [0; N];
        out.copy_from_slice(self.take(N, field)?);
        Ok(out)
    }

    pub(super) fn u8(&mut self, field: &'static str) -> Result<u8, WireError> {
        Ok(self.array::<1>(field)?[0])
    }

    pub(super) fn u32(&mut self, field: &'static str) -> Result<u32, WireError> {
        Ok(u32::from_le_bytes(self.array(field)?))
    }

    pub(super) fn u64(&mut self, field: &'static str) -> Result<u64, WireError> {
        Ok(u64::from_le_bytes(self.array(field)?))
    }

    pub(super) fn digest(&mut self, field: &'static str) -> Result<[u8; 32], WireError> {
        self.array(field)
    }

    pub(super) fn flag(&mut self, field: &'static str) -> Result<bool, WireError> {
        match self.u8(field)? {
            0 => Ok(false),
            1 => Ok(true),
            value => Err(WireError::Value { field, value: value.into() }),
        }
    }

    pub(super) fn blob(&mut self, field: &'static str) -> Result<&'a [u8], WireError> {
        let length = usize::try_from(self.u64(field)?).map_err(|_| WireError::TooLarge(field))?;
        if length > self.rest.len() {
            return Err(WireError::TooLarge(field));
        }
        self.take(length, field)
    }

    pub(super) fn text(&mut self, field: &'static str) -> Result<String, WireError> {
        let bytes = self.blob(field)?;
        std::str::from_utf8(bytes).map(str::to_owned).map_err(|_| WireError::Text(field))
    }

    /// A list whose elements have at least `least` bytes each.
    pub(super) fn list<T>(
        &mut self,
        field: &'static str,
        least: usize,
        mut element: impl FnMut(&mut Self) -> Result<T, WireError>,
    ) -> Result<Vec<T>, WireError> {
        let count = self.u32(field)? as usize;
        if count.saturating_mul(least.max(1)) > self.rest.len() {
            return Err(WireError::TooLarge(field));
        }
        let mut out = Vec::with_capacity(count);
        for _ in 0..count {
            out.push(element(self)?);
        }
        Ok(out)
    }

    pub(super) fn end(self) -> Result<(), WireError> {
        if self.rest.is_empty() { Ok(()) } else { Err(WireError::Trailing(self.rest.len())) }
    }
}

/// Puts a message together.
#[derive(Default)]
pub(super) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub(super) fn u8(&mut self, value: u8) {
        self.bytes.push(value);
    }

    pub(super) fn flag(&mut self, value: bool) {
        self.u8(value.into());
    }

    pub(super) fn u32(&mut self, value: u32) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn u64(&mut self, value: u64) {
        self.bytes.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn digest(&mut self, value: &[u8; 32]) {
        self.bytes.extend_from_slice(value);
    }

    pub(super) fn blob(&mut self, value: &[u8]) {
        self.u64(value.len() as u64);
        self.bytes.extend_from_slice(value);
    }

    pub(super) fn text(&mut self, value: &str) {
        self.blob(value.as_bytes());
    }

    /// A list. More elements than a `u32` counts cannot be: each takes memory.
    pub(super) fn list<T>(&mut self, elements: &[T], mut element: impl FnMut(&mut Self, &T)) {
        self.u32(u32::try_from(elements.len()).unwrap_or(u32::MAX));
        for one in elements {
            element(self, one);
        }
    }

    pub(super) fn done(self) -> Vec<u8> {
        self.bytes
    }
}
