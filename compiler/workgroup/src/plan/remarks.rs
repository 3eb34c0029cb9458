//! What a plan means for the source: by location what each loop, branch, access, call and division became, what it costs, and
//! what would make it better.
//!
//! In: a kernel with debug locations, and the choice of a plan. Out: [`Remark`]s in the order of the source. Where one
//! work-item at a time was chosen, they are about the best plan of vectors, which says what speaks against these. Nothing here
//! changes code.

use super::choose::Choice;
use super::cost::{Costs, by_constant, has_turns};
use super::read::HowText;
use super::strided_cost::base;
use super::strides::{Step, Steps, Variable};
use super::{How, Plan};
use crate::emit::{by_floating, is_marker};
use crate::guards::is_test;
use crate::prepare::Prepared;
use crate::regions::Regions;
use crate::workitem::Query;
use crate::{Vectors, space};
use oxcl_ir::{Location, Opcode, TypeKind, Value};

/// Copies of blocks that run less often than this against the kernel are not told of: the edge behind a guard.
const SELDOM: f64 = 0.5;

/// The subject of a remark that is about the whole kernel, which has no vectors.
pub const KERNEL: &str = "kernel";

/// What became of something in the source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remark {
    /// Where it stands.
    pub location: Option<Location>,
    /// What it is: [`KERNEL`], `loop`, `branch`, `load`, `store`, `atomic operation`, `division`, or `call of` a function.
    pub subject: String,
    /// What it became.
    pub became: String,
    /// Tenths of a cycle, each time for all lanes.
    pub tenths: u64,
    /// Its share of the kernel's cycles, in percent.
    pub percent: u32,
    /// What would make it better.
    pub help: Option<String>,
}

/// The remarks on a choice.
pub(crate) fn of<'c>(
    kernel: &Prepared<'_, 'c>,
    regions: &Regions<'c>,
    choice: &Choice<'c>,
    vectors: &Vectors,
) -> Vec<Remark> {
    if let Some(declined) = &choice.declined {
        let at = declined.line().map(|line| Location { file: String::new(), line, column: 0 });
        return vec![Remark {
            location: at,
            subject: KERNEL.to_owned(),
            became: declined.to_string(),
            tenths: 0,
            percent: 0,
            help: None,
        }];
    }
    let plan = choice.considered.as_ref().unwrap_or(&choice.plan);
    if plan.width == 1 {
        return Vec::new();
    }
    let costs = Costs::new(plan, plan, kernel, regions, vectors);
    let mut remarks = Remarks { plan, kernel, regions, costs, vectors, total: 0.0, found: Vec::new() };
    remarks.total = remarks.costs.total().max(0.1);
    for (number, region) in regions.regions.iter().enumerate() {
        for &block in &region.blocks {
            remarks.block(number, block);
        }
    }
    remarks.loops();
    let mut found = remarks.found;
    let place = |remark: &Remark| remark.location.clone().map(|at| (at.file, at.line, at.column));
    found.sort_by_key(place);
    found.dedup_by(|next, kept| {
        let same = place(next) == place(kept) && next.subject == kept.subject && next.became == kept.became;
        if same {
            kept.tenths += next.tenths;
            kept.percent += next.percent;
        }
        same
    });
    found
}

struct Remarks<'a, 'c> {
    plan: &'a Plan<'c>,
    kernel: &'a Prepared<'a, 'c>,
    regions: &'a Regions<'c>,
    costs: Costs<'a, 'c>,
    vectors: &'a Vectors,
    total: f64,
    found: Vec<Remark>,
}

