//! Replays the fuzzer's corpus, and mutations of it, on every toolchain.

use std::fs;
use std::path::{Path, PathBuf};

use oxcl_testsuite::fuzz::{read_archive, read_unit};

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(target);
    let entries = fs::read_dir(&directory).expect("the corpus is there");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), fs::read(path).unwrap())).collect()
}

/// A small generator of numbers (xorshift), so that the mutations are the same on every run.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self, below: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % below as u64).expect("the number is below a usize")
    }
}

#[test]
fn the_corpus_of_archives_holds_its_promises() {
    let corpus = corpus("read_archive");
    assert!(corpus.len() >= 3, "the corpus has a seed for each version");
    for (path, bytes) in &corpus {
        assert!(!bytes.is_empty(), "{} is empty", path.display());
        read_archive(bytes);
    }
}

#[test]
fn the_corpus_of_units_holds_its_promises() {
    let corpus = corpus("read_unit");
    assert!(!corpus.is_empty(), "the corpus has a seed");
    for (_, bytes) in &corpus {
        read_unit(bytes);
    }
    mutate(&corpus, read_unit);
}

#[test]
fn mutations_of_the_corpus_hold_their_promises() {
    mutate(&corpus("read_archive"), read_archive);
}

fn mutate(corpus: &[(PathBuf, Vec<u8>)], target: fn(&[u8])) {
    let mut numbers = Numbers(0x9e37_79b9_7f4a_7c15);
    for (_, bytes) in corpus {
        for _ in 0..500 {
            let mut bytes = bytes.clone();
            for _ in 0..=numbers.next(4) {
                let at = numbers.next(bytes.len());
                match numbers.next(4) {
                    0 => bytes[at] = 0xff,
                    1 => bytes[at] ^= 1 << numbers.next(8),
                    2 => bytes.truncate(at.max(1)),
                    _ => bytes[at] = bytes[at].wrapping_add(1),
                }
            }
            target(&bytes);
        }
    }
}
