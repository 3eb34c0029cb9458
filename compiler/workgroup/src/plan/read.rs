//! Plans as text, read: what `oxcl compile --emit plan` prints, perhaps edited.
//!
//! In: the text. Out: [`PlanText`], for each kernel what shall be done, with the lines where that stands; or the line that
//! cannot be understood. Nothing is known here of the kernels: whether what is written fits one, [`super::forced`] finds out.
//!
//! Levels are told by how far a line is indented: kernels, regions (2 blanks), blocks (4), instructions (6). Lines that are
//! empty or begin with `#` say nothing, nor does what stands in brackets at a line's end.

use super::How;
use super::space::Space;
use crate::emit::WideForm;
use std::fmt;

/// What shall be done, for some of a program's kernels.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PlanText {
    /// In the order of the text, each name once.
    pub kernels: Vec<KernelPlan>,
}

/// What is wrong with a line of a plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct PlanError {
    /// The line, 1-based.
    pub line: u32,
    /// What is wrong there.
    pub what: String,
}

/// What shall be done with one kernel. Regions and blocks that are left out are the compiler's to decide about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelPlan {
    /// Its name.
    pub name: String,
    /// Where it stands.
    pub(crate) line: u32,
    pub(crate) width: u32,
    pub(crate) space: Space,
    pub(crate) regions: Vec<RegionText>,
}

/// A region of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RegionText {
    pub(crate) line: u32,
    pub(crate) number: usize,
    pub(crate) blocks: Vec<BlockText>,
}

/// A block of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BlockText {
    pub(crate) line: u32,
    pub(crate) name: String,
    /// Which lanes run it.
    pub(crate) lanes: String,
    pub(crate) instructions: Vec<InstructionText>,
}

/// An instruction of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct InstructionText {
    pub(crate) line: u32,
    /// `load`, `store`, `atomic`, or `call` and a name.
    pub(crate) what: String,
    pub(crate) how: How,
}

impl PlanText {
    /// Reads a plan.
    ///
    /// # Errors
    /// The first line that cannot be understood.
    pub fn read(text: &str) -> Result<Self, PlanError> {
        let mut read = PlanText::default();
        for (line, full) in (1..).zip(text.lines()) {
            let line_text = full.trim();
            if line_text.is_empty() || line_text.starts_with('#') {
                continue;
            }
            let depth = full.len() - full.trim_start().len();
            read.add(line, depth, line_text).map_err(|what| PlanError { line, what })?;
        }
        if read.kernels.is_empty() {
            return Err(PlanError { line: 1, what: "there is no kernel in this plan".to_owned() });
        }
        Ok(read)
    }

    /// The plan of a kernel.
    #[must_use]
    pub fn of(&self, kernel: &str) -> Option<&KernelPlan> {
        self.kernels.iter().find(|plan| plan.name == kernel)
    }

    fn add(&mut self, line: u32, depth: usize, text: &str) -> Result<(), String> {
        if depth == 0 {
            let kernel = kernel(line, text)?;
            if self.of(&kernel.name).is_some() {
                return Err(format!("kernel '{}' has a plan already", kernel.name));
            }
            self.kernels.push(kernel);
            return Ok(());
        }
        let kernel = self.kernels.last_mut().ok_or("a plan begins with 'kernel NAME: width W along ...'")?;
        if kernel.width == 1 {
            return Err("a plan of width 1 has no regions: there is nothing to decide".to_owned());
        }
        if depth == 2 {
            let number = text.strip_prefix("region ").and_then(|number| number.parse().ok());
            let number = number.ok_or_else(|| format!("'{text}' is not 'region NUMBER'"))?;
            if kernel.regions.iter().any(|region| region.number == number) {
                return Err(format!("region {number} is there already"));
            }
            kernel.regions.push(RegionText { line, number, blocks: Vec::new() });
            return Ok(());
        }
        let region = kernel.regions.last_mut().ok_or("blocks stand below 'region NUMBER'")?;
        match depth {
            4 => {
                let (name, lanes) = without_note(text)
                    .rsplit_once(": ")
                    .ok_or_else(|| format!("'{text}' is not 'BLOCK: LANES'"))?;
                let (name, lanes) = (name.to_owned(), lanes.to_owned());
                region.blocks.push(BlockText { line, name, lanes, instructions: Vec::new() });
                Ok(())
            }
            6 => {
                let block = region.blocks.last_mut().ok_or("instructions stand below a block")?;
                block.instructions.push(instruction(line, text)?);
                Ok(())
            }
            _ => Err(format!(
                "it is indented by {depth}: regions are by 2, blocks by 4, instructions by 6 blanks"
            )),
        }
    }
}