impl<'c> Remarks<'_, 'c> {
    fn add(
        &mut self,
        at: Option<Value<'c>>,
        subject: String,
        became: String,
        cycles: f64,
        times: f64,
        help: Option<String>,
    ) {
        let rounded = |number: f64| number.round().max(0.0) as u64;
        let percent = rounded(cycles * times / self.total * 100.0).min(100);
        self.found.push(Remark {
            location: at.and_then(Value::location),
            subject,
            became,
            tenths: rounded(cycles * 10.0),
            percent: u32::try_from(percent).unwrap_or(100),
            help,
        });
    }

    fn block(&mut self, region: usize, block: usize) {
        let times = self.costs.times(block);
        if self.costs.weight(block) < SELDOM {
            return;
        }
        let cfg = &self.regions.cfg;
        let masked = self.plan.chunks[region].is_divided(block);
        for instruction in cfg.blocks[block].instructions() {
            if instruction.is_terminator() {
                self.branch(block, instruction, times);
            } else {
                self.instruction(instruction, masked, times);
            }
        }
    }

    fn branch(&mut self, block: usize, terminator: Value<'c>, times: f64) {
        let cfg = &self.regions.cfg;
        if cfg.successors[block].len() < 2 {
            return;
        }
        if terminator.condition().is_some_and(is_test) {
            let became = "all lanes mostly pass: the code behind is there twice, without masks, and masked for the rest";
            self.add(Some(terminator), "branch".to_owned(), became.to_owned(), 2.0, times, None);
            return;
        }
        let leaves = cfg.innermost[block]
            .is_some_and(|around| cfg.successors[block].iter().any(|&to| !cfg.loops[around].contains(to)));
        if leaves {
            return;
        }
        if !self.plan.is_divergent(block) {
            let became = "all lanes go one way".to_owned();
            self.add(Some(terminator), "branch".to_owned(), became, 0.5, times, None);
            return;
        }
        let behind = cfg.influence(block);
        let cycles: f64 = behind.iter().map(|&block| self.costs.branch(block, true)).sum();
        let blocks = behind.len();
        let verb = if blocks == 1 { "block behind runs" } else { "blocks behind run" };
        let became = format!("lanes go different ways: {blocks} {verb} under masks, which take");
        let help = "a condition that neighbours along x agree on, or `?:` for little work, needs no masks";
        self.add(Some(terminator), "branch".to_owned(), became, cycles, times, Some(help.to_owned()));
    }

    fn loops(&mut self) {
        let cfg = &self.regions.cfg;
        for (number, found) in cfg.loops.iter().enumerate() {
            let header = found.header;
            if self.costs.weight(header) < SELDOM || !cfg.order.contains(&header) {
                continue;
            }
            let at = loop_place(cfg, number);
            if self.regions.is_entry(header) {
                let became = "the group goes round, with barriers inside".to_owned();
                self.add(at, "loop".to_owned(), became, 0.0, 0.0, None);
                continue;
            }
            let (own, chain) = self.costs.round(number);
            let times = self.costs.times(header);
            let divergent = self.plan.is_divergent_loop(header);
            let mut became =
                if divergent { "until no lane is live" } else { "all lanes together" }.to_owned();
            let mut help = None;
            if divergent {
                help = Some(
                    "lanes wait for the slowest: neighbours along x should take about as many rounds"
                        .to_owned(),
                );
            }
            if chain > own {
                became.push_str(", each round waits for the one before");
                help = help.or_else(|| {
                    Some(
                        "several sums, or more lanes (--width), let the processor work on more at a time"
                            .to_owned(),
                    )
                });
            }
            self.add(at, "loop".to_owned(), format!("{became}; a round takes"), own.max(chain), times, help);
        }
    }

    fn instruction(&mut self, instruction: Value<'c>, masked: bool, times: f64) {
        if is_marker(instruction) || Query::of(instruction).is_some() || is_test(instruction) {
            return;
        }
        let how = self.plan.how(instruction);
        let is_store = instruction.is(Opcode::LLVMStore);
        let callee = instruction.callee();
        let (subject, help) = match instruction.opcode() {
            Some(Opcode::LLVMLoad | Opcode::LLVMStore) => {
                let subject = if is_store { "store" } else { "load" };
                (subject.to_owned(), self.access_help(instruction, how, masked))
            }
            Some(Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg) => {
                let help = "each lane has its turn: combine values of a work-item, or of a group, before";
                ("atomic operation".to_owned(), Some(help.to_owned()))
            }
            Some(Opcode::LLVMSDiv | Opcode::LLVMUDiv | Opcode::LLVMSRem | Opcode::LLVMURem)
                if how == How::Vector =>
            {
                let help = "there are no divisions of integer vectors: a constant divisor, a shift, or a range of \
                            more dimensions needs none";
                let long = by_constant(instruction).is_none() && by_floating(instruction).is_none();
                let help = long.then(|| help.to_owned());
                ("division".to_owned(), help)
            }
            Some(Opcode::LLVMCall) if !callee.is_some_and(|callee| callee.is_intrinsic()) => {
                let name = callee.map(|callee| source_name(&callee.name())).unwrap_or_default();
                let help = (how == How::EachLane)
                    .then(|| format!("{name} has no form for vectors: each lane has its turn"));
                (format!("call of {name}"), help)
            }
            _ => return,
        };
        // The address says where an access stands, the access what is done there.
        let address = match instruction.opcode() {
            Some(Opcode::LLVMLoad) => Some(instruction.operand(0)),
            Some(Opcode::LLVMStore) => Some(instruction.operand(1)),
            _ => None,
        };
        let here = |at: &Value<'c>| at.is(Opcode::LLVMGetElementPtr) && at.line() == instruction.line();
        let at = address.filter(here).unwrap_or(instruction);
        let cycles = self.costs.instruction(instruction, masked);
        let mut became = match (how, &*subject) {
            (How::Vector, "division") => match by_constant(instruction) {
                Some(_) if has_turns(instruction) => "lane by lane".to_owned(),
                Some(_) => "vector, by a product".to_owned(),
                None => match by_floating(instruction) {
                    Some(32) => "vector, by numbers of type float".to_owned(),
                    Some(_) => "vector, by numbers of type double".to_owned(),
                    None => "lane by lane".to_owned(),
                },
            },
            _ => HowText { how, is_store }.to_string(),
        };
        if masked && how != How::Once {
            became.push_str(", under a mask");
        }
        self.add(Some(at), subject, became, cycles, times, help);
    }

    /// What would make a load or store better.
    fn access_help(&self, access: Value<'c>, how: How, masked: bool) -> Option<String> {
        let is_store = access.is(Opcode::LLVMStore);
        let (ty, pointer) = if is_store {
            (access.operand(0).ty(), access.operand(1))
        } else {
            (access.ty(), access.operand(0))
        };
        match how {
            How::EachLane if access.is_volatile() => {
                Some("it is volatile: each lane has its turn, in order".to_owned())
            }
            How::EachLane => {
                Some("it is atomic, or of a type that has no lanes: each lane has its turn".to_owned())
            }
            How::Consecutive if masked => {
                let narrow = self.kernel.layout.size(ty.scalar()) < 4;
                let can = if narrow { self.vectors.masks_bytes } else { self.vectors.masks };
                (!can).then(|| {
                    "this CPU has no such accesses under masks, so lanes have turns: move it out of the branch".to_owned()
                })
            }
            How::Gather if !masked && self.costs.strided(access).is_some() => Some(
                "lanes are a few elements apart: consecutive accesses of all that lies between, and shuffles"
                    .to_owned(),
            ),
            How::Gather | How::GatherUnlessConsecutive => {
                Some(self.gather_help(pointer, self.kernel.layout.size(ty).cast_signed()))
            }
            _ => None,
        }
    }

    /// Why addresses are not one behind the other, and along what they would be.
    fn gather_help(&self, pointer: Value<'c>, bytes: i64) -> String {
        let (cfg, layout) = (&self.regions.cfg, self.kernel.layout);
        let step = |variable: Variable<'c>| Steps::new(cfg, layout, variable).of(pointer);
        let one = |step: &Step<'c>| matches!(step, Step::By(sum) if sum.as_number() == Some(bytes));
        if self.plan.woven(pointer).is_some() {
            return "an array of each work-item, with an index of each one's own: one that all share would make it \
                    consecutive"
                .to_owned();
        }
        if pointer_to_private(pointer) {
            return "an array of each work-item whose address is passed on, or that is accessed in parts of several sizes, so \
                    that lanes lie apart: parts of one size would lie beside one another"
                .to_owned();
        }
        let line = |value: Value<'c>| match value.line() {
            0 => String::new(),
            line => format!(" in line {line}"),
        };
        let (own, other) = if self.kernel.turned { ("y", "x") } else { ("x", "y") };
        let along = step(Variable::Id(0));
        let mut text = match &along {
            Step::Loaded(load) => {
                return format!(
                    "the index is loaded{}: neighbours that lead to neighbours, sorted or packed, would need no \
                     gather",
                    line(*load)
                );
            }
            Step::NotLinear(value) => {
                let (what, help) = not_linear(*value);
                return format!("the index comes of {what}{}{help}", line(*value));
            }
            _ if one(&along) => {
                return "the index may wrap around, or the lanes may be there for other rounds: indices of type int or \
                        size_t do not"
                    .to_owned();
            }
            Step::By(sum) => match sum.in_units(bytes) {
                Some(elements) => match elements.text(self.kernel.turned) {
                    Some(stride) => format!("index has stride {stride} in {own}"),
                    None => format!("index has a stride in {own} that is computed"),
                },
                None => match sum.as_number() {
                    Some(number) => format!("lanes are {number} bytes apart in {own}"),
                    None => format!("lanes are many bytes apart in {own}"),
                },
            },
        };
        for (dimension, word) in [(1, other), (2, "z")] {
            if one(&step(Variable::Id(dimension))) {
                text.push_str(&format!(
                    "; lanes along {word} would make it consecutive: exchange the dimensions"
                ));
                return text;
            }
        }
        for (number, found) in cfg.loops.iter().enumerate() {
            let counters = cfg.blocks[found.header].phis();
            if counters
                .into_iter()
                .any(|counter| is_counter(counter) && one(&step(Variable::Counter(counter))))
            {
                let place = loop_place(cfg, number).map(line).unwrap_or_default();
                text.push_str(&format!(
                    "; the rounds of the loop{place} are one apart: a transposed array, or neighbours that share a row, \
                     would make it consecutive"
                ));
                return text;
            }
        }
        if let Step::By(sum) = &along
            && sum.as_number().is_some()
        {
            text.push_str("; arrays for each part, or parts that lie side by side for neighbours, would make it consecutive");
        }
        text
    }
}

