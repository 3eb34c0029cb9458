//! Host data: what files, generators and literals become before a buffer is made from it, and what a buffer becomes
//! when it is printed, saved or compared. Knows no device and no kernel.

pub(crate) mod compare;
pub(crate) mod element;
pub(crate) mod file;
pub(crate) mod generate;
pub(crate) mod half;
pub(crate) mod npy;
pub(crate) mod number;
pub(crate) mod picture;
pub(crate) mod show;

use element::Element;

/// Elements in memory, as a kernel sees them: little-endian, three-lane vectors padded to four.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct HostData {
    /// What the bytes are.
    pub(crate) element: Element,
    /// The elements, one after another.
    pub(crate) bytes: Vec<u8>,
    /// Width and height, where the elements are the pixels of a picture.
    pub(crate) picture: Option<(u32, u32)>,
}

impl HostData {
    /// Elements that are no picture.
    pub(crate) fn new(element: Element, bytes: Vec<u8>) -> Self {
        Self { element, bytes, picture: None }
    }

    /// How many whole elements there are.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len() / self.element.size()
    }

    /// The bytes of every element in turn, without padding lanes.
    pub(crate) fn lanes(&self) -> impl Iterator<Item = &[u8]> {
        let used = self.element.scalar.size() * usize::from(self.element.lanes);
        self.bytes
            .chunks_exact(self.element.size())
            .flat_map(move |e| e[..used].chunks_exact(self.element.scalar.size()))
    }

    /// The same bytes as another type; `None` where they do not divide into whole elements of it.
    pub(crate) fn retyped(mut self, element: Element) -> Option<Self> {
        if !self.bytes.len().is_multiple_of(element.size()) {
            return None;
        }
        self.element = element;
        Some(self)
    }
}
