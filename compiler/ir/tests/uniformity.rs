//! Random control flow against an oracle: what the analyses call uniform or strided must be so when every work-item runs.
//!
//! A program is a few variables and blocks that change them by the id, a parameter and each other, with branches between
//! them: nested loops with exits of every kind, or edges drawn at random (mostly irreducible). LLVM makes it SSA, in
//! loop-closed form or not. Then eight work-items run it one after the other in an interpreter of our own, and what they
//! compute and read at the same place in the same round of the same loops is compared.
//!
//! `OXCL_PROGRAMS` says how many programs are tried; `OXCL_SEED` tries one alone.

use oxcl_ir::cfg::Cfg;
use oxcl_ir::module::{Layout, run_passes};
use oxcl_ir::range::{Range, Ranges};
use oxcl_ir::shape::{Asked, Queries, Shape, Shapes, Stride};
use oxcl_ir::{Context, Function, IntPredicate, Opcode, Value, read_module};
use std::collections::HashMap;
use std::fmt::Write;

const ITEMS: u32 = 8;
/// Blocks that a work-item runs before it is stopped.
const STEPS: usize = 400;
const VARIABLES: u64 = 4;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % limit
    }

    fn chance(&mut self, of_ten: u64) -> bool {
        self.below(10) < of_ten
    }
}

/// A program in the making: its text, and the number of the next block and value.
struct Draft {
    random: Random,
    text: String,
    blocks: u32,
    values: u32,
    /// Of the loops around: where `continue` and `break` go.
    loops: Vec<(u32, u32)>,
    left: u32,
}

impl Draft {
    fn value(&mut self) -> u32 {
        self.values += 1;
        self.values
    }

    fn block(&mut self) -> u32 {
        self.blocks += 1;
        self.blocks
    }

    fn line(&mut self, line: &str) {
        self.text.push_str("  ");
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn begin(&mut self, block: u32) {
        let _ = writeln!(self.text, "b{block}:");
    }

    /// An integer: a variable, the id, the parameter or a number, maybe of two.
    fn number(&mut self, depth: u32) -> String {
        if depth > 0 && self.random.chance(4) {
            let (left, right) = (self.number(depth - 1), self.number(depth - 1));
            let name = self.value();
            let operation = ["add", "sub", "xor", "and", "mul", "or"][self.random.below(6) as usize];
            self.line(&format!("%v{name} = {operation} i32 {left}, {right}"));
            return format!("%v{name}");
        }
        match self.random.below(10) {
            0 => {
                let name = self.value();
                self.line(&format!("%v{name} = call i32 @id()"));
                format!("%v{name}")
            }
            1 => "%n".to_owned(),
            2 | 3 => self.random.below(5).to_string(),
            _ => {
                let (name, variable) = (self.value(), self.random.below(VARIABLES));
                self.line(&format!("%v{name} = load i32, ptr %x{variable}"));
                format!("%v{name}")
            }
        }
    }

    fn change(&mut self) {
        let (new, variable) = (self.number(2), self.random.below(VARIABLES));
        self.line(&format!("store i32 {new}, ptr %x{variable}"));
    }

    fn condition(&mut self) -> String {
        let value = self.number(1);
        let (masked, name) = (self.value(), self.value());
        let mask = [1, 3, 7][self.random.below(3) as usize];
        let limit = self.random.below(mask + 1);
        self.line(&format!("%v{masked} = and i32 {value}, {mask}"));
        let predicate = ["eq", "ne", "ult", "sgt"][self.random.below(4) as usize];
        self.line(&format!("%v{name} = icmp {predicate} i32 %v{masked}, {limit}"));
        format!("%v{name}")
    }

    fn branch(&mut self, yes: u32, no: u32) {
        let condition = self.condition();
        self.line(&format!("br i1 {condition}, label %b{yes}, label %b{no}"));
    }

    fn jump(&mut self, to: u32) {
        self.line(&format!("br label %b{to}"));
    }

    /// Statements; the text goes on in an open block. False where the end is not reached.
    fn statements(&mut self, count: u64) -> bool {
        for _ in 0..count {
            if !self.statement() {
                return false;
            }
        }
        true
    }

    fn statement(&mut self) -> bool {
        self.change();
        if self.left == 0 {
            return true;
        }
        self.left -= 1;
        match self.random.below(10) {
            0..=2 => {
                let (yes, no, after) = (self.block(), self.block(), self.block());
                self.branch(yes, no);
                for side in [yes, no] {
                    self.begin(side);
                    let count = self.random.below(3);
                    if self.statements(count) {
                        self.jump(after);
                    }
                }
                self.begin(after);
                true
            }
            3..=5 => {
                let (head, body, latch, after) = (self.block(), self.block(), self.block(), self.block());
                self.jump(head);
                self.begin(head);
                self.change();
                if self.random.chance(5) {
                    self.branch(body, after);
                } else {
                    self.jump(body);
                }
                self.begin(body);
                self.loops.push((latch, after));
                let count = 1 + self.random.below(3);
                if self.statements(count) {
                    self.jump(latch);
                }
                self.loops.pop();
                self.begin(latch);
                self.change();
                if self.random.chance(5) {
                    self.branch(head, after);
                } else {
                    self.jump(head);
                }
                self.begin(after);
                true
            }
            6..=8 if !self.loops.is_empty() => {
                // Out of one of the loops around, or into its next round, for some.
                let depth = self.random.below(self.loops.len() as u64) as usize;
                let (latch, after) = self.loops[depth];
                let to = if self.random.chance(7) { after } else { latch };
                let go_on = self.block();
                self.branch(to, go_on);
                self.begin(go_on);
                true
            }
            9 if self.random.chance(3) => {
                self.line("ret void");
                false
            }
            _ => true,
        }
    }
}

/// A kernel as text.
fn draw(seed: u64) -> String {
    let mut draft = Draft {
        random: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1),
        text: String::new(),
        blocks: 0,
        values: 0,
        loops: Vec::new(),
        left: 12,
    };
    draft.text.push_str("declare i32 @id() memory(none)\ndefine void @k(i32 %n) {\nentry:\n");
    for variable in 0..VARIABLES {
        draft.line(&format!("%x{variable} = alloca i32"));
    }
    for variable in 0..VARIABLES {
        draft.line(&format!("store i32 {variable}, ptr %x{variable}"));
    }
    if seed.is_multiple_of(3) {
        let count = 3 + draft.random.below(7);
        draft.jump(1);
        for block in 1..=count {
            draft.begin(block as u32);
            draft.change();
            let target = |random: &mut Random| 1 + random.below(count) as u32;
            let (yes, no) = (target(&mut draft.random), target(&mut draft.random));
            match draft.random.below(8) {
                0 => draft.line("ret void"),
                1 | 2 => draft.jump(yes),
                _ => draft.branch(yes, no),
            }
        }
    } else if draft.statements(4) {
        draft.line("ret void");
    }
    draft.text.push_str("}\n");
    draft.text
}

