//! Random OpenCL C kernels: made from a seed, written out as source, and executed here, by the rules of the language and
//! nothing else.
//!
//! Every kernel has the parameters `(global uint *out, global const uint *in, uint s)` and runs two groups of four work-items.
//! It has variables, branches, loops with known counts, loads of all sizes, stores to the work-item's own words of `out`,
//! and exchanges through local memory. Nothing in it is undefined: shift amounts are masked, divisors are odd.

use oxcl_tta::sample::Random;
use std::fmt::Write as _;

/// Work-items of a group.
pub(crate) const LOCAL: u32 = 4;

/// Groups.
pub(crate) const GROUPS: u32 = 2;

/// Words of `in`; a power of two.
pub(crate) const INPUTS: usize = 16;

/// Words of `out` that belong to each work-item.
const OWN: usize = 4;

const VARIABLES: u8 = 5;

/// The operators: how each is written with operands `a` and `b`, and what it gives.
type Operator = (&'static str, fn(u32, u32) -> u32);

const OPERATORS: &[Operator] = &[
    ("(a + b)", u32::wrapping_add),
    ("(a - b)", u32::wrapping_sub),
    ("(a & b)", |a, b| a & b),
    ("(a | b)", |a, b| a | b),
    ("(a ^ b)", |a, b| a ^ b),
    ("(a & ~b)", |a, b| a & !b),
    ("(a * b)", u32::wrapping_mul),
    ("(a << (b & 31))", |a, b| a << (b & 31)),
    ("(a >> (b & 31))", |a, b| a >> (b & 31)),
    ("(uint)((int)a >> (b & 31))", |a, b| (a.cast_signed() >> (b & 31)).cast_unsigned()),
    ("(uint)(a < b)", |a, b| u32::from(a < b)),
    ("(uint)((int)a < (int)b)", |a, b| u32::from(a.cast_signed() < b.cast_signed())),
    ("(uint)(a == b)", |a, b| u32::from(a == b)),
    ("(uint)(a != b)", |a, b| u32::from(a != b)),
    ("(uint)((int)a >= (int)b)", |a, b| u32::from(a.cast_signed() >= b.cast_signed())),
    ("min(a, b)", |a, b| a.min(b)),
    ("(uint)max((int)a, (int)b)", |a, b| a.cast_signed().max(b.cast_signed()).cast_unsigned()),
    ("rotate(a, b)", |a, b| a.rotate_left(b & 31)),
    ("mul_hi(a, b)", |a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
    ("(a + (uint)(char)b)", |a, b| a.wrapping_add((b.cast_signed() << 24 >> 24).cast_unsigned())),
    ("(a ^ (uint)(short)b)", |a, b| a ^ (b.cast_signed() << 16 >> 16).cast_unsigned()),
    ("(uint)((((ulong)a << 20) + b) >> 7)", |a, b| (((u64::from(a) << 20) + u64::from(b)) >> 7) as u32),
    ("(uint)((long)(int)a * (int)b >> 13)", |a, b| {
        ((i64::from(a.cast_signed()) * i64::from(b.cast_signed())) >> 13) as u32
    }),
    ("(a + (b << 2))", |a, b| a.wrapping_add(b << 2)),
    ("(a / (b | 1))", |a, b| a / (b | 1)),
    ("(a % (b | 1))", |a, b| a % (b | 1)),
    ("(uint)((int)(a >> 1) / (int)(b | 1))", |a, b| {
        ((a >> 1).cast_signed().wrapping_div((b | 1).cast_signed())).cast_unsigned()
    }),
    ("popcount(a ^ b)", |a, b| (a ^ b).count_ones()),
    ("clz(a & b)", |a, b| (a & b).leading_zeros()),
    ("(uint)((float)(a & 4095) * (float)(b & 2047))", |a, b| (a & 4095) * (b & 2047)),
    ("as_uint((float)(int)a + (float)(b & 255))", |a, b| {
        (a.cast_signed() as f32 + (b & 255) as f32).to_bits()
    }),
];

/// The first of the operators that stand for long routines on small machines.
const SLOW: usize = 24;

/// A value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expression {
    /// A variable.
    Variable(u8),
    /// A number.
    Number(u32),
    /// `in` at an index, of which the low bits count.
    Word(Box<Expression>),
    /// A signed byte of `in`.
    Byte(Box<Expression>),
    /// An unsigned half word of `in`.
    Half(Box<Expression>),
    /// An operator.
    Two(usize, Box<Expression>, Box<Expression>),
    /// `a & 1 ? b : c`
    Choice(Box<Expression>, Box<Expression>, Box<Expression>),
}

/// A statement.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Statement {
    /// Sets a variable.
    Set(u8, Expression),
    /// Sets one of the work-item's own words of `out`.
    Store(u8, Expression),
    /// Sets one of the work-item's own bytes of `out`.
    StoreByte(Expression, Expression),
    /// Sets one of the work-item's own half words of `out`.
    StoreHalf(Expression, Expression),
    /// Adds to a variable one of the own words of `out`.
    Load(u8, u8),
    /// Does one or the other.
    If(Expression, Vec<Statement>, Vec<Statement>),
    /// Does something a number of times.
    Repeat(u8, Vec<Statement>),
    /// Takes a variable's value from another work-item of the group; only outside of branches and loops.
    Exchange(u8, u8),
}

