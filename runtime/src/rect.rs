//! Rectangular transfers as their user gives them, with the checks that need no buffer.

use oxcl_driver::rect::{Rect, RectSide};

use crate::buffer::BufferError;

/// A region of bytes, rows and slices in each of two memories.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RectRegion {
    /// Bytes, rows, slices; none may be zero.
    pub size: [u64; 3],
    /// Where it begins in the source: byte, row, slice.
    pub from_origin: [u64; 3],
    /// Bytes from row to row and from slice to slice of the source; 0: as small as can be.
    pub from_pitch: [u64; 2],
    /// Where it begins in the destination.
    pub to_origin: [u64; 3],
    /// Pitches of the destination.
    pub to_pitch: [u64; 2],
}

/// A checked region, and the bytes that it reaches on both sides.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Placed {
    pub(crate) rect: Rect,
    /// Past the last byte of the source and of the destination.
    pub(crate) ends: [u64; 2],
}

fn side(size: [u64; 3], origin: [u64; 3], pitch: [u64; 2]) -> Result<(RectSide, u64), BufferError> {
    let [width, rows, slices] = size;
    let too_large = BufferError::Pitch { size, pitch };
    let row_pitch = if pitch[0] == 0 { width } else { pitch[0] };
    let least = rows.checked_mul(row_pitch).ok_or(too_large.clone())?;
    let slice_pitch = if pitch[1] == 0 { least } else { pitch[1] };
    // CL_INVALID_VALUE if a row pitch is less than region[0], or a slice pitch less than region[1] rows or no
    // multiple of the row pitch.
    if row_pitch < width || slice_pitch < least || !slice_pitch.is_multiple_of(row_pitch) {
        return Err(too_large);
    }
    let place = |[x, y, z]: [u64; 3]| {
        let row = y.checked_mul(row_pitch)?;
        z.checked_mul(slice_pitch)?.checked_add(row)?.checked_add(x)
    };
    let offset = place(origin).ok_or(too_large.clone())?;
    let last = place([width, rows - 1, slices - 1]).and_then(|last| last.checked_add(offset));
    Ok((RectSide { offset, row_pitch, slice_pitch }, last.ok_or(too_large)?))
}

impl RectRegion {
    pub(crate) fn place(&self) -> Result<Placed, BufferError> {
        // CL_INVALID_VALUE if any region array element is 0.
        if self.size.contains(&0) {
            return Err(BufferError::EmptyRegion { size: self.size });
        }
        let (from, from_end) = side(self.size, self.from_origin, self.from_pitch)?;
        let (to, to_end) = side(self.size, self.to_origin, self.to_pitch)?;
        Ok(Placed { rect: Rect { size: self.size, from, to }, ends: [from_end, to_end] })
    }
}

impl Placed {
    /// The same region where the memories begin so many bytes earlier.
    pub(crate) fn shifted(mut self, from: u64, to: u64) -> Self {
        self.rect.from.offset += from;
        self.rect.to.offset += to;
        self.ends = [self.ends[0] + from, self.ends[1] + to];
        self
    }

    /// Whether some byte is both read and written, in one memory.
    pub(crate) fn overlaps_itself(&self) -> bool {
        let Rect { from, to, .. } = &self.rect;
        if self.ends[0] <= to.offset || self.ends[1] <= from.offset {
            return false;
        }
        if (from.row_pitch, from.slice_pitch) != (to.row_pitch, to.slice_pitch) {
            // The specification asks for equal pitches here; whoever has others gets no closer look.
            return true;
        }
        // With equal pitches both are cut alike, so it is enough to know how far apart they are.
        let [width, rows, slices] = self.rect.size;
        let moved = from.offset.abs_diff(to.offset);
        let near = |distance: u64| distance < width;
        // Distances of two rows of the region: so many slices and rows, in either direction.
        let rows_from = |rest: u64| {
            let row = rest / from.row_pitch;
            let byte = rest % from.row_pitch;
            (row < rows && near(byte)) || (row + 1 < rows && near(from.row_pitch - byte))
        };
        let (slice, rest) = (moved / from.slice_pitch, moved % from.slice_pitch);
        (slice < slices && rows_from(rest)) || (slice + 1 < slices && rows_from(from.slice_pitch - rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn overlap_by_rows(placed: &Placed) -> bool {
        let rows: Vec<_> = placed.rect.rows().collect();
        rows.iter().any(|a| rows.iter().any(|b| a.from < b.to + b.length && b.to < a.from + a.length))
    }

    #[test]
    fn overlap_is_seen_wherever_there_is_one() {
        for x in 0..6 {
            for y in 0..4 {
                for z in 0..3 {
                    let region = RectRegion {
                        size: [3, 2, 2],
                        from_pitch: [5, 20],
                        to_pitch: [5, 20],
                        to_origin: [x, y, z],
                        ..RectRegion::default()
                    };
                    let placed = region.place().unwrap();
                    assert_eq!(overlap_by_rows(&placed), placed.overlaps_itself(), "{x} {y} {z}");
                }
            }
        }
    }

    #[test]
    fn pitches_and_sizes_are_checked() {
        let region = RectRegion { size: [4, 2, 1], ..RectRegion::default() };
        assert_eq!(region.place().unwrap().ends, [8, 8]);
        assert!(RectRegion { size: [4, 0, 1], ..region }.place().is_err());
        assert!(RectRegion { from_pitch: [3, 0], ..region }.place().is_err());
        assert!(RectRegion { to_pitch: [4, 9], ..region }.place().is_err());
        assert!(RectRegion { to_origin: [0, u64::MAX, 1], ..region }.place().is_err());
    }
}
