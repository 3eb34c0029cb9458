//! XML text as a small tree in which every element knows its place in the file.
//!
//! In: the text of a file. Out: the root element, with attributes, trimmed text and children. Comments, processing
//! instructions and the document type are dropped. Knows nothing of ADF.

use super::{AdfError, AdfProblem, Place};
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

/// Deeper nesting than this is refused; an ADF needs eight.
const DEPTH_LIMIT: usize = 64;

/// An XML element.
#[derive(Debug)]
pub(super) struct Element {
    /// The tag.
    pub(super) tag: String,
    /// Where its start tag begins.
    pub(super) place: Place,
    /// Attributes in order.
    pub(super) attributes: Vec<(String, String)>,
    /// Character data directly inside, trimmed.
    pub(super) text: String,
    /// Elements inside.
    pub(super) children: Vec<Element>,
}

impl Element {
    /// The error that this element causes.
    pub(super) fn fail<T>(&self, problem: AdfProblem) -> Result<T, AdfError> {
        Err(AdfError { place: self.place, problem })
    }

    /// The first child with this tag.
    pub(super) fn child(&self, tag: &str) -> Option<&Element> {
        self.children.iter().find(|c| c.tag == tag)
    }

    /// The children with this tag.
    pub(super) fn all<'a>(&'a self, tag: &'a str) -> impl Iterator<Item = &'a Element> + 'a {
        self.children.iter().filter(move |c| c.tag == tag)
    }

    /// The child with this tag, which must be there.
    pub(super) fn need(&self, tag: &'static str) -> Result<&Element, AdfError> {
        match self.child(tag) {
            Some(child) => Ok(child),
            None => self.fail(AdfProblem::MissingElement { parent: self.tag.clone(), child: tag }),
        }
    }

    /// The `name` attribute, which must be there and not empty.
    pub(super) fn name(&self) -> Result<String, AdfError> {
        match self.attributes.iter().find(|(key, _)| key == "name") {
            Some((_, value)) if !value.trim().is_empty() => Ok(value.trim().to_owned()),
            _ => self.fail(AdfProblem::MissingName { element: self.tag.clone() }),
        }
    }

    /// The text as a number, decimal or with `0x`.
    pub(super) fn number<N: TryFrom<u64>>(&self) -> Result<N, AdfError> {
        let parsed = match self.text.strip_prefix("0x") {
            Some(hex) => u64::from_str_radix(hex, 16).ok(),
            None => self.text.parse::<u64>().ok(),
        };
        match parsed.and_then(|n| N::try_from(n).ok()) {
            Some(number) => Ok(number),
            None => self.fail(AdfProblem::BadNumber { element: self.tag.clone(), text: self.text.clone() }),
        }
    }

    /// The number in the child with this tag, or `default` without such a child.
    pub(super) fn number_or<N: TryFrom<u64>>(&self, tag: &str, default: N) -> Result<N, AdfError> {
        self.child(tag).map_or(Ok(default), Element::number)
    }

    /// Refuses children with other tags than these.
    pub(super) fn only(&self, known: &[&str]) -> Result<(), AdfError> {
        for child in &self.children {
            if !known.contains(&child.tag.as_str()) {
                return child
                    .fail(AdfProblem::UnknownElement { parent: self.tag.clone(), child: child.tag.clone() });
            }
        }
        Ok(())
    }
}

/// Turns byte offsets into lines and columns.
struct Lines {
    starts: Vec<usize>,
}

impl Lines {
    fn new(text: &str) -> Self {
        let starts = std::iter::once(0)
            .chain(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i + 1))
            .collect();
        Self { starts }
    }

    fn place(&self, offset: u64) -> Place {
        let offset = usize::try_from(offset).unwrap_or(usize::MAX);
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = offset - self.starts[line - 1] + 1;
        Place { line, column }
    }
}

/// Reads a document.
pub(super) fn parse(text: &str) -> Result<Element, AdfError> {
    let lines = Lines::new(text);
    let mut reader = Reader::from_str(text);
    let mut open: Vec<Element> = Vec::new();
    let mut root = None;
    loop {
        let place = lines.place(reader.buffer_position());
        let xml = |message: String| AdfError { place, problem: AdfProblem::Xml { message } };
        match reader.read_event().map_err(|e| xml(e.to_string()))? {
            Event::Start(start) => {
                if open.len() >= DEPTH_LIMIT {
                    return Err(xml("elements are nested too deeply".to_owned()));
                }
                open.push(element(&start, place)?);
            }
            Event::Empty(start) => close(element(&start, place)?, &mut open, &mut root, place)?,
            Event::End(_) => {
                let Some(done) = open.pop() else {
                    return Err(xml("an end tag without a start tag".to_owned()));
                };
                close(done, &mut open, &mut root, place)?;
            }
            Event::Text(text) => append(&mut open, &text.xml10_content()),
            Event::CData(text) => append(&mut open, &text.xml10_content()),
            Event::GeneralRef(reference) => {
                let name = reference.xml10_content();
                let value = match reference.resolve_char_ref().map_err(|e| xml(e.to_string()))? {
                    Some(character) => character.to_string(),
                    None => quick_xml::escape::resolve_predefined_entity(&name)
                        .ok_or_else(|| xml(format!("unknown entity '&{name};'")))?
                        .to_owned(),
                };
                append(&mut open, &value);
            }
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof => break,
        }
    }
    if let Some(unclosed) = open.last() {
        return unclosed.fail(AdfProblem::Xml { message: format!("'<{}>' is never closed", unclosed.tag) });
    }
    root.ok_or(AdfError {
        place: Place { line: 1, column: 1 },
        problem: AdfProblem::Xml { message: "the file holds no element".to_owned() },
    })
}

fn element(start: &BytesStart<'_>, place: Place) -> Result<Element, AdfError> {
    let xml = |message: String| AdfError { place, problem: AdfProblem::Xml { message } };
    let mut attributes = Vec::new();
    for attribute in start.attributes() {
        let attribute = attribute.map_err(|e| xml(e.to_string()))?;
        let value =
            attribute.normalized_value(quick_xml::XmlVersion::Explicit1_0).map_err(|e| xml(e.to_string()))?;
        attributes.push((attribute.key.as_ref().to_owned(), value.into_owned()));
    }
    Ok(Element {
        tag: start.name().as_ref().to_owned(),
        place,
        attributes,
        text: String::new(),
        children: Vec::new(),
    })
}

fn append(open: &mut [Element], text: &str) {
    if let Some(current) = open.last_mut() {
        current.text.push_str(text);
    }
}

fn close(
    mut done: Element,
    open: &mut [Element],
    root: &mut Option<Element>,
    place: Place,
) -> Result<(), AdfError> {
    done.text = done.text.trim().to_owned();
    match open.last_mut() {
        Some(parent) => parent.children.push(done),
        None if root.is_none() => *root = Some(done),
        None => {
            let message = "a second element beside the root".to_owned();
            return Err(AdfError { place, problem: AdfProblem::Xml { message } });
        }
    }
    Ok(())
}