/// An instruction that says where a loop stands.
fn loop_place<'c>(cfg: &oxcl_ir::cfg::Cfg<'c>, number: usize) -> Option<Value<'c>> {
    let found = &cfg.loops[number];
    let leaves = |block: usize| cfg.successors[block].iter().any(|&to| !found.contains(to));
    let members = cfg.order.iter().copied().filter(|&block| found.contains(block));
    let ends = members.filter(|&block| block == found.header || leaves(block));
    ends.filter_map(|block| cfg.blocks[block].terminator()).find(|terminator| terminator.line() != 0)
}

/// Whether a variable of a loop grows by one from round to round.
fn is_counter(phi: Value<'_>) -> bool {
    matches!(phi.ty().kind(), TypeKind::Int(_))
        && phi.incoming().into_iter().any(|(value, _)| {
            value.is(Opcode::LLVMAdd) && value.operand(0) == phi && value.operand(1).as_int() == Some(1)
        })
}

fn pointer_to_private(pointer: Value<'_>) -> bool {
    let at = base(pointer);
    at.allocated().is_some() && !matches!(at.ty().kind(), TypeKind::Pointer(space::LOCAL | space::GLOBAL))
}

/// What makes an index no multiple of an id, and what to do about it.
fn not_linear(value: Value<'_>) -> (&'static str, &'static str) {
    match value.opcode() {
        Some(Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem) => {
            ("a division", ": a range of more dimensions gives such parts by itself")
        }
        Some(
            Opcode::LLVMAnd
            | Opcode::LLVMOr
            | Opcode::LLVMXor
            | Opcode::LLVMShl
            | Opcode::LLVMLShr
            | Opcode::LLVMAShr,
        ) => ("operations on bits", ""),
        Some(Opcode::LLVMSelect | Opcode::LLVMPHI) => ("a choice", ", which lanes may make differently"),
        Some(Opcode::LLVMMul) => ("a product of ids", ""),
        _ => ("what is no multiple of x", ""),
    }
}

/// A function's name as the source writes it.
fn source_name(symbol: &str) -> String {
    let name = symbol.strip_prefix(crate::PROGRAM_NAMES).unwrap_or(symbol);
    let parts = name.strip_prefix("_Z").and_then(|rest| {
        let digits = rest.len() - rest.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let length: usize = rest[..digits].parse().ok()?;
        rest.get(digits..digits + length)
    });
    parts.unwrap_or(name).to_owned()
}
