//! Replays the fuzzer's corpus, and mutations of it, on every toolchain.

#![allow(
    clippy::print_stderr,
    reason = "a target that ends the process leaves nothing but the seed to repeat it with"
)]

use std::path::{Path, PathBuf};
use std::{env, fs};

use oxcl_compiler::{Emit, Request, SourceFile, compile};
use oxcl_testsuite::fuzz::{link_object, read_archive, read_bitcode, read_spirv, read_unit};

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
    mutate(&corpus, 500, read_unit);
}

#[test]
fn mutations_of_the_corpus_hold_their_promises() {
    mutate(&corpus("read_archive"), 500, read_archive);
}

#[test]
fn bitcode_and_mutations_of_it_are_modules_or_errors() {
    let corpus = corpus("read_bitcode");
    assert!(corpus.len() >= 2, "the corpus has a seed with and one without lines");
    corpus.iter().for_each(|(_, bytes)| read_bitcode(bytes));
    mutate(&corpus, programs(200), read_bitcode);
}

#[test]
fn objects_and_mutations_of_them_are_programs_or_errors() {
    let corpus = corpus("read_bitcode");
    corpus.iter().for_each(|(_, bytes)| link_object(bytes));
    mutate(&corpus, programs(50), link_object);
}

#[test]
fn spirv_and_mutations_of_it_are_modules_or_errors() {
    let corpus = corpus("read_spirv");
    assert!(corpus.len() >= 5, "the corpus has seeds with control flow, memory, images, printf and atomics");
    corpus.iter().for_each(|(_, bytes)| read_spirv(bytes));
    mutate(&corpus, programs(300), read_spirv);
}

/// Whatever byte of a compiled object is changed, it is no longer linked.
#[test]
fn changed_objects_are_refused() {
    let source = SourceFile { name: "k.cl".to_owned(), text: "kernel void k(void) {}".to_owned() };
    let compiled = compile(&Request::new(vec![source]), Emit::CompiledObject, None);
    let whole = compiled.expect("the source is right").bytes;
    let link = |bytes: Vec<u8>| {
        let mut request = Request::new(Vec::new());
        request.objects = vec![bytes];
        compile(&request, Emit::Library, None)
    };
    assert!(link(whole.clone()).is_ok());
    let mut numbers = Numbers(1);
    for _ in 0..programs(200) {
        let mut bytes = whole.clone();
        bytes[numbers.next(whole.len())] ^= 1 << numbers.next(8);
        let error = link(bytes).expect_err("a changed object was linked");
        assert_eq!(error.code(), "OX0211", "{error}");
    }
}

/// How many mutations of each seed.
fn programs(usual: usize) -> usize {
    env::var("OXCL_PROGRAMS").map_or(usual, |text| text.parse().expect("OXCL_PROGRAMS is a number"))
}

fn mutate(corpus: &[(PathBuf, Vec<u8>)], count: usize, target: fn(&[u8])) {
    let one: Option<u64> =
        env::var("OXCL_SEED").ok().map(|text| text.parse().expect("OXCL_SEED is a number"));
    for (path, bytes) in corpus {
        for seed in 1..=count as u64 {
            if one.is_some_and(|one| one != seed) {
                continue;
            }
            let mut numbers = Numbers(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let mut bytes = bytes.clone();
            for _ in 0..=numbers.next(4) {
                let at = numbers.next(bytes.len());
                match numbers.next(8) {
                    0 => bytes[at] = 0xff,
                    1 => bytes.truncate(at.max(1)),
                    2..=4 => bytes[at] = bytes[at].wrapping_add(1),
                    _ => bytes[at] ^= 1 << numbers.next(8),
                }
            }
            // Shown where the target fails, by whatever end.
            eprintln!("{} with seed {seed}", path.display());
            target(&bytes);
        }
    }
}