/// `kernel NAME: width W along SPACE`, and perhaps why.
fn kernel(line: u32, text: &str) -> Result<KernelPlan, String> {
    const FORM: &str = "'kernel NAME: width W along rows of a group', or '... of a run of groups'";
    let parts = text.strip_prefix("kernel ").and_then(|rest| rest.split_once(": width "));
    let (name, rest) = parts.ok_or_else(|| format!("'{text}' is not {FORM}"))?;
    let (width, rest) = rest.split_once(" along ").ok_or_else(|| format!("'{text}' is not {FORM}"))?;
    let width: u32 = width.parse().map_err(|_| format!("the width '{width}' is no number"))?;
    if !width.is_power_of_two() || width > 64 {
        return Err(format!("the width {width} is not a power of two up to 64"));
    }
    // Behind it stands what was compared.
    let along = rest.split_once(", ").map_or(rest, |(along, _)| along);
    let space = Space::ALL.into_iter().find(|space| space.to_string() == along);
    let space = space.ok_or_else(|| {
        format!("'{along}' is none of {}", Space::ALL.map(|space| format!("'{space}'")).join(", "))
    })?;
    Ok(KernelPlan { name: name.to_owned(), line, width, space, regions: Vec::new() })
}

/// `WHAT: HOW`, and perhaps how far lanes are apart.
fn instruction(line: u32, text: &str) -> Result<InstructionText, String> {
    let parts = without_note(text).rsplit_once(": ");
    let (what, how) = parts.ok_or_else(|| format!("'{text}' is not 'INSTRUCTION: HOW'"))?;
    let how = how.split_once(", ").map_or(how, |(how, _)| how);
    let known = matches!(what, "load" | "store" | "atomic") || what.starts_with("call ");
    if !known {
        return Err(format!("'{what}' is not load, store, atomic, or call and a name"));
    }
    let how = HowText::read(how, what == "store").ok_or_else(|| {
        let words: Vec<String> =
            HowText::words(what == "store").into_iter().map(|word| format!("'{word}'")).collect();
        format!("'{how}' is none of {} or 'vector form of N lanes'", words.join(", "))
    })?;
    Ok(InstructionText { line, what: what.to_owned(), how })
}

/// A line without what is only for reading.
fn without_note(text: &str) -> &str {
    text.rsplit_once(" (line ").map_or(text, |(before, _)| before)
}

/// [`How`] in a plan's words: a gather is called a scatter where it is a store's.
pub(super) struct HowText {
    pub(super) how: How,
    pub(super) is_store: bool,
}

impl HowText {
    const PLAIN: [How; 11] = [
        How::Once,
        How::First,
        How::Vector,
        How::Consecutive,
        How::Gather,
        How::GatherUnlessConsecutive,
        How::Butterfly,
        How::Last,
        How::EachLane,
        How::Test,
        How::Collective,
    ];

    fn words(is_store: bool) -> Vec<String> {
        Self::PLAIN.into_iter().map(|how| HowText { how, is_store }.to_string()).collect()
    }