/// A kernel and what it is launched with.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Kernel {
    /// What it does.
    pub(crate) body: Vec<Statement>,
    /// `in`.
    pub(crate) input: Vec<u32>,
    /// `s`.
    pub(crate) scalar: u32,
}

struct Maker<'a> {
    random: &'a mut Random,
}

impl Maker<'_> {
    fn variable(&mut self) -> u8 {
        self.random.below(u64::from(VARIABLES)) as u8
    }

    fn number(&mut self) -> u32 {
        match self.random.below(4) {
            0 => self.random.between(0, 15),
            1 => self.random.between(0, 300).wrapping_neg(),
            2 => 1 << self.random.between(0, 31),
            _ => (self.random.bits() & 0xffff_ffff) as u32,
        }
    }

    fn expression(&mut self, depth: u32) -> Expression {
        if depth == 0 || self.random.once_in(5) {
            return match self.random.once_in(3) {
                true => Expression::Number(self.number()),
                false => Expression::Variable(self.variable()),
            };
        }
        let inner = |s: &mut Self| Box::new(s.expression(depth - 1));
        match self.random.below(12) {
            0 => Expression::Word(inner(self)),
            1 if self.random.once_in(2) => Expression::Byte(inner(self)),
            1 => Expression::Half(inner(self)),
            2 => Expression::Choice(inner(self), inner(self), inner(self)),
            _ => {
                let slow = self.random.once_in(12);
                let (first, last) = if slow { (SLOW, OPERATORS.len()) } else { (0, SLOW) };
                let operator = first + self.random.below((last - first) as u64) as usize;
                Expression::Two(operator, inner(self), inner(self))
            }
        }
    }

    fn statements(&mut self, depth: u32, most: u32) -> Vec<Statement> {
        (0..self.random.between(1, most)).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: u32) -> Statement {
        let slot = self.random.below(OWN as u64) as u8;
        match self.random.below(if depth == 0 { 8 } else { 11 }) {
            0 => Statement::Store(slot, self.expression(2)),
            1 if self.random.once_in(2) => Statement::StoreByte(self.expression(1), self.expression(2)),
            1 => Statement::StoreHalf(self.expression(1), self.expression(2)),
            2 => Statement::Load(self.variable(), slot),
            3..=7 => Statement::Set(self.variable(), self.expression(3)),
            8 | 9 => {
                let (yes, no) = (self.statements(depth - 1, 3), self.random.once_in(2));
                let no = if no { self.statements(depth - 1, 3) } else { Vec::new() };
                Statement::If(self.expression(2), yes, no)
            }
            _ => Statement::Repeat(self.random.between(2, 7) as u8, self.statements(depth - 1, 4)),
        }
    }
}

impl Kernel {
    /// A random kernel.
    pub(crate) fn random(random: &mut Random) -> Self {
        let input = (0..INPUTS).map(|_| (random.bits() & 0xffff_ffff) as u32).collect();
        let scalar = (random.bits() & 0xffff_ffff) as u32;
        let mut maker = Maker { random };
        let mut body = maker.statements(2, 7);
        if maker.random.once_in(3) {
            let exchange = Statement::Exchange(maker.variable(), maker.random.between(1, 3) as u8);
            body.push(exchange);
            body.extend(maker.statements(1, 3));
        }
        Self { body, input, scalar }
    }

