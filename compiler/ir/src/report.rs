//! Facts that analyses find, as text beside the IR that they are about.
//!
//! In: a function, what an analysis says of it. Out: [`Fact`]s, each about the function, one of its blocks or one of its
//! instructions, and listings: IR text in which every fact stands behind the line that it is about, as the comment
//! `; ANALYSIS: TEXT`. The text may be LLVM's own printing of the function or somebody's file: lines are matched by
//! counting blocks and instructions, so each instruction takes a line of its own (a `switch` may take several).
//!
//! Nothing is analysed here but what printing needs; each function below shows one analysis.

use crate::access::Accesses;
use crate::affine::Forms;
use crate::cfg::Cfg;
use crate::function::{Block, Function};
use crate::range::{Range, Ranges};
use crate::shape::Shapes;
use crate::types::TypeKind;
use crate::value::Value;
use crate::{Opcode, access};
use std::collections::HashMap;
use std::fmt::Write;

/// What a fact is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Subject<'c> {
    /// The function as a whole.
    Function,
    /// A block.
    Block(Block<'c>),
    /// An instruction.
    Instruction(Value<'c>),
}

impl Subject<'_> {
    /// Whether it has been deleted since the fact was found.
    #[must_use]
    pub fn is_stale(self) -> bool {
        match self {
            Subject::Function => false,
            Subject::Block(block) => block.is_stale(),
            Subject::Instruction(instruction) => instruction.is_stale(),
        }
    }
}

/// What an analysis says of a subject.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fact<'c> {
    /// The analysis' name, one word in lower case.
    pub analysis: &'static str,
    /// What the fact is about.
    pub subject: Subject<'c>,
    /// The fact, on one line and without a semicolon.
    pub text: String,
}

impl<'c> Fact<'c> {
    /// A fact about the function as a whole.
    #[must_use]
    pub fn of_function(analysis: &'static str, text: String) -> Self {
        Fact { analysis, subject: Subject::Function, text }
    }

    /// A fact about a block.
    #[must_use]
    pub fn of_block(analysis: &'static str, block: Block<'c>, text: String) -> Self {
        Fact { analysis, subject: Subject::Block(block), text }
    }

    /// A fact about an instruction.
    #[must_use]
    pub fn of_instruction(analysis: &'static str, instruction: Value<'c>, text: String) -> Self {
        Fact { analysis, subject: Subject::Instruction(instruction), text }
    }
}

/// The control flow: for each block its immediate dominator and post-dominator (`end` where only the function's end is
/// common), its innermost loop, and the blocks whose
/// branches decide whether it runs; for each branch the blocks between it and where its ways meet.
#[must_use]
pub fn cfg<'c>(cfg: &Cfg<'c>) -> Vec<Fact<'c>> {
    let name = |block: usize| cfg.blocks[block].name();
    let names = |blocks: &[usize]| blocks.iter().map(|&b| name(b)).collect::<Vec<_>>().join(" ");
    let deciders = cfg.control_dependences();
    let mut facts = Vec::new();
    for (number, &block) in cfg.blocks.iter().enumerate() {
        let mut parts = Vec::new();
        if !cfg.order.contains(&number) {
            facts.push(Fact::of_block("cfg", block, "unreachable".to_owned()));
            continue;
        }
        parts.extend(cfg.idom(number).map(|up| format!("idom {}", name(up))));
        parts.push(format!("ipdom {}", cfg.ipdom(number).map_or_else(|| "end".to_owned(), &name)));
        if let Some(inner) = cfg.innermost[number] {
            let depth = std::iter::successors(Some(inner), |&at| cfg.loops[at].parent).count();
            parts.push(format!("loop {} depth {depth}", name(cfg.loops[inner].header)));
        }
        if !deciders[number].is_empty() {
            parts.push(format!("depends on {}", names(&deciders[number])));
        }
        let back: Vec<usize> =
            cfg.successors[number].iter().copied().filter(|&to| cfg.is_back_edge(number, to)).collect();
        if !back.is_empty() {
            parts.push(format!("back to {}", names(&back)));
        }
        facts.push(Fact::of_block("cfg", block, parts.join(", ")));
        if let (true, Some(branch)) = (cfg.successors[number].len() > 1, block.terminator()) {
            facts.push(Fact::of_instruction(
                "cfg",
                branch,
                format!("influences {}", names(&cfg.influence(number))),
            ));
        }
    }
    facts
}

