//! Data files on the command line and in workloads: what `@FILE:TYPE` names, how its contents are read, and how a
//! result is written. A written file appears whole or not at all.

use super::element::Element;
use super::npy::{self, NpyError};
use super::picture::{self, Layout, PictureError};
use super::{Extent, HostData};
use crate::nearest::nearest_file;
use std::fs;
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The kinds of data file, by extension.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `.npy`
    Npy,
    /// `.png`
    Png,
    /// Anything else: the elements' bytes.
    Raw,
}

impl Format {
    /// The format that a path's extension names.
    pub fn of(path: &Path) -> Self {
        match path.extension().and_then(|e| e.to_str()).map(str::to_ascii_lowercase).as_deref() {
            Some("npy") => Format::Npy,
            Some("png") => Format::Png,
            _ => Format::Raw,
        }
    }
}

/// `FILE`, `FILE:float4`, `FILE.png:rgb`: what follows the `@`.
#[derive(Debug, Clone, PartialEq)]
pub struct FileSource {
    /// The file.
    pub path: PathBuf,
    /// The format.
    pub format: Format,
    /// The type that the contents are, where said.
    pub element: Option<Element>,
    /// The samples of a pixel, where said.
    pub layout: Option<Layout>,
}

/// Why a data file cannot be used.
#[derive(Debug, Error)]
#[expect(missing_docs, reason = "the line above a variant says what it is about")]
pub enum DataError {
    /// The file cannot be read.
    #[error("cannot read '{}'", path.display())]
    Read { path: PathBuf, source: io::Error },
    /// The file cannot be written.
    #[error("cannot write '{}'", path.display())]
    Write { path: PathBuf, source: io::Error },
    /// The array is malformed.
    #[error("cannot use '{}': {error}", path.display())]
    Npy { path: PathBuf, error: NpyError },
    /// The picture is malformed or of the wrong kind.
    #[error("cannot use '{}': {error}", path.display())]
    Picture { path: PathBuf, error: PictureError },
    /// The array holds another type.
    #[error("'{}' holds {have}, and {want} is needed", path.display())]
    ElementType { path: PathBuf, have: Element, want: Element },
    /// The contents do not divide into elements.
    #[error("'{}' holds {have} bytes, which are no whole number of {want} elements ({size} bytes each)", path.display())]
    Ragged { path: PathBuf, have: usize, want: Element, size: usize },
    /// A raw file, and nothing says what its elements are.
    #[error("'{}' says nothing about its element type", path.display())]
    Untyped { path: PathBuf },
}

impl DataError {
    /// What to do about it.
    pub fn help(&self) -> Option<String> {
        match self {
            DataError::Picture { error, .. } => error.help().map(str::to_owned),
            DataError::ElementType { path, want, .. } => Some(format!(
                "convert the array (numpy: a.astype), or take its bytes as they are: @{}:{want}",
                path.display()
            )),
            DataError::Read { path, source } if source.kind() == io::ErrorKind::NotFound => {
                nearest_file(path).map(|near| format!("did you mean '{}'?", near.display()))
            }
            DataError::Untyped { path } => Some(format!("name it: @{}:float4", path.display())),
            _ => None,
        }
    }
}

impl FileSource {
    /// Reads `FILE[:TYPE]`; a colon that is followed by no type belongs to the file's name.
    pub fn parse(text: &str) -> Self {
        if let Some((path, suffix)) = text.rsplit_once(':') {
            let element = Element::parse(suffix);
            let layout = Layout::parse(suffix).filter(|_| Format::of(Path::new(path)) == Format::Png);
            if element.is_some() || layout.is_some() {
                return Self { path: path.into(), format: Format::of(Path::new(path)), element, layout };
            }
        }
        Self { path: text.into(), format: Format::of(Path::new(text)), element: None, layout: None }
    }

    /// Reads the file as elements of type `want`; without one, as what the file or its suffix says.
    pub fn load(&self, want: Option<Element>) -> Result<HostData, DataError> {
        let path = &self.path;
        let contents = fs::read(path).map_err(|source| DataError::Read { path: path.clone(), source })?;
        let ragged =
            |have, want: Element| DataError::Ragged { path: path.clone(), have, want, size: want.size() };
        match self.format {
            Format::Npy => {
                let array =
                    npy::read(&contents).map_err(|error| DataError::Npy { path: path.clone(), error })?;
                let have = Element::scalar(array.scalar);
                if let Some(element) = self.element {
                    // A type that is said takes the numbers' bytes as they are.
                    let bytes = array.bytes.len();
                    let data = HostData::new(have, array.bytes);
                    return data.retyped(element).ok_or_else(|| ragged(bytes, element));
                }
                let want = want.unwrap_or(have);
                if want.scalar != array.scalar {
                    return Err(DataError::ElementType { path: path.clone(), have, want });
                }
                let bytes = array.bytes.len();
                array.into_data(want.lanes).ok_or_else(|| ragged(bytes, want))
            }
            Format::Png => {
                let element =
                    self.element.or(want).ok_or_else(|| DataError::Untyped { path: path.clone() })?;
                picture::read(&contents, element, self.layout)
                    .map_err(|error| DataError::Picture { path: path.clone(), error })
            }
            Format::Raw => {
                let element =
                    self.element.or(want).ok_or_else(|| DataError::Untyped { path: path.clone() })?;
                if !contents.len().is_multiple_of(element.size()) {
                    return Err(ragged(contents.len(), element));
                }
                Ok(HostData::new(element, contents))
            }
        }
    }
}