/// The id is the work-item's number.
struct Row;

impl<'c> Queries<'c> for Row {
    fn query(&self, call: Value<'c>) -> Option<Asked> {
        let id = call.callee()?.name() == "id";
        id.then_some(Asked::Shape(Shape::Strided(Stride { step: 1, signed: true })))
    }

    fn range(&self, call: Value<'c>) -> Option<Range> {
        self.query(call).map(|_| Range::new(0, i128::from(ITEMS) - 1))
    }
}

/// Where in the run something happens: the block; for each natural loop around, from the outside in, how often it was
/// entered and the round; and how often the block was run since the last round began (more than once in an irreducible
/// cycle).
type Moment = (usize, Vec<u32>, u32);

struct Item<'r, 'c> {
    cfg: &'r Cfg<'c>,
    id: i32,
    parameter: i32,
    values: HashMap<Value<'c>, i32>,
    /// Of each loop, since the loop around it began a round.
    entered: Vec<u32>,
    rounds: Vec<u32>,
    visits: Vec<u32>,
}

impl<'c> Item<'_, 'c> {
    fn value(&self, value: Value<'c>) -> i32 {
        if let Some(constant) = value.as_int() {
            return if value.ty() == value.types().bool() {
                i32::from(constant != 0)
            } else {
                constant as i32
            };
        }
        if value.is_instruction() { self.values[&value] } else { self.parameter }
    }

    /// The loops around a block, from the outside in.
    fn loops(&self, block: usize) -> Vec<usize> {
        let inner = self.cfg.innermost[block];
        let mut all: Vec<usize> = std::iter::successors(inner, |&at| self.cfg.loops[at].parent).collect();
        all.reverse();
        all
    }

    fn arrive(&mut self, from: Option<usize>, block: usize) -> Moment {
        let loops = self.loops(block);
        if let Some(&inner) = loops.last().filter(|&&inner| self.cfg.loops[inner].header == block) {
            if from.is_some_and(|from| self.cfg.loops[inner].contains(from)) {
                self.rounds[inner] += 1;
            } else {
                self.entered[inner] += 1;
                self.rounds[inner] = 0;
            }
            for (other, found) in self.cfg.loops.iter().enumerate() {
                if other != inner && self.cfg.loops[inner].contains(found.header) {
                    self.entered[other] = 0;
                }
            }
            for other in 0..self.visits.len() {
                if self.cfg.loops[inner].contains(other) {
                    self.visits[other] = 0;
                }
            }
        }
        self.visits[block] += 1;
        let counts = loops.iter().flat_map(|&at| [self.entered[at], self.rounds[at]]).collect();
        (block, counts, self.visits[block])
    }

    fn compute(&self, instruction: Value<'c>) -> i32 {
        let operand = |index| self.value(instruction.operand(index));
        match instruction.opcode() {
            Some(Opcode::LLVMCall) => self.id,
            Some(Opcode::LLVMAdd) => operand(0).wrapping_add(operand(1)),
            Some(Opcode::LLVMSub) => operand(0).wrapping_sub(operand(1)),
            Some(Opcode::LLVMMul) => operand(0).wrapping_mul(operand(1)),
            Some(Opcode::LLVMXor) => operand(0) ^ operand(1),
            Some(Opcode::LLVMAnd) => operand(0) & operand(1),
            Some(Opcode::LLVMOr) => operand(0) | operand(1),
            Some(Opcode::LLVMSelect) => operand(if operand(0) == 0 { 2 } else { 1 }),
            Some(Opcode::LLVMZExt | Opcode::LLVMFreeze) => operand(0),
            Some(Opcode::LLVMTrunc) => operand(0) & 1,
            Some(Opcode::LLVMICmp) => {
                let (left, right) = (operand(0), operand(1));
                let (low, high) = (left.cast_unsigned(), right.cast_unsigned());
                i32::from(match instruction.int_predicate() {
                    Some(IntPredicate::LLVMIntEQ) => left == right,
                    Some(IntPredicate::LLVMIntNE) => left != right,
                    Some(IntPredicate::LLVMIntULT) => low < high,
                    Some(IntPredicate::LLVMIntULE) => low <= high,
                    Some(IntPredicate::LLVMIntUGT) => low > high,
                    Some(IntPredicate::LLVMIntUGE) => low >= high,
                    Some(IntPredicate::LLVMIntSLT) => left < right,
                    Some(IntPredicate::LLVMIntSLE) => left <= right,
                    Some(IntPredicate::LLVMIntSGT) => left > right,
                    Some(IntPredicate::LLVMIntSGE) => left >= right,
                    None => panic!("a comparison without a predicate"),
                })
            }
            other => panic!("an instruction that the program does not have: {other:?}"),
        }
    }
}

