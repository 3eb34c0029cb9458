//! File tests rewritten so that they must still do the same: code that never runs is put in under conditions that no
//! compiler knows, and statements are replaced by others that mean the same.
//!
//! The text is changed, not a tree: what is changed is found by tokens, only inside of function bodies and where a
//! statement may begin. No condition here ever differs between work-items: `get_work_dim()` is 1 to 3.

#[path = "../../cli/src/reduce/tokens.rs"]
#[allow(dead_code, reason = "the reducer uses the rest")]
mod tokens;

use std::fmt::Write as _;
use std::ops::Range;

use crate::value::SplitMix;
use tokens::tokens;

/// Statements that do nothing and hold a barrier. `#` becomes a number, so that names are new.
const DEAD_BARRIERS: &[&str] = &[
    "if (get_work_dim() > 3u) { barrier(CLK_LOCAL_MEM_FENCE); }",
    "if (get_work_dim() > 3u) { int dead# = (int)get_local_id(0); if (dead# > 2) barrier(CLK_GLOBAL_MEM_FENCE); }",
    "for (uint dead# = 3; dead# < get_work_dim(); dead#++) { barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == dead#) break; }",
    "while (get_work_dim() > 3u) { if (get_global_id(0) == 5) break; barrier(CLK_LOCAL_MEM_FENCE); if (get_local_id(0) == 1) continue; }",
    "switch (get_work_dim()) { case 4: barrier(CLK_LOCAL_MEM_FENCE); case 5: { int dead# = 1; dead#++; } break; default: ; }",
    "{ int dead#[4]; for (int i# = 0; i# < 4; i#++) dead#[i#] = i# + (int)get_local_id(0); if (dead#[3] < 3) barrier(CLK_LOCAL_MEM_FENCE); }",
];

/// Others that do nothing.
const DEAD: &[&str] = &[
    "do { int dead# = (int)get_global_id(0); if (dead# < 0) break; } while (get_work_dim() > 3u);",
    "{ volatile int dead# = 7; dead# += (int)get_local_id(0); }",
];

/// Ways to write a barrier, for its text in place of `@`.
const BARRIERS: &[&str] = &[
    "if (get_work_dim() < 4u) { @; } else { @; }",
    "do { @; } while (get_work_dim() > 3u);",
    "for (uint again# = 0; again# < 1u; again#++) { @; }",
    "{ @; @; }",
    "switch (get_work_dim()) { case 7: @; case 1: case 2: case 3: @; }",
];

/// A file test that must do what the given one does. Its vectorisation is left open, and it is only run.
#[must_use]
pub fn rewritten(source: &str, seed: u64) -> String {
    let mut random = SplitMix(seed);
    let places = places(source);
    let mut text = String::new();
    let mut at = 0;
    let mut number = 0;
    // Work-items that wait for one another by atomic operations run one after the other between barriers only: a barrier
    // inside, though it is never reached, parts what takes a lock from what gives it back.
    let barriers = if source.contains("atomic") { 0 } else { DEAD_BARRIERS.len() };
    let dead: Vec<&str> = DEAD_BARRIERS[..barriers].iter().chain(DEAD).copied().collect();
    for place in places {
        match place {
            Place::Start(start) => {
                text.push_str(&source[at..start]);
                at = start;
                if random.next() % 100 < 30 {
                    number += 1;
                    let _ = write!(text, " {} ", fresh(choose(&dead, &mut random), number));
                }
            }
            Place::Barrier(start, end) if start >= at => {
                text.push_str(&source[at..start]);
                let barrier = source[start..end].trim_end_matches(';').trim();
                number += 1;
                if random.next() % 100 < 60 {
                    let way = fresh(choose(BARRIERS, &mut random), number);
                    text.push_str(&way.replace('@', barrier));
                } else {
                    text.push_str(&source[start..end]);
                }
                at = end;
            }
            Place::Condition(start, end) if start >= at => {
                text.push_str(&source[at..start]);
                let condition = &source[start..end];
                match random.next() % 4 {
                    0 => {
                        let _ = write!(text, "get_work_dim() < 4u && ({condition})");
                    }
                    1 => {
                        let _ = write!(text, "!!({condition})");
                    }
                    2 => {
                        let _ = write!(text, "({condition}) || get_work_dim() > 3u");
                    }
                    _ => text.push_str(condition),
                }
                at = end;
            }
            Place::Barrier(..) | Place::Condition(..) => {}
        }
    }
    text.push_str(&source[at..]);
    directives(&text)
}