/// How values differ between work-items, which branches they may take different ways at, where such ways meet, and which
/// loops they may leave in different iterations.
#[must_use]
pub fn shapes<'c>(cfg: &Cfg<'c>, shapes: &Shapes<'c>) -> Vec<Fact<'c>> {
    let mut facts = Vec::new();
    for (number, &block) in cfg.blocks.iter().enumerate() {
        let uniformity = shapes.uniformity();
        if uniformity.is_divergent_cycle(number) {
            facts.push(Fact::of_block("shape", block, "divergent loop".to_owned()));
        }
        if uniformity.is_divergent_join(number) {
            facts.push(Fact::of_block("shape", block, "join".to_owned()));
        }
        for instruction in block.instructions() {
            if !instruction.ty().is_void() {
                facts.push(Fact::of_instruction("shape", instruction, shapes.of(instruction).to_string()));
            } else if instruction.is_terminator() && cfg.successors[number].len() > 1 {
                let text = if shapes.is_divergent(number) { "divergent" } else { "uniform" };
                facts.push(Fact::of_instruction("shape", instruction, text.to_owned()));
            }
        }
    }
    facts
}

/// The ranges of integers of at most 64 bits, where they say more than the type.
#[must_use]
pub fn ranges<'c>(function: Function<'c>, ranges: &Ranges<'_, 'c>) -> Vec<Fact<'c>> {
    let mut facts = Vec::new();
    for instruction in function.instructions() {
        let TypeKind::Int(bits @ 2..=64) = instruction.ty().kind() else { continue };
        let known = ranges.of(instruction).filter(|&range| range != Range::signed(bits));
        facts.extend(known.map(|range| Fact::of_instruction("range", instruction, range.to_string())));
    }
    facts
}

/// The affine forms: of the addresses of loads and stores, and of the integers that have one. What has none has no fact.
#[must_use]
pub fn affine<'c>(function: Function<'c>, forms: &Forms<'_, 'c>) -> Vec<Fact<'c>> {
    let parameters = function.parameters();
    let mut facts = Vec::new();
    for instruction in function.instructions() {
        let pointer = match instruction.opcode() {
            Some(Opcode::LLVMLoad | Opcode::LLVMAtomicRMW) => Some(instruction.operand(0)),
            Some(Opcode::LLVMStore) => Some(instruction.operand(1)),
            _ => None,
        };
        let text = match pointer {
            Some(pointer) => forms
                .address(pointer)
                .map(|(base, form)| format!("at %{} + {}", parameters[base].name(), form)),
            None if matches!(instruction.ty().kind(), TypeKind::Int(_)) => {
                forms.number(instruction).map(|form| form.to_string())
            }
            None => None,
        };
        facts.extend(text.map(|text| Fact::of_instruction("affine", instruction, text)));
    }
    facts
}

/// What a kernel does with the memory behind its parameters.
#[must_use]
pub fn access(function: Function<'_>) -> Vec<Fact<'_>> {
    let Accesses { parameters, opaque, globals } = access::accesses(function);
    let mut facts = Vec::new();
    for (parameter, access) in function.parameters().iter().zip(parameters) {
        let what = match (access.read, access.write) {
            (false, false) => "untouched",
            (true, false) => "read",
            (false, true) => "written",
            (true, true) => "read and written",
        };
        facts.push(Fact::of_function("access", format!("%{} {what}", parameter.name())));
    }
    if opaque {
        facts.push(Fact::of_function("access", "opaque".to_owned()));
    }
    if globals {
        facts.push(Fact::of_function("access", "globals".to_owned()));
    }
    facts
}

/// What a line of a listing holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    /// Outside of the function, or nothing in it.
    Other,
    /// The function's first line.
    Header,
    /// The label of the block of this number.
    Label(usize),
    /// The instruction of this number in the block of this number.
    Instruction(usize, usize),
    /// A comment of facts only.
    Facts,
}

/// IR text, line by line, in which one function's blocks and instructions are found again.
#[derive(Debug, Clone)]
pub struct Listing {
    /// Each line without its facts.
    text: Vec<String>,
    lines: Vec<Line>,
    /// The facts behind each line, as they stand in the text.
    facts: Vec<Vec<String>>,
}

/// A listing whose lines cannot be matched with the function.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ListingError {
    /// The text does not define the function.
    #[error("the text has no line that begins with 'define' and names @{function}")]
    NoFunction {
        /// The function.
        function: String,
    },
    /// Another number of blocks or instructions than the function has.
    #[error("the text of @{function} has {lines} in {place}, the function has {own}: one instruction a line")]
    Mismatch {
        /// The function.
        function: String,
        /// The block, or "the function" where blocks are counted.
        place: String,
        /// How many the text has.
        lines: usize,
        /// How many the function has.
        own: usize,
    },
}

