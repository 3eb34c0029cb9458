//! The memory behind an address space: bytes from one address to another, in pages that exist once they are written.
//!
//! Reads of bytes never written give zero. Accesses of more than one byte must be aligned to their size; a page is a
//! multiple of every size, so an aligned access never crosses one.

use oxcl_tta::ops::ByteOrder;

/// Bytes of a page; a power of two.
const PAGE: usize = 1 << 16;
const PAGE_BITS: u32 = PAGE.trailing_zeros();

/// Why an access is not possible.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AccessError {
    /// The address is no multiple of the access's size.
    Misaligned,
    /// The address is outside the space.
    OutOfRange,
}

/// One memory.
#[derive(Debug, Clone)]
pub struct Memory {
    min: u64,
    max: u64,
    pages: Vec<Box<[u8]>>,
}

impl Memory {
    /// A memory of zeros from `min` to `max`, both included. Addresses above 2^36 are left out.
    #[must_use]
    pub fn new(min: u64, max: u64) -> Self {
        let max = max.min((1 << 36) - 1);
        let pages = usize::try_from((max >> PAGE_BITS) + 1).unwrap_or(0);
        Self { min, max, pages: vec![Box::default(); pages] }
    }

    /// The lowest address.
    #[must_use]
    pub fn min(&self) -> u64 {
        self.min
    }

    /// The highest address.
    #[must_use]
    pub fn max(&self) -> u64 {
        self.max
    }

    /// Whether an access of `bytes` (a power of two) at `address` is possible.
    #[inline]
    fn admit(&self, address: u64, bytes: u64) -> Result<(), AccessError> {
        if address & (bytes - 1) != 0 {
            return Err(AccessError::Misaligned);
        }
        if address < self.min || address > self.max || self.max - address < bytes - 1 {
            return Err(AccessError::OutOfRange);
        }
        Ok(())
    }

    /// Reads a word of 1, 2, 4 or 8 bytes.
    ///
    /// # Errors
    /// The address is misaligned or outside.
    #[inline]
    pub fn load(&self, address: u64, bytes: u8, order: ByteOrder) -> Result<u64, AccessError> {
        self.admit(address, u64::from(bytes))?;
        let page = &self.pages[(address >> PAGE_BITS) as usize];
        if page.is_empty() {
            return Ok(0);
        }
        let at = address as usize & (PAGE - 1);
        let end = at + usize::from(bytes);
        let value = match bytes {
            4 => u64::from(u32::from_le_bytes(array(&page[at..end]))),
            1 => return Ok(u64::from(page[at])),
            2 => u64::from(u16::from_le_bytes(array(&page[at..end]))),
            _ => u64::from_le_bytes(array(&page[at..end])),
        };
        Ok(match order {
            ByteOrder::Little => value,
            ByteOrder::Big => value.swap_bytes() >> (64 - 8 * u32::from(bytes)),
        })
    }

    /// Whether a store of `bytes` at `address` is possible.
    ///
    /// # Errors
    /// The address is misaligned or outside.
    #[inline]
    pub fn check(&self, address: u64, bytes: u8) -> Result<(), AccessError> {
        self.admit(address, u64::from(bytes))
    }

    /// Writes a word of 1, 2, 4 or 8 bytes.
    ///
    /// # Errors
    /// The address is misaligned or outside.
    #[inline]
    pub fn store(
        &mut self,
        address: u64,
        bytes: u8,
        order: ByteOrder,
        value: u64,
    ) -> Result<(), AccessError> {
        self.admit(address, u64::from(bytes))?;
        let value = match order {
            ByteOrder::Little => value,
            ByteOrder::Big => value.swap_bytes() >> (64 - 8 * u32::from(bytes)),
        };
        let page = &mut self.pages[(address >> PAGE_BITS) as usize];
        if page.is_empty() {
            *page = vec![0; PAGE].into_boxed_slice();
        }
        let at = address as usize & (PAGE - 1);
        let little = value.to_le_bytes();
        page[at..at + usize::from(bytes)].copy_from_slice(&little[..usize::from(bytes)]);
        Ok(())
    }

    /// Copies bytes out.
    ///
    /// # Errors
    /// A part of the range is outside.
    pub fn read(&self, address: u64, into: &mut [u8]) -> Result<(), AccessError> {
        self.range(address, into.len())?;
        let (mut address, mut into) = (address, into);
        while !into.is_empty() {
            let at = address as usize & (PAGE - 1);
            let (part, rest) = into.split_at_mut(into.len().min(PAGE - at));
            let page = &self.pages[(address >> PAGE_BITS) as usize];
            match page.get(at..at + part.len()) {
                Some(bytes) => part.copy_from_slice(bytes),
                None => part.fill(0),
            }
            address += part.len() as u64;
            into = rest;
        }
        Ok(())
    }

