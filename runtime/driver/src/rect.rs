//! Rectangular transfers, cut into rows. The runtime has checked origins, pitches and sizes before a driver sees them.

/// One side of a rectangular transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RectSide {
    /// Byte offset of the region's first byte.
    pub offset: u64,
    /// Bytes from one row to the next.
    pub row_pitch: u64,
    /// Bytes from one slice to the next.
    pub slice_pitch: u64,
}

/// A region of `size[0]` bytes by `size[1]` rows by `size[2]` slices.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// Bytes, rows, slices.
    pub size: [u64; 3],
    /// Where it is read.
    pub from: RectSide,
    /// Where it is written.
    pub to: RectSide,
}

/// A row of a rectangle: `length` bytes at `from`, to go to `to`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Byte offset to read at.
    pub from: u64,
    /// Byte offset to write at.
    pub to: u64,
    /// Bytes.
    pub length: u64,
}

impl Rect {
    /// Number of rows.
    #[must_use]
    pub fn row_count(&self) -> u64 {
        if self.size[0] == 0 { 0 } else { self.size[1].saturating_mul(self.size[2]) }
    }

    /// Row number `index` of [`Rect::row_count`].
    #[must_use]
    pub fn row(&self, index: u64) -> Row {
        let rows = self.size[1].max(1);
        let (slice, row) = (index / rows, index % rows);
        let at = |side: &RectSide| side.offset + slice * side.slice_pitch + row * side.row_pitch;
        Row { from: at(&self.from), to: at(&self.to), length: self.size[0] }
    }

    /// All rows in order.
    pub fn rows(&self) -> impl Iterator<Item = Row> + '_ {
        (0..self.row_count()).map(|index| self.row(index))
    }
}