/// What work-items saw, by what is looked at and when: the value for each that came there.
type Seen<T> = HashMap<T, Vec<(i32, i32)>>;

#[derive(Default)]
struct Log<'c> {
    /// What an instruction computed.
    made: Seen<(Value<'c>, Moment)>,
    /// What an instruction, no PHI node, read.
    read: Seen<(Value<'c>, Value<'c>, Moment)>,
    /// Where a block's branch went.
    went: Seen<Moment>,
}

fn execute<'c>(cfg: &Cfg<'c>, id: i32, parameter: i32, log: &mut Log<'c>) {
    let mut item = Item {
        cfg,
        id,
        parameter,
        values: HashMap::new(),
        entered: vec![0; cfg.loops.len()],
        rounds: vec![0; cfg.loops.len()],
        visits: vec![0; cfg.blocks.len()],
    };
    let (mut from, mut block) = (None, 0);
    for _ in 0..STEPS {
        let moment = item.arrive(from, block);
        let phis = cfg.blocks[block].phis();
        let taken: Vec<i32> = phis
            .iter()
            .map(|phi| {
                let ways = phi.incoming();
                let way = ways.iter().find(|(_, way)| Some(cfg.number(*way)) == from);
                way.map_or(0, |(value, _)| item.value(*value))
            })
            .collect();
        for (&phi, value) in phis.iter().zip(taken) {
            item.values.insert(phi, value);
            log.made.entry((phi, moment.clone())).or_default().push((id, value));
        }
        let mut next = None;
        for instruction in cfg.blocks[block].instructions().into_iter().skip(phis.len()) {
            let arguments = match instruction.opcode() {
                Some(Opcode::LLVMCall | Opcode::LLVMRet) => Vec::new(),
                Some(Opcode::LLVMBr) => instruction.condition().into_iter().collect(),
                _ => instruction.operands(),
            };
            for operand in arguments.into_iter().filter(|operand| operand.is_instruction()) {
                let key = (instruction, operand, moment.clone());
                log.read.entry(key).or_default().push((id, item.value(operand)));
            }
            if instruction.is_terminator() {
                let way = usize::from(instruction.condition().is_some_and(|c| item.value(c) == 0));
                next = cfg.successors[block].get(way).copied();
                continue;
            }
            let value = item.compute(instruction);
            item.values.insert(instruction, value);
            log.made.entry((instruction, moment.clone())).or_default().push((id, value));
        }
        let Some(to) = next else { return };
        log.went.entry(moment).or_default().push((id, i32::try_from(to).unwrap()));
        (from, block) = (Some(block), to);
    }
}