    /// The kernel as OpenCL C.
    pub(crate) fn source(&self) -> String {
        // Half words are stored where words are read: the language allows that through a type that says so.
        let mut text = String::from("typedef ushort __attribute__((may_alias)) half_word;\n");
        text.push_str("kernel void k(global uint *out, global const uint *in, uint s) {\n");
        text.push_str("  local uint shared[4];\n  uint i = get_global_id(0), l = get_local_id(0);\n");
        text.push_str("  uint v0 = in[i], v1 = i, v2 = s, v3 = s ^ in[l], v4 = 1;\n");
        let _ = writeln!(text, "  global uint *own = out + i * {OWN};");
        write_all(&self.body, 1, &mut text);
        for k in 0..OWN as u8 {
            let _ = writeln!(text, "  own[{k}] ^= v{k};");
        }
        text.push_str("  own[0] += v4;\n}\n");
        text
    }

    /// What `out` holds afterwards; it was zero.
    pub(crate) fn run(&self) -> Vec<u32> {
        let mut items: Vec<Item> = (0..GROUPS * LOCAL)
            .map(|i| {
                let input = |at: u32| self.input[at as usize % INPUTS];
                let first = [input(i), i, self.scalar, self.scalar ^ input(i % LOCAL), 1];
                Item { variables: first, own: [0; 4 * OWN] }
            })
            .collect();
        for statement in &self.body {
            if let Statement::Exchange(variable, by) = statement {
                let old: Vec<u32> = items.iter().map(|item| item.variables[usize::from(*variable)]).collect();
                for (at, item) in (0u32..).zip(&mut items) {
                    let (group, local) = (at / LOCAL, (at + u32::from(*by)) % LOCAL);
                    item.variables[usize::from(*variable)] = old[(group * LOCAL + local) as usize];
                }
            } else {
                items.iter_mut().for_each(|item| item.execute(statement, &self.input));
            }
        }
        let mut out = Vec::new();
        for mut item in items {
            for k in 0..OWN {
                item.set_word(k, item.word(k) ^ item.variables[k]);
            }
            item.set_word(0, item.word(0).wrapping_add(item.variables[4]));
            out.extend((0..OWN).map(|k| item.word(k)));
        }
        out
    }

    /// Kernels that are smaller by one step each, the largest steps first.
    pub(crate) fn smaller(&self) -> Vec<Self> {
        let with = |body| Self { body, ..self.clone() };
        smaller_all(&self.body).into_iter().map(with).collect()
    }
}

/// A work-item.
struct Item {
    variables: [u32; VARIABLES as usize],
    own: [u8; 4 * OWN],
}

impl Item {
    fn word(&self, at: usize) -> u32 {
        (0..4).map(|k| u32::from(self.own[4 * at + k]) << (8 * k)).sum()
    }

    fn set_word(&mut self, at: usize, word: u32) {
        self.own[4 * at..4 * at + 4].copy_from_slice(&word.to_le_bytes());
    }

    fn value(&self, expression: &Expression, input: &[u32]) -> u32 {
        let bytes = |at: u32| input[at as usize / 4 % INPUTS].to_le_bytes()[at as usize % 4];
        match expression {
            Expression::Variable(n) => self.variables[usize::from(*n)],
            Expression::Number(n) => *n,
            Expression::Word(at) => input[self.value(at, input) as usize % INPUTS],
            Expression::Byte(at) => {
                let byte = bytes(self.value(at, input) % (4 * INPUTS as u32));
                i32::from(byte.cast_signed()).cast_unsigned()
            }
            Expression::Half(at) => {
                let at = 2 * (self.value(at, input) % (2 * INPUTS as u32));
                u32::from(bytes(at)) | u32::from(bytes(at + 1)) << 8
            }
            Expression::Two(operator, a, b) => {
                let (a, b) = (self.value(a, input), self.value(b, input));
                OPERATORS[*operator].1(a, b)
            }
            Expression::Choice(a, b, c) => {
                if self.value(a, input) & 1 == 1 {
                    self.value(b, input)
                } else {
                    self.value(c, input)
                }
            }
        }
    }

    fn execute(&mut self, statement: &Statement, input: &[u32]) {
        match statement {
            Statement::Set(n, e) => self.variables[usize::from(*n)] = self.value(e, input),
            Statement::Store(slot, e) => self.set_word(usize::from(*slot), self.value(e, input)),
            Statement::StoreByte(at, e) => {
                let at = self.value(at, input) as usize % (4 * OWN);
                self.own[at] = self.value(e, input).to_le_bytes()[0];
            }
            Statement::StoreHalf(at, e) => {
                let at = 2 * (self.value(at, input) as usize % (2 * OWN));
                let bytes = self.value(e, input).to_le_bytes();
                self.own[at..at + 2].copy_from_slice(&bytes[..2]);
            }
            Statement::Load(n, slot) => {
                let word = self.word(usize::from(*slot));
                let variable = &mut self.variables[usize::from(*n)];
                *variable = variable.wrapping_add(word);
            }
            Statement::If(e, yes, no) => {
                let taken = if self.value(e, input) & 1 == 1 { yes } else { no };
                taken.iter().for_each(|s| self.execute(s, input));
            }
            Statement::Repeat(count, body) => {
                for _ in 0..*count {
                    body.iter().for_each(|s| self.execute(s, input));
                }
            }
            Statement::Exchange(..) => {}
        }
    }
}

