//! Host data: what files, generators and literals become before a buffer is made from it, and what a buffer becomes
//! when it is printed, saved or compared. Knows no device and no kernel.

pub mod compare;
pub mod element;
pub mod file;
pub mod generate;
pub mod half;
pub mod image;
pub mod npy;
pub mod number;
pub mod picture;
pub mod show;

use element::Element;

/// What a buffer holds, but for the bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    /// What the bytes are.
    pub element: Element,
    /// How many there are.
    pub bytes: usize,
    /// Width and height, where the elements are the pixels of a picture.
    pub picture: Option<(u32, u32)>,
}

impl Extent {
    /// How many whole elements there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.bytes / self.element.size()
    }
}

/// Elements in memory, as a kernel sees them: little-endian, three-lane vectors padded to four.
#[derive(Debug, Clone, PartialEq)]
pub struct HostData {
    /// What the bytes are.
    pub element: Element,
    /// The elements, one after another.
    pub bytes: Vec<u8>,
    /// Width and height, where the elements are the pixels of a picture.
    pub picture: Option<(u32, u32)>,
}

impl HostData {
    /// Elements that are no picture.
    #[must_use]
    pub fn new(element: Element, bytes: Vec<u8>) -> Self {
        Self { element, bytes, picture: None }
    }

    /// The data without the bytes.
    #[must_use]
    pub fn extent(&self) -> Extent {
        Extent { element: self.element, bytes: self.bytes.len(), picture: self.picture }
    }

    /// Whether there is no whole element.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// How many whole elements there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bytes.len() / self.element.size()
    }

    /// The bytes of every element in turn, without padding lanes.
    pub fn lanes(&self) -> impl Iterator<Item = &[u8]> {
        let used = self.element.scalar.size() * usize::from(self.element.lanes);
        self.bytes
            .chunks_exact(self.element.size())
            .flat_map(move |e| e[..used].chunks_exact(self.element.scalar.size()))
    }

    /// The same bytes as another type; `None` where they do not divide into whole elements of it.
    pub fn retyped(mut self, element: Element) -> Option<Self> {
        if !self.bytes.len().is_multiple_of(element.size()) {
            return None;
        }
        self.element = element;
        Some(self)
    }
}