/// Whether what was seen of a value is of its shape.
fn holds(shape: Shape, seen: &[(i32, i32)]) -> bool {
    let (first_id, first) = seen[0];
    seen.iter().all(|&(id, value)| match shape {
        Shape::Uniform => value == first,
        Shape::Strided(stride) => {
            let away = stride.step.wrapping_mul(i64::from(id - first_id));
            let exact = !stride.signed || i64::from(value) == i64::from(first) + away;
            value == first.wrapping_add(away as i32) && exact
        }
        Shape::Varying => true,
    })
}

/// How many values were called uniform or strided though there were several work-items to tell apart, and how many not.
#[derive(Default)]
struct Count {
    kept: usize,
    varying: usize,
}

fn try_program(seed: u64, passes: &str, count: &mut Count) -> Result<(), String> {
    let text = draw(seed);
    let context = Context::create();
    let module = read_module(&context, text.as_bytes(), "random").map_err(|e| format!("{e}\n{text}"))?;
    run_passes(&module, passes).map_err(|e| e.to_string())?;
    let kernel = Function::find(&module, "k").ok_or("no kernel")?;
    let cfg = Cfg::of(kernel);
    let shapes = Shapes::compute(&cfg, Layout::of(&module), &[], &Row).map_err(|e| e.to_string())?;
    let mut log = Log::default();
    for id in 0..ITEMS {
        execute(&cfg, id as i32, 5, &mut log);
    }
    let shown = || format!("{}\nseed {seed}, passes '{passes}'", module.print_to_string().to_string());
    let range = |call| Row.range(call);
    let ranges = Ranges::new(&range);
    for ((value, moment), seen) in &log.made {
        let range = ranges.of(*value).filter(|_| value.ty() != value.types().bool());
        if let (Some(range), false) = (range, value.ty() == value.types().bool()) {
            let outside = seen.iter().find(|(_, value)| !Range::just(i128::from(*value)).is_in(range));
            if let Some(outside) = outside {
                return Err(format!("'{value}' is {range}, has {outside:?} at {moment:?}\n{}", shown()));
            }
        }
        if shapes.of(*value) == Shape::Varying {
            count.varying += 1;
        } else {
            count.kept += 1;
        }
        if !holds(shapes.of(*value), seen) {
            return Err(format!(
                "'{value}' is called {}, is {seen:?} at {moment:?}\n{}",
                shapes.of(*value),
                shown()
            ));
        }
    }
    for ((reader, value, moment), seen) in &log.read {
        if !holds(shapes.of(*value), seen) {
            let shape = shapes.of(*value);
            return Err(format!(
                "'{value}' is called {shape}, '{reader}' reads {seen:?} at {moment:?}\n{}",
                shown()
            ));
        }
    }
    for (moment, seen) in &log.went {
        if !shapes.is_divergent(moment.0) && !holds(Shape::Uniform, seen) {
            let block = cfg.blocks[moment.0];
            return Err(format!(
                "the branch of {block:?} is called uniform, goes {seen:?} at {moment:?}\n{}",
                shown()
            ));
        }
    }
    Ok(())
}

#[test]
fn random_control_flow_agrees_with_its_execution() {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let programs = number("OXCL_PROGRAMS").unwrap_or(400);
    let seeds = number("OXCL_SEED").map_or(1..=programs, |seed| seed..=seed);
    let mut count = Count::default();
    for seed in seeds {
        for passes in [
            "function(mem2reg)",
            "function(mem2reg,loop-simplify,lcssa)",
            "function(mem2reg,instsimplify,simplifycfg,lower-switch)",
        ] {
            if let Err(failure) = try_program(seed, passes, &mut count) {
                panic!("{failure}");
            }
        }
    }
    // Neither analysis that says "varying" of all nor one that says it of none would be worth anything.
    let all = count.kept + count.varying;
    assert!(count.kept * 4 > all && count.varying * 4 > all, "{} of {all} kept", count.kept);
}