impl Listing {
    /// Reads the text of `function`. Comments of the analyses named by `known` are taken as facts, wherever they stand
    /// inside the function; all others stay part of the text.
    ///
    /// # Errors
    /// The text does not match the function.
    pub fn read(text: &str, function: Function<'_>, known: &[&str]) -> Result<Self, ListingError> {
        let name = function.name();
        let mut listing = Listing { text: Vec::new(), lines: Vec::new(), facts: Vec::new() };
        let mut inside = false;
        let mut found = false;
        // Instructions of each block, and how many brackets the last line left open.
        let mut counts: Vec<usize> = Vec::new();
        let mut open = 0_usize;
        for raw in text.lines() {
            let starts = !inside && is_header(raw, &name);
            if !(inside || starts) {
                listing.push(raw.to_owned(), Line::Other, Vec::new());
                continue;
            }
            (inside, found) = (true, true);
            let (code, facts) = split_facts(raw, known);
            let bare = without_comment(&code).trim().to_owned();
            let line = if starts {
                Line::Header
            } else if bare == "}" {
                inside = false;
                Line::Other
            } else if bare.is_empty() {
                if facts.is_empty() { Line::Other } else { Line::Facts }
            } else if open > 0 || bare.starts_with("#dbg_") {
                Line::Other
            } else if bare.ends_with(':') {
                counts.push(0);
                Line::Label(counts.len() - 1)
            } else {
                if counts.is_empty() {
                    counts.push(0);
                }
                let block = counts.len() - 1;
                counts[block] += 1;
                Line::Instruction(block, counts[block] - 1)
            };
            if !matches!(line, Line::Header | Line::Label(_)) {
                let (opened, closed) = (bare.matches('[').count(), bare.matches(']').count());
                open = (open + opened).saturating_sub(closed);
            }
            listing.push(code, line, facts);
        }
        if !found {
            return Err(ListingError::NoFunction { function: name });
        }
        let blocks = function.blocks();
        let mismatch = |place: String, lines: usize, own: usize| {
            Err(ListingError::Mismatch { function: name.clone(), place, lines, own })
        };
        if counts.len() != blocks.len() {
            return mismatch("the function".to_owned(), counts.len(), blocks.len());
        }
        for (block, count) in blocks.iter().zip(counts) {
            let own = block.instructions().len();
            if own != count {
                return mismatch(format!("block {}", block.name()), count, own);
            }
        }
        Ok(listing)
    }

    fn push(&mut self, text: String, line: Line, facts: Vec<String>) {
        self.text.push(text);
        self.lines.push(line);
        self.facts.push(facts);
    }

    /// The places that facts can stand at; to be taken before the function is changed.
    #[must_use]
    pub fn places<'c>(&self, function: Function<'c>) -> Places<'c> {
        let blocks = function.blocks();
        let instructions: Vec<Vec<Value<'c>>> = blocks.iter().map(|block| block.instructions()).collect();
        let mut places = HashMap::new();
        for (number, line) in self.lines.iter().enumerate() {
            match *line {
                Line::Other | Line::Facts => {}
                Line::Header => {
                    places.insert(Subject::Function, number);
                }
                Line::Label(block) => {
                    places.insert(Subject::Block(blocks[block]), number);
                }
                Line::Instruction(block, at) => {
                    places.insert(Subject::Instruction(instructions[block][at]), number);
                }
            }
        }
        Places { places }
    }

    /// The text as it was read, but for blanks before facts.
    #[must_use]
    pub fn given(&self) -> Vec<String> {
        self.render(&self.facts, false)
    }

    /// The text with `facts` in place of those that were read. Facts about the function, and about what has no line of its
    /// own, stand below its first line.
    #[must_use]
    pub fn annotated(&self, facts: &[Fact<'_>], places: &Places<'_>, aligned: bool) -> Vec<String> {
        let mut by_line: Vec<Vec<String>> = vec![Vec::new(); self.lines.len()];
        let header = self.lines.iter().position(|line| *line == Line::Header).unwrap_or(0);
        for fact in facts {
            let Fact { analysis, subject, text } = fact;
            match (places.places.get(subject), subject) {
                (Some(&line), _) => by_line[line].push(format!("{analysis}: {text}")),
                (None, Subject::Block(block)) => {
                    by_line[header].push(format!("{analysis}: block {}: {text}", block.name()));
                }
                (None, Subject::Instruction(value)) => {
                    by_line[header].push(format!("{analysis}: {value}: {text}"));
                }
                (None, Subject::Function) => by_line[header].push(format!("{analysis}: {text}")),
            }
        }
        self.render(&by_line, aligned)
    }

    fn render(&self, facts: &[Vec<String>], aligned: bool) -> Vec<String> {
        const WIDEST: usize = 72;
        let width = |line: &str| line.chars().count();
        let behind = |line: &Line| matches!(line, Line::Label(_) | Line::Instruction(..));
        let column = (self.text.iter().zip(&self.lines).zip(facts))
            .filter(|((_, line), facts)| aligned && behind(line) && !facts.is_empty())
            .map(|((text, _), _)| width(text))
            .filter(|&columns| columns <= WIDEST)
            .max()
            .unwrap_or(0);
        let mut out = Vec::new();
        for ((text, line), facts) in self.text.iter().zip(&self.lines).zip(facts) {
            match line {
                Line::Header | Line::Facts => {
                    if *line == Line::Header {
                        out.push(text.clone());
                    }
                    out.extend(facts.iter().map(|fact| format!("; {fact}")));
                }
                _ if facts.is_empty() => out.push(text.clone()),
                _ => {
                    let padding = " ".repeat(column.saturating_sub(width(text)));
                    out.push(format!("{text}{padding} ; {}", facts.join(" ; ")));
                }
            }
        }
        out
    }
}