fn write_all(all: &[Statement], depth: usize, text: &mut String) {
    let pad = "  ".repeat(depth);
    for statement in all {
        let _ = match statement {
            Statement::Set(n, e) => writeln!(text, "{pad}v{n} = {};", written(e)),
            Statement::Store(slot, e) => writeln!(text, "{pad}own[{slot}] = {};", written(e)),
            Statement::StoreByte(at, e) => {
                writeln!(
                    text,
                    "{pad}((global uchar *)own)[{} & {}] = {};",
                    written(at),
                    4 * OWN - 1,
                    written(e)
                )
            }
            Statement::StoreHalf(at, e) => {
                let mask = 2 * OWN - 1;
                writeln!(text, "{pad}((global half_word *)own)[{} & {mask}] = {};", written(at), written(e))
            }
            Statement::Load(n, slot) => writeln!(text, "{pad}v{n} += own[{slot}];"),
            Statement::If(e, yes, no) => {
                let _ = writeln!(text, "{pad}if ({} & 1) {{", written(e));
                write_all(yes, depth + 1, text);
                if !no.is_empty() {
                    let _ = writeln!(text, "{pad}}} else {{");
                    write_all(no, depth + 1, text);
                }
                writeln!(text, "{pad}}}")
            }
            Statement::Repeat(count, body) => {
                let _ = writeln!(text, "{pad}for (int n{depth} = 0; n{depth} < {count}; n{depth}++) {{");
                write_all(body, depth + 1, text);
                writeln!(text, "{pad}}}")
            }
            Statement::Exchange(n, by) => writeln!(
                text,
                "{pad}shared[l] = v{n};\n{pad}barrier(CLK_LOCAL_MEM_FENCE);\n{pad}v{n} = shared[(l + {by}) & {}];\n{pad}barrier(CLK_LOCAL_MEM_FENCE);",
                LOCAL - 1
            ),
        };
    }
}

fn written(expression: &Expression) -> String {
    match expression {
        Expression::Variable(n) => format!("v{n}"),
        Expression::Number(n) => format!("{n}u"),
        Expression::Word(at) => format!("in[{} & {}]", written(at), INPUTS - 1),
        Expression::Byte(at) => {
            format!("(uint)((global const char *)in)[{} & {}]", written(at), 4 * INPUTS - 1)
        }
        Expression::Half(at) => {
            format!("(uint)((global const ushort *)in)[{} & {}]", written(at), 2 * INPUTS - 1)
        }
        Expression::Two(operator, a, b) => {
            let (a, b) = (written(a), written(b));
            let mut text = String::new();
            let letters: Vec<char> = OPERATORS[*operator].0.chars().collect();
            for (at, letter) in letters.iter().enumerate() {
                let near = |k: Option<usize>| {
                    k.and_then(|k| letters.get(k)).is_some_and(|c| c.is_alphanumeric() || *c == '_')
                };
                let alone = !near(at.checked_sub(1)) && !near(Some(at + 1));
                match letter {
                    'a' if alone => text.push_str(&a),
                    'b' if alone => text.push_str(&b),
                    other => text.push(*other),
                }
            }
            format!("({text})")
        }
        Expression::Choice(a, b, c) => format!("({} & 1 ? {} : {})", written(a), written(b), written(c)),
    }
}

