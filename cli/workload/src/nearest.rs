//! The valid word nearest to a mistyped one, for "did you mean".

use std::path::{Path, PathBuf};

/// The candidate with the least edit distance, if it is near enough to be a slip: at most one edit for every three
/// letters, and one at least.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let allowed = (word.chars().count() / 3).max(1);
    candidates
        .into_iter()
        .map(|candidate| (distance(word, candidate), candidate))
        .filter(|(edits, _)| *edits <= allowed)
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// For a file that is not there: the one of its folder with the nearest name and the same extension, or with the same name
/// and another extension.
pub fn nearest_file(path: &Path) -> Option<PathBuf> {
    let folder = path.parent()?;
    let place = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let stem = path.file_stem()?.to_str()?;
    let mut names: Vec<PathBuf> =
        std::fs::read_dir(place).ok()?.filter_map(|entry| Some(entry.ok()?.file_name().into())).collect();
    names.sort();
    let stem_of = |name: &'_ PathBuf| Some(name.file_stem()?.to_str()?.to_owned());
    let alike: Vec<(String, &PathBuf)> = names
        .iter()
        .filter(|name| name.extension() == path.extension())
        .filter_map(|name| Some((stem_of(name)?, name)))
        .collect();
    let near = nearest(stem, alike.iter().map(|(stem, _)| stem.as_str()));
    let found = match near {
        Some(near) => alike.iter().find(|(stem, _)| stem == near).map(|(_, name)| *name),
        None => names.iter().find(|name| stem_of(name).as_deref() == Some(stem)),
    };
    found.map(|name| folder.join(name))
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_looked_for_beside_the_one_that_is_not_there() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("blur.cl"), "").unwrap();
        assert_eq!(nearest_file(&path("blru.cl")), Some(path("blur.cl")));
        assert_eq!(nearest_file(&path("blur.c")), Some(path("blur.cl")));
        assert_eq!(nearest_file(&path("slow.cl")), None);
        assert_eq!(nearest_file(&path("none/blur.cl")), None);
    }

    #[test]
    fn slips_are_found_and_other_words_are_not() {
        assert_eq!(nearest("gloabl", ["global", "local"]), Some("global"));
        assert_eq!(nearest("x", ["global", "local"]), None);
        assert_eq!(nearest("lcal", ["global", "local"]), Some("local"));
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("ab", "ba"), 1);
    }
}