/// Where each subject stands in a listing.
#[derive(Debug, Clone)]
pub struct Places<'c> {
    places: HashMap<Subject<'c>, usize>,
}

/// LLVM's text of a function, with facts.
///
/// # Errors
/// LLVM's text does not match the function: a mistake of ours.
pub fn print<'c>(function: Function<'c>, facts: &[Fact<'c>]) -> Result<String, ListingError> {
    let mut text = String::new();
    for line in function.to_string().lines() {
        // LLVM's own comments would be between the label and its facts.
        let line = if line.starts_with(';') { line } else { without_comment(line).trim_end() };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{line}");
    }
    let listing = Listing::read(&text, function, &[])?;
    let mut lines = listing.annotated(facts, &listing.places(function), true).join("\n");
    lines.push('\n');
    Ok(lines)
}

/// Whether a line begins the definition of a function.
fn is_header(line: &str, function: &str) -> bool {
    let Some(rest) = line.strip_prefix("define ") else { return false };
    [format!("@{function}("), format!("@\"{function}\"(")].iter().any(|name| rest.contains(name.as_str()))
}

/// Where the comment of a line begins, outside of quotes.
fn comment_at(line: &str) -> Option<usize> {
    let mut quoted = false;
    line.char_indices().find_map(|(at, c)| {
        quoted ^= c == '"';
        (c == ';' && !quoted).then_some(at)
    })
}

fn without_comment(line: &str) -> &str {
    comment_at(line).map_or(line, |at| &line[..at])
}

/// Takes the facts off a line: every part of its comment that begins with a known analysis and a colon.
fn split_facts(line: &str, known: &[&str]) -> (String, Vec<String>) {
    let Some(at) = comment_at(line) else { return (line.trim_end().to_owned(), Vec::new()) };
    let is_fact = |part: &str| part.split_once(':').is_some_and(|(key, _)| known.contains(&key.trim()));
    let parts: Vec<&str> = line[at + 1..].split(';').collect();
    let first = parts.iter().position(|part| is_fact(part)).unwrap_or(parts.len());
    let mut code = line[..at].to_owned();
    for part in &parts[..first] {
        code.push(';');
        code.push_str(part);
    }
    let facts = parts[first..].iter().map(|part| part.trim().to_owned()).collect();
    (code.trim_end().to_owned(), facts)
}

#[cfg(test)]
mod tests {
    use super::{comment_at, split_facts};

    #[test]
    fn facts_are_told_from_other_comments() {
        let (code, facts) = split_facts(
            "  %a = add i32 %b, 1 ; one more ; shape: uniform ; range: 0..2",
            &["shape", "range"],
        );
        assert_eq!(code, "  %a = add i32 %b, 1 ; one more");
        assert_eq!(facts, ["shape: uniform", "range: 0..2"]);
        let (code, facts) = split_facts("; the shape: of it", &["shape"]);
        assert_eq!((code.as_str(), facts.len()), ("; the shape: of it", 0));
    }

    #[test]
    fn quoted_semicolons_begin_no_comment() {
        assert_eq!(comment_at("  call void @\"a;b\"() ; c"), Some(21));
        assert_eq!(comment_at("  ret void"), None);
    }
}