    fn read(text: &str, is_store: bool) -> Option<How> {
        let plain = Self::PLAIN.into_iter().find(|&how| HowText { how, is_store }.to_string() == text);
        plain.or_else(|| {
            let lanes = text.strip_prefix("vector form of ")?.strip_suffix(" lanes")?;
            Some(How::Wide(WideForm { lanes: lanes.parse().ok()? }))
        })
    }
}

impl fmt::Display for HowText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.how {
            How::Query => "query",
            How::Test => "whether all lanes pass",
            How::Once => "once",
            How::First => "for the first lane",
            How::Vector => "vector",
            How::Wide(form) => return write!(f, "vector form of {} lanes", form.lanes),
            How::Consecutive => "consecutive",
            How::Gather if self.is_store => "scatter",
            How::Gather => "gather",
            How::GatherUnlessConsecutive if self.is_store => "scatter unless consecutive",
            How::GatherUnlessConsecutive => "gather unless consecutive",
            How::Butterfly => "butterfly",
            How::Last => "the last lane's",
            How::EachLane => "lane by lane",
            How::Collective => "among lanes",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str =
        "kernel k: width 8 along rows of a run of groups, cycles for each work-item: 4.0 at 1, 1.0 at 8
  region 0
    entry: all lanes, divergent branch
      load: gather, 12 bytes apart (line 3)
      call _Z3sinf: vector form of 8 lanes (line 4)

# edited
    if.then.i: masked
      store: lane by lane
kernel m: width 1 along rows of a group
";

    #[test]
    fn a_plan_is_read_with_its_lines() {
        let read = PlanText::read(GOOD).unwrap();
        let plan = read.of("k").unwrap();
        assert_eq!((plan.width, plan.space, plan.line), (8, Space::Run, 1));
        let blocks = &plan.regions[0].blocks;
        assert_eq!(
            (blocks[0].name.as_str(), blocks[0].lanes.as_str()),
            ("entry", "all lanes, divergent branch")
        );
        assert_eq!(blocks[0].instructions[0].how, How::Gather);
        assert_eq!(blocks[0].instructions[1].how, How::Wide(WideForm { lanes: 8 }));
        assert_eq!((blocks[1].line, blocks[1].instructions[0].line), (8, 9));
        let last = read.of("m").unwrap();
        assert_eq!((last.width, last.space, last.line), (1, Space::Group, 10));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        let head = "kernel k: width 8 along rows of a group\n  region 0\n    entry: all lanes\n";
        for (text, said) in [
            ("", "line 1: there is no kernel in this plan"),
            ("  region 0\n", "line 1: a plan begins with 'kernel NAME: width W along ...'"),
            ("kernel k, width 8\n", "line 1: 'kernel k, width 8' is not 'kernel NAME"),
            ("kernel k: width 6 along rows of a group\n", "line 1: the width 6 is not a power of two"),
            ("kernel k: width x along rows of a group\n", "line 1: the width 'x' is no number"),
            (
                "kernel k: width 8 along columns\n",
                "line 1: 'columns' is none of 'rows of a group', 'rows of a run",
            ),
            (
                "kernel k: width 1 along rows of a group\n  region 0\n",
                "line 2: a plan of width 1 has no regions",
            ),
            (&format!("{head}      load: fetched\n"), "line 4: 'fetched' is none of 'once'"),
            (&format!("{head}      store: gather\n"), "line 4: 'gather' is none of"),
            (&format!("{head}      add: vector\n"), "line 4: 'add' is not load, store, atomic, or call"),
            (&format!("{head}     load: gather\n"), "line 4: it is indented by 5"),
            (&format!("{head}  region 0\n"), "line 4: region 0 is there already"),
            (&format!("{head}  region one\n"), "line 4: 'region one' is not 'region NUMBER'"),
            (&format!("{head}{head}"), "line 4: kernel 'k' has a plan already"),
        ] {
            let found = PlanText::read(text).unwrap_err().to_string();
            assert!(found.starts_with(said), "{text}: {found}");
        }
    }
}