/// Where a buffer is saved: `FILE` or `FILE.png:640x480`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileTarget {
    /// The file.
    pub path: PathBuf,
    /// The picture's size, where said.
    pub picture: Option<(u32, u32)>,
}

impl FileTarget {
    /// Reads `FILE[:WIDTHxHEIGHT]`.
    pub fn parse(text: &str) -> Self {
        if let Some((path, suffix)) = text.rsplit_once(':')
            && let Some((width, height)) = suffix.split_once('x')
            && let (Ok(width), Ok(height)) = (width.parse(), height.parse())
        {
            return Self { path: path.into(), picture: Some((width, height)) };
        }
        Self { path: text.into(), picture: None }
    }

    /// Checks, before there is anything to save, whether a buffer like this can be saved there.
    pub fn check(&self, data: Extent) -> Result<(), DataError> {
        if Format::of(&self.path) != Format::Png {
            return Ok(());
        }
        self.size(data)
            .and_then(|(width, height)| picture::colour(data, width, height).map(|_| ()))
            .map_err(|error| DataError::Picture { path: self.path.clone(), error })
    }

    fn size(&self, data: Extent) -> Result<(u32, u32), PictureError> {
        self.picture.or(data.picture).ok_or(PictureError::NoSize)
    }

    /// Writes the buffer in the format of the path; a picture needs a size from here or from the data.
    pub fn save(&self, data: &HostData) -> Result<(), DataError> {
        let contents = match Format::of(&self.path) {
            Format::Npy => npy::write(data),
            Format::Raw => data.bytes.clone(),
            Format::Png => self
                .size(data.extent())
                .and_then(|(width, height)| picture::write(data, width, height))
                .map_err(|error| DataError::Picture { path: self.path.clone(), error })?,
        };
        write_whole(&self.path, &contents)
            .map_err(|source| DataError::Write { path: self.path.clone(), source })
    }
}

/// Writes a file beside its place and renames it, so that nobody sees half of it. What is no regular file (a pipe,
/// `/dev/null`) is written to as it is.
pub fn write_whole(path: &Path, contents: &[u8]) -> io::Result<()> {
    if fs::metadata(path).is_ok_and(|m| !m.is_file() && !m.is_dir()) {
        return fs::OpenOptions::new().write(true).open(path)?.write_all(contents);
    }
    // A symbolic link stays one: what it points to is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let folder = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    // Asked first, for an error that does not name the temporary file.
    fs::metadata(folder)?;
    let mut file = tempfile::Builder::new()
        .prefix(".oxcl-")
        // The mode of any new file; the process's mask takes its part away.
        .permissions(fs::Permissions::from_mode(0o666))
        .tempfile_in(folder)
        .map_err(|e| io::Error::from(e.kind()))?;
    file.as_file_mut().write_all(contents)?;
    file.persist(path).map_err(|e| e.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::element::Scalar;
    use super::super::generate;
    use super::*;

    #[test]
    fn suffixes() {
        let source = FileSource::parse("a:b/data.bin:float4");
        assert_eq!(source.path, Path::new("a:b/data.bin"));
        assert_eq!(source.element.map(|e| e.to_string()).as_deref(), Some("float4"));
        assert_eq!(FileSource::parse("a:b").path, Path::new("a:b"));
        assert_eq!(FileSource::parse("a.PNG:rgb").layout, Some(Layout::Rgb));
        assert_eq!(FileSource::parse("a.bin:rgb").path, Path::new("a.bin:rgb"));
        assert_eq!(FileTarget::parse("o.png:64x32").picture, Some((64, 32)));
        assert_eq!(FileTarget::parse("o.png:64y32").path, Path::new("o.png:64y32"));
    }

    #[test]
    fn files_appear_whole() -> Result<(), Box<dyn std::error::Error>> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("a.npy");
        let data = generate::range(Element::scalar(Scalar::Float), 8);
        FileTarget { path: path.clone(), picture: None }.save(&data)?;
        assert_eq!(fs::read_dir(folder.path())?.count(), 1);
        let text = path.display().to_string();
        assert_eq!(FileSource::parse(&text).load(None)?, data);
        let vectors = Element { scalar: Scalar::Float, lanes: 4 };
        assert_eq!(FileSource::parse(&text).load(Some(vectors))?.len(), 2);
        let wrong = FileSource::parse(&text).load(Some(Element::scalar(Scalar::Int)));
        assert!(wrong.is_err_and(|e| e.to_string().ends_with("holds float, and int is needed")));
        let bits = FileSource::parse(&format!("{text}:uint")).load(Some(Element::scalar(Scalar::UInt)))?;
        assert_eq!(bits.bytes, data.bytes);
        Ok(())
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        let target = FileTarget { path: "/nonexistent/a.bin".into(), picture: None };
        assert!(target.save(&generate::zeros(Element::scalar(Scalar::Int), 1)).is_err());
    }
}
