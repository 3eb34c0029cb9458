//! The files of the cache. In: what is to be kept. Out: bytes with their own hash at the end, and back; bytes that are
//! not whole, of another schema or of another key are nothing.

use oxcl_binary::hash::Sha256;
use oxcl_binary::pipe::{Done, Hello};

use super::key::{Key, SCHEMA};

const MAGIC: [u8; 8] = *b"oxclkept";
const HEADER: usize = 8 + 4 + 4 + 32;
const HASH: usize = 32;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Entry {
    /// A result.
    Result(Done),
    /// Paths whose state leads on.
    Paths(Vec<String>),
    /// What a compiler said of itself.
    Compiler(Hello),
}

impl Entry {
    /// The file's bytes.
    pub(super) fn encode(&self, key: &Key) -> Vec<u8> {
        let (kind, payload) = match self {
            Self::Result(done) => (0_u32, done.encode()),
            Self::Paths(paths) => (1, encode_paths(paths)),
            Self::Compiler(hello) => (2, hello.encode()),
        };
        let mut bytes = Vec::with_capacity(HEADER + payload.len() + HASH);
        bytes.extend(MAGIC);
        bytes.extend(SCHEMA.to_le_bytes());
        bytes.extend(kind.to_le_bytes());
        bytes.extend(key.digest);
        bytes.extend(payload);
        let hash = Sha256::of(&bytes);
        bytes.extend(hash);
        bytes
    }

    /// Reads a file's bytes; none if they are not what `key` says.
    pub(super) fn decode(bytes: &[u8], key: &Key) -> Option<Self> {
        let Parts { key: kept, hash, kind, payload } = split(bytes)?;
        if kept != key.digest || Sha256::of(&bytes[..bytes.len() - HASH]) != hash {
            return None;
        }
        match kind {
            0 => Done::decode(payload).ok().map(Self::Result),
            1 => decode_paths(payload).map(Self::Paths),
            2 => Hello::decode(payload).ok().map(Self::Compiler),
            _ => None,
        }
    }
}

/// Whether a file is as it was written, under this key, by whatever version: one that [`Entry::decode`] does not take is then
/// another version's, and no damage.
pub(super) fn is_whole(bytes: &[u8], key: &Key) -> bool {
    let Some(end) = bytes.len().checked_sub(HASH).filter(|end| *end >= HEADER) else { return false };
    // Magic, schema, kind, key: the key's place is the same in all schemas.
    bytes.starts_with(&MAGIC)
        && bytes[HEADER - 32..HEADER] == key.digest
        && Sha256::of(&bytes[..end]) == bytes[end..]
}

/// What a file's bytes say.
struct Parts<'a> {
    key: [u8; 32],
    hash: [u8; 32],
    kind: u32,
    payload: &'a [u8],
}

/// Takes a file's bytes apart; none if they cannot be a file's.
fn split(bytes: &[u8]) -> Option<Parts<'_>> {
    let (header, rest) = bytes.split_at_checked(HEADER)?;
    let (payload, hash) = rest.split_at_checked(rest.len().checked_sub(HASH)?)?;
    let (magic, header) = header.split_at(8);
    let (schema, header) = header.split_at(4);
    let (kind, key) = header.split_at(4);
    if magic != MAGIC || schema != SCHEMA.to_le_bytes() {
        return None;
    }
    Some(Parts {
        key: key.try_into().ok()?,
        hash: hash.try_into().ok()?,
        kind: u32::from_le_bytes(kind.try_into().ok()?),
        payload,
    })
}

fn encode_paths(paths: &[String]) -> Vec<u8> {
    let mut out = Vec::new();
    for path in paths {
        out.extend((path.len() as u64).to_le_bytes());
        out.extend(path.as_bytes());
    }
    out
}

fn decode_paths(mut bytes: &[u8]) -> Option<Vec<String>> {
    let mut paths = Vec::new();
    while !bytes.is_empty() {
        let (length, rest) = bytes.split_at_checked(8)?;
        let length = usize::try_from(u64::from_le_bytes(length.try_into().ok()?)).ok()?;
        let (path, rest) = rest.split_at_checked(length)?;
        paths.push(String::from_utf8(path.to_vec()).ok()?);
        bytes = rest;
    }
    Some(paths)
}

#[cfg(test)]
mod tests {
    use super::*;
    use oxcl_binary::pipe::Quality;

    #[test]
    fn what_another_version_wrote_is_whole_and_not_taken() {
        let whole = entries()[1].encode(&key(7));
        let mut other = whole[..whole.len() - HASH].to_vec();
        other[8] ^= 0x40;
        let hash = Sha256::of(&other);
        other.extend(hash);
        assert!(Entry::decode(&other, &key(7)).is_none() && is_whole(&other, &key(7)));
        assert!(is_whole(&whole, &key(7)) && !is_whole(&whole, &key(8)));
        assert!(!is_whole(&whole[..whole.len() - 1], &key(7)) && !is_whole(b"", &key(7)));
        other[8] ^= 0x40;
        assert!(!is_whole(&other, &key(7)));
    }

    fn key(byte: u8) -> Key {
        Key { digest: [byte; 32] }
    }

    fn entries() -> [Entry; 3] {
        let done = Done {
            archive: vec![1, 2, 3],
            log: "a warning".into(),
            kernels: vec!["k".into()],
            dependencies: vec![],
            repeatable: true,
            quality: Quality::First,
            processor: 70_000,
        };
        let hello = Hello { process: 0, identity: [7; 32], files: vec![] };
        [
            Entry::Result(done),
            Entry::Paths(vec!["a.h".into(), String::new(), "ü".into()]),
            Entry::Compiler(hello),
        ]
    }

    #[test]
    fn entries_come_back_whole_or_not_at_all() {
        for entry in entries() {
            let bytes = entry.encode(&key(1));
            assert_eq!(Entry::decode(&bytes, &key(1)), Some(entry));
            assert_eq!(Entry::decode(&bytes, &key(2)), None);
            for cut in 0..bytes.len() {
                assert_eq!(Entry::decode(&bytes[..cut], &key(1)), None, "{cut}");
            }
            for at in 0..bytes.len() {
                let mut changed = bytes.clone();
                changed[at] ^= 0x10;
                assert_eq!(Entry::decode(&changed, &key(1)), None, "{at}");
            }
            assert_eq!(Entry::decode(&[&bytes[..], &[0]].concat(), &key(1)), None);
        }
    }
}
