//! Pages taken apart: fenced blocks, what the comment before one says of it, and the commands in one.

/// What a comment before a block says of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Directive {
    None,
    /// It shows what nothing prints just so.
    NotRun,
    Exit(i32),
    AnyExit,
}

/// A fenced block.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) language: String,
    pub(crate) text: String,
    pub(crate) directive: Directive,
    /// The line that it begins in, from 1.
    pub(crate) line: usize,
    /// Nothing stands between it and the block before.
    pub(crate) follows: bool,
}

fn directive(line: &str) -> Directive {
    let inner = line.strip_prefix("<!--").and_then(|rest| rest.strip_suffix("-->")).map(str::trim);
    match inner {
        Some("any exit code") => Directive::AnyExit,
        Some(text) if text.starts_with("not run: ") => Directive::NotRun,
        Some(text) => match text.strip_prefix("exit code ") {
            Some(code) => Directive::Exit(code.parse().unwrap()),
            None => Directive::None,
        },
        None => Directive::None,
    }
}

pub(crate) fn blocks(text: &str) -> Vec<Block> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    let mut before = "";
    let mut follows = false;
    while let Some((at, line)) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let inside: Vec<&str> =
                lines.by_ref().map(|(_, line)| line).take_while(|line| *line != "```").collect();
            let mut text = inside.join("\n");
            text.push('\n');
            let directive = directive(before);
            found.push(Block { language: language.to_owned(), text, directive, line: at + 1, follows });
            follows = true;
        } else if !line.is_empty() {
            follows = false;
        }
        before = line;
    }
    found
}

/// The file that a block's first line names in a comment.
pub(crate) fn file_of(block: &Block) -> Option<&str> {
    let first = block.text.lines().next()?;
    let name = first.strip_prefix("// ").or_else(|| first.strip_prefix("# "))?;
    let known = matches!(block.language.as_str(), "c" | "toml" | "python");
    (known && name.contains('.') && !name.contains(' ')).then_some(name)
}

/// Commands: lines, those that end with a backslash joined to the next, without comments.
pub(crate) fn commands(text: &str) -> Vec<String> {
    let joined = text.replace("\\\n", " ");
    let code = |line: &str| line.split(" # ").next().unwrap_or(line).trim().to_owned();
    joined.lines().map(code).filter(|line| !line.is_empty() && !line.starts_with('#')).collect()
}
