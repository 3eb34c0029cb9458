//! LLVM IR as text, with the word of the module that each line came of: what LLVM's reader says of a line is said of the
//! instruction.

/// Text under construction.
#[derive(Debug, Default)]
pub(crate) struct Text {
    pub(crate) text: String,
    /// By line.
    pub(crate) words: Vec<usize>,
}

impl Text {
    /// Adds a line.
    pub(crate) fn line(&mut self, word: usize, line: &str) {
        debug_assert!(!line.contains('\n'), "one line at a time: {line}");
        self.text.push_str(line);
        self.text.push('\n');
        self.words.push(word);
    }

    /// Adds another text.
    pub(crate) fn append(&mut self, other: Text) {
        self.text.push_str(&other.text);
        self.words.extend(other.words);
    }

    /// The word that a line, counted from 1, came of.
    pub(crate) fn word_of(&self, line: usize) -> usize {
        line.checked_sub(1).and_then(|index| self.words.get(index)).copied().unwrap_or(0)
    }
}

/// A name or a string of bytes as LLVM's texts have it.
pub(crate) fn quoted(name: &str) -> String {
    quoted_bytes(name.as_bytes())
}

/// The same of bytes.
pub(crate) fn quoted_bytes(bytes: &[u8]) -> String {
    const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
    let mut out = String::from("\"");
    for byte in bytes {
        if (b' '..=b'~').contains(byte) && !matches!(byte, b'"' | b'\\') {
            out.push(char::from(*byte));
        } else {
            out.push('\\');
            out.push(char::from(DIGITS[usize::from(byte >> 4)]));
            out.push(char::from(DIGITS[usize::from(byte & 15)]));
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_are_quoted_as_llvm_reads_them() {
        assert_eq!(quoted("a.b"), "\"a.b\"");
        assert_eq!(quoted("a\"b\\\u{e9}\n"), "\"a\\22b\\5C\\C3\\A9\\0A\"");
    }
}