    /// Whether all of `count` bytes from an address on are in the memory.
    #[must_use]
    pub fn has(&self, address: u64, count: u64) -> bool {
        address >= self.min && address.checked_add(count).is_some_and(|end| end <= self.max + 1)
    }

    /// Copies bytes in.
    ///
    /// # Errors
    /// A part of the range is outside.
    pub fn write(&mut self, address: u64, mut from: &[u8]) -> Result<(), AccessError> {
        self.range(address, from.len())?;
        let mut address = address;
        while !from.is_empty() {
            let at = address as usize & (PAGE - 1);
            let count = from.len().min(PAGE - at);
            let page = &mut self.pages[(address >> PAGE_BITS) as usize];
            if page.is_empty() {
                *page = vec![0; PAGE].into_boxed_slice();
            }
            page[at..at + count].copy_from_slice(&from[..count]);
            from = &from[count..];
            address += count as u64;
        }
        Ok(())
    }

    fn range(&self, address: u64, count: usize) -> Result<(), AccessError> {
        if self.has(address, count as u64) { Ok(()) } else { Err(AccessError::OutOfRange) }
    }

    /// Whether two memories hold the same bytes at the same addresses.
    #[must_use]
    pub fn same(&self, other: &Self) -> bool {
        const ZEROS: &[u8; PAGE] = &[0; PAGE];
        let bytes = |m: &'_ Self, i: usize| m.pages.get(i).is_none_or(|p| p.is_empty());
        (self.min, self.max) == (other.min, other.max)
            && (0..self.pages.len()).all(|i| match (bytes(self, i), bytes(other, i)) {
                (true, true) => true,
                (true, false) => *other.pages[i] == ZEROS[..],
                (false, true) => *self.pages[i] == ZEROS[..],
                (false, false) => self.pages[i] == other.pages[i],
            })
    }
}

/// The bytes of a slice whose length is known.
#[inline]
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}

#[cfg(test)]
mod tests {
    use super::{AccessError, Memory};
    use oxcl_tta::ops::ByteOrder::{Big, Little};

    #[test]
    fn words_are_kept_in_their_order() {
        let mut memory = Memory::new(0, 0x1_ffff);
        assert_eq!(memory.load(0x1_0000, 4, Little), Ok(0));
        assert_eq!(memory.store(0x1_0000, 4, Little, 0x0102_0304), Ok(()));
        assert_eq!(memory.load(0x1_0000, 4, Big), Ok(0x0403_0201));
        assert_eq!(memory.load(0x1_0002, 2, Little), Ok(0x0102));
        assert_eq!(memory.store(0x1_fff8, 8, Big, 0x1122_3344_5566_7788), Ok(()));
        assert_eq!(memory.load(0x1_fff8, 1, Little), Ok(0x11));
    }

    #[test]
    fn what_is_outside_or_misaligned_is_refused() {
        let mut memory = Memory::new(8, 0xffe);
        assert_eq!(memory.load(9, 2, Little), Err(AccessError::Misaligned));
        assert_eq!(memory.load(4, 4, Little), Err(AccessError::OutOfRange));
        assert_eq!(memory.store(0xffc, 4, Little, 0), Err(AccessError::OutOfRange));
        assert_eq!(memory.store(0xffe, 1, Little, 0), Ok(()));
        assert_eq!(memory.load(u64::MAX, 1, Little), Err(AccessError::OutOfRange));
        assert_eq!(memory.write(0xffd, &[1, 2, 3]), Err(AccessError::OutOfRange));
    }

    #[test]
    fn pages_are_crossed_by_copies() {
        let mut memory = Memory::new(0, 0x2_ffff);
        let bytes: Vec<u8> = (0..=255).cycle().take(0x1_1000).collect();
        assert_eq!(memory.write(0xff00, &bytes), Ok(()));
        let mut back = vec![0; bytes.len()];
        assert_eq!(memory.read(0xff00, &mut back), Ok(()));
        assert_eq!(back, bytes);
        let mut other = Memory::new(0, 0x2_ffff);
        assert!(!other.same(&memory));
        assert_eq!(other.write(0xff00, &bytes), Ok(()));
        assert_eq!(other.write(0, &[0]), Ok(()));
        assert!(other.same(&memory));
    }
}