fn smaller_all(all: &[Statement]) -> Vec<Vec<Statement>> {
    let replaced = |at: usize, with: Vec<Statement>| {
        let mut body = all.to_vec();
        body.splice(at..=at, with);
        body
    };
    let mut made: Vec<Vec<Statement>> = (0..all.len()).rev().map(|at| replaced(at, Vec::new())).collect();
    for (at, statement) in all.iter().enumerate() {
        let smaller: Vec<Vec<Statement>> = match statement {
            Statement::Set(n, e) => smaller_one(e).into_iter().map(|e| vec![Statement::Set(*n, e)]).collect(),
            Statement::Store(n, e) => {
                smaller_one(e).into_iter().map(|e| vec![Statement::Store(*n, e)]).collect()
            }
            Statement::StoreByte(a, e) | Statement::StoreHalf(a, e) => {
                let half = matches!(statement, Statement::StoreHalf(..));
                let make =
                    |a, e| vec![if half { Statement::StoreHalf(a, e) } else { Statement::StoreByte(a, e) }];
                let first = smaller_one(a).into_iter().map(|a| make(a, e.clone()));
                first.chain(smaller_one(e).into_iter().map(|e| make(a.clone(), e))).collect()
            }
            Statement::If(e, yes, no) => {
                let inner =
                    smaller_all(yes).into_iter().map(|yes| vec![Statement::If(e.clone(), yes, no.clone())]);
                let other =
                    smaller_all(no).into_iter().map(|no| vec![Statement::If(e.clone(), yes.clone(), no)]);
                let tests =
                    smaller_one(e).into_iter().map(|e| vec![Statement::If(e, yes.clone(), no.clone())]);
                [yes.clone(), no.clone()].into_iter().chain(inner).chain(other).chain(tests).collect()
            }
            Statement::Repeat(count, body) => {
                let fewer = (*count > 1).then(|| vec![Statement::Repeat(count - 1, body.clone())]);
                let inner = smaller_all(body).into_iter().map(|body| vec![Statement::Repeat(*count, body)]);
                std::iter::once(body.clone()).chain(fewer).chain(inner).collect()
            }
            Statement::Load(..) | Statement::Exchange(..) => Vec::new(),
        };
        made.extend(smaller.into_iter().map(|with| replaced(at, with)));
    }
    made
}

fn smaller_one(expression: &Expression) -> Vec<Expression> {
    let mut made = Vec::new();
    match expression {
        Expression::Variable(_) | Expression::Number(0) => {}
        Expression::Number(n) => made.extend([Expression::Number(0), Expression::Number(n >> 1)]),
        Expression::Word(e) | Expression::Byte(e) | Expression::Half(e) => {
            made.push((**e).clone());
            let wrap = |inner| match expression {
                Expression::Word(_) => Expression::Word(inner),
                Expression::Byte(_) => Expression::Byte(inner),
                _ => Expression::Half(inner),
            };
            made.extend(smaller_one(e).into_iter().map(|e| wrap(Box::new(e))));
        }
        Expression::Two(operator, a, b) => {
            made.extend([(**a).clone(), (**b).clone()]);
            made.extend(
                smaller_one(a).into_iter().map(|a| Expression::Two(*operator, Box::new(a), b.clone())),
            );
            made.extend(
                smaller_one(b).into_iter().map(|b| Expression::Two(*operator, a.clone(), Box::new(b))),
            );
        }
        Expression::Choice(a, b, c) => {
            made.extend([(**b).clone(), (**c).clone(), (**a).clone()]);
            let with = |a: &Expression, b: &Expression, c: &Expression| {
                Expression::Choice(Box::new(a.clone()), Box::new(b.clone()), Box::new(c.clone()))
            };
            made.extend(smaller_one(a).iter().map(|a| with(a, b, c)));
            made.extend(smaller_one(b).iter().map(|b| with(a, b, c)));
            made.extend(smaller_one(c).iter().map(|c| with(a, b, c)));
        }
    }
    made
}

#[cfg(test)]
mod tests {
    use super::{Expression, Kernel, OPERATORS, SLOW, Statement, written};
    use oxcl_tta::sample::Random;

    #[test]
    fn kernels_follow_from_their_seeds_and_shrink() {
        let kernel = Kernel::random(&mut Random::new(5));
        assert_eq!(kernel, Kernel::random(&mut Random::new(5)));
        assert_eq!(kernel.run().len(), 32);
        assert!(kernel.smaller().iter().all(|k| *k != kernel));
        assert!(OPERATORS[SLOW].0.contains('/'));
    }

    #[test]
    fn operators_are_written_with_their_operands() {
        let two = Expression::Two(19, Box::new(Expression::Variable(1)), Box::new(Expression::Number(7)));
        assert_eq!(written(&two), "((v1 + (uint)(char)7u))");
        let body = vec![Statement::Set(0, Expression::Number(3))];
        let kernel = Kernel { body, input: vec![0; 16], scalar: 0 };
        assert_eq!(kernel.run()[0], 3 + 1);
    }
}