fn choose(of: &[&'static str], random: &mut SplitMix) -> &'static str {
    of[usize::try_from(random.next() % of.len() as u64).unwrap_or(0)]
}

fn fresh(text: &str, number: u32) -> String {
    text.replace('#', &format!("_{number}_"))
}

/// Snapshots belong to the text as it was, and so does what the vectoriser makes of it.
fn directives(text: &str) -> String {
    let keep = |line: &str| -> String {
        if line.starts_with("// test:") {
            "// test: run".to_owned()
        } else if line.starts_with("// width:") {
            "// was another width".to_owned()
        } else {
            line.to_owned()
        }
    };
    let lines: Vec<String> = text.lines().map(keep).collect();
    format!("// width: any\n{}\n", lines.join("\n"))
}

/// Where something can be changed.
#[derive(Debug, Clone, Copy)]
enum Place {
    /// A statement begins here.
    Start(usize),
    /// A call of `barrier` with its semicolon.
    Barrier(usize, usize),
    /// What stands in the parentheses of an `if`.
    Condition(usize, usize),
}

fn places(source: &str) -> Vec<Place> {
    let tokens = code(source);
    let word = |index: usize| tokens.get(index).map_or("", |token| &source[token.clone()]);
    let mut places = Vec::new();
    // For each open brace whether statements stand in it.
    let mut braces: Vec<bool> = Vec::new();
    let mut parentheses = 0_i32;
    // Whether statements stood in what was closed last: behind members of a union its name comes.
    let mut ended_body = false;
    for index in 0..tokens.len() {
        let before = if index == 0 { "" } else { word(index - 1) };
        match word(index) {
            "(" => parentheses += 1,
            ")" => parentheses -= 1,
            "{" => {
                let in_body = braces.last().copied().unwrap_or(false);
                let opens = if braces.is_empty() {
                    before == ")"
                } else {
                    in_body && matches!(before, ")" | ";" | "{" | "}" | "else" | "do" | ":")
                };
                braces.push(opens);
            }
            "}" => ended_body = braces.pop().unwrap_or(false),
            _ => {}
        }
        let in_body = braces.last().copied().unwrap_or(false) && parentheses == 0;
        if !in_body {
            continue;
        }
        let follows = matches!(before, ";" | "{") || (before == "}" && ended_body);
        let follows = follows && word(index) != "{";
        // `else` and the end of a `do` belong to what stands before them; `}` may end an initialiser.
        let continues =
            matches!(word(index), "else" | "while" | "," | ";" | "." | ")" | "}" | "case" | "default");
        if follows && !continues {
            places.push(Place::Start(tokens[index].start));
        }
        let is_barrier = matches!(word(index), "barrier" | "work_group_barrier");
        if is_barrier
            && matches!(before, ";" | "{" | "}" | ")")
            && let Some(close) = closing(&tokens, source, index + 1)
            && word(close + 1) == ";"
        {
            places.push(Place::Barrier(tokens[index].start, tokens[close + 1].end));
        }
        if word(index) == "if"
            && word(index + 1) == "("
            && let Some(close) = closing(&tokens, source, index + 1)
        {
            places.push(Place::Condition(tokens[index + 1].end, tokens[close].start));
        }
    }
    places
}

/// The parenthesis that closes the one at a token.
fn closing(tokens: &[Range<usize>], source: &str, open: usize) -> Option<usize> {
    let mut depth = 0;
    for (index, token) in tokens.iter().enumerate().skip(open) {
        match &source[token.clone()] {
            "(" => depth += 1,
            ")" => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return Some(index);
        }
    }
    None
}

/// Tokens without comments and lines for the preprocessor.
fn code(source: &str) -> Vec<Range<usize>> {
    let counts = |token: &Range<usize>| {
        !["//", "/*", "#"].iter().any(|start| source[token.clone()].starts_with(start))
    };
    tokens(source).into_iter().filter(counts).collect()
}

#[cfg(test)]
mod tests {
    use super::rewritten;

    #[test]
    fn only_bodies_change() {
        let source = "typedef struct { int a; int b; } S;\n#define M(x) { x; y; }\nkernel void k(global int *p) {\n  int a[2] = {1, 2};\n  if (p[0]) p[1] = 2; else p[1] = 3;\n  do { p[2]++; } while (p[2] < 3);\n  union { int i; } u;\n  barrier(CLK_LOCAL_MEM_FENCE);\n}\n";
        let mut changed = 0;
        for seed in 0..50 {
            let text = rewritten(source, seed);
            assert!(text.contains("typedef struct { int a; int b; } S;"), "{text}");
            assert!(text.contains("#define M(x) { x; y; }\n"), "{text}");
            assert!(text.contains("= {1, 2};"), "{text}");
            assert!(text.contains(" } u;"), "{text}");
            assert!(text.contains("p[1] = 2; else p[1] = 3;"), "{text}");
            assert!(text.contains("p[2]++; } while (p[2] < 3);"), "{text}");
            changed += usize::from(text.matches("get_work_dim").count() > 0);
        }
        assert!(changed > 40, "{changed}");
    }
}
