//! Random kernels with barriers, as file tests.
//!
//! Everything follows from a seed. A kernel made here has a meaning that is the same everywhere: all work-items meet the
//! same barriers (what decides about a barrier is the same for the whole group), local memory is written to a place of
//! one's own and read by others only behind a barrier, indices are in range, arithmetic is unsigned, loops end. Private
//! values, arrays and vectors live across barriers in every shape of control flow: that is what these kernels are for.

use std::fmt::Write as _;

use oxcl_tta::sample::Random;

/// Global and local sizes.
const SIZES: &[(&str, &str, u64)] = &[
    ("16", "8", 16),
    ("32", "4", 32),
    ("24", "24", 24),
    ("6", "3", 6),
    ("64", "16", 64),
    ("8,4", "4,2", 32),
    ("4,2,2", "2,2,2", 16),
];

const ASSIGN: &[&str] = &["=", "+=", "^="];
const ARITHMETIC: &[&str] = &["+", "-", "*", "^", "&", "|"];
const COMPARE: &[&str] = &["<", ">", "==", "!="];

/// The text of the file test that belongs to a seed.
#[must_use]
pub fn file_test(seed: u64) -> String {
    let mut maker = Maker { random: Random::new(seed), loops: 0, counters: Vec::new(), text: String::new() };
    let &(global, local, items) = maker.random.choose(SIZES).unwrap_or(&SIZES[0]);
    let (n, m) = (maker.random.below(9), maker.random.below(9));
    let count = 4 + maker.random.below(5);
    maker.statements(1, true, count);
    let mut text = String::from("// test: run\n// width: any\n");
    let results = 8 * items;
    let _ = writeln!(
        text,
        "// run: k global={global} local={local} (in=random:{items}:{seed}, out=zeros:{results}, tile=local:128, \
         n={n}, m={m})"
    );
    text.push_str(
        "kernel void k(global const uint *in, global uint *out, local uint *tile, uint n, uint m) {
  uint l = get_local_id(0) + get_local_size(0) * (get_local_id(1) + get_local_size(1) * get_local_id(2));
  uint g = get_global_id(0) + get_global_size(0) * (get_global_id(1) + get_global_size(1) * get_global_id(2));
  uint items = get_local_size(0) * get_local_size(1) * get_local_size(2), group = get_group_id(0);
  uint v0 = in[g], v1 = l, v2 = 1, v3 = g * 5, u0 = 1, u1 = m;
  uint p[4] = {v0, 2, l, 3};
  uint4 f = (uint4)(l, 1, v0, 9);
",
    );
    text.push_str(&maker.text);
    text.push_str(
        "  out += g * 8;
  out[0] = v0; out[1] = v1; out[2] = v2; out[3] = v3;
  out[4] = p[0] + p[1] * 3 + p[2] * 5 + p[3] * 7;
  out[5] = f.x ^ f.y * 3 ^ f.z * 5 ^ f.w;
  out[6] = u0; out[7] = u1;
}
",
    );
    text
}

struct Maker {
    random: Random,
    /// Loops so far, for their counters' names.
    loops: u32,
    /// Counters of the loops around that the whole group goes round together.
    counters: Vec<String>,
    text: String,
}

impl Maker {
    fn pick(&mut self, words: &[&'static str]) -> &'static str {
        self.random.choose(words).copied().unwrap_or("=")
    }

    fn variable(&mut self) -> String {
        format!("v{}", self.random.below(4))
    }

    /// An expression that is the same for the whole group.
    fn uniform(&mut self, depth: u32) -> String {
        match self.random.below(if depth < 2 { 8 } else { 4 }) {
            0 => (1 + self.random.below(8)).to_string(),
            1 => self.pick(&["n", "m"]).to_owned(),
            2 => self.pick(&["u0", "u1"]).to_owned(),
            3 => self.random.choose(&self.counters).cloned().unwrap_or_else(|| "group".to_owned()),
            _ => {
                let (left, right) = (self.uniform(depth + 1), self.uniform(depth + 1));
                format!("({left} {} {right})", self.pick(ARITHMETIC))
            }
        }
    }

    /// An expression that may differ from work-item to work-item.
    fn varying(&mut self, depth: u32) -> String {
        match self.random.below(if depth < 3 { 10 } else { 5 }) {
            0 => self.uniform(2),
            1 | 2 => self.variable(),
            3 => self.pick(&["l", "g"]).to_owned(),
            4 => format!("p[{} & 3]", self.index()),
            5 => {
                let (value, by) = (self.varying(depth + 1), self.varying(depth + 1));
                format!("({value} {} ({by} & 7))", self.pick(&["<<", ">>"]))
            }
            6 => {
                let [a, b, yes, no] = [(); 4].map(|()| self.varying(depth + 1));
                format!("({a} {} {b} ? {yes} : {no})", self.pick(COMPARE))
            }
            7 => format!("f.{}", self.pick(&["x", "y", "z", "w"])),
            _ => {
                let (left, right) = (self.varying(depth + 1), self.varying(depth + 1));
                format!("({left} {} {right})", self.pick(ARITHMETIC))
            }
        }
    }

    fn index(&mut self) -> String {
        match self.random.below(4) {
            0 => self.variable(),
            1 => self.random.below(4).to_string(),
            2 => "u0".to_owned(),
            _ => "l".to_owned(),
        }
    }

    fn condition(&mut self, together: bool) -> String {
        let value = if together { self.uniform(0) } else { self.varying(1) };
        let mask = [1, 3, 7][usize::try_from(self.random.below(3)).unwrap_or(0)];
        format!("({value} & {mask}) {} {}", self.pick(COMPARE), self.random.below(3))
    }

    fn line(&mut self, indent: usize, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * indent);
    }

    /// `together`: the whole group comes here, so that barriers may be met.
    fn statements(&mut self, indent: usize, together: bool, count: u64) {
        for _ in 0..count {
            self.statement(indent, together);
        }
    }

    fn block(&mut self, indent: usize, together: bool) {
        let count = 1 + self.random.below(3);
        self.statements(indent + 1, together, count);
    }

    fn statement(&mut self, indent: usize, together: bool) {
        let kind = self.random.below(15);
        match kind {
            3 if together => {
                let (to, value) = (self.pick(&["u0", "u1"]), self.uniform(0));
                let line = format!("{to} {} {value};", self.pick(ASSIGN));
                self.line(indent, &line);
            }
            4 => {
                let (index, value) = (self.index(), self.varying(0));
                let line = format!("p[{index} & 3] {} {value};", self.pick(ASSIGN));
                self.line(indent, &line);
            }
            5 => {
                let (part, value) = (self.pick(&["x", "y", "z", "w"]), self.varying(0));
                self.line(indent, &format!("f.{part} = {value};"));
            }
            6..=8 if together => self.exchange(indent),
            9 if indent < 5 => self.branch(indent, together),
            10 if indent < 5 => self.branch(indent, false),
            11 | 12 if indent < 5 => self.repeat(indent, together),
            13 => {
                let (a, b, c) = (self.variable(), self.variable(), self.variable());
                self.line(indent, &format!("{a} = {b}; {b} = {c};"));
            }
            _ => {
                let (to, value) = (self.variable(), self.varying(0));
                let line = format!("{to} {} {value};", self.pick(ASSIGN));
                self.line(indent, &line);
            }
        }
    }

    /// Work-items read what others wrote.
    fn exchange(&mut self, indent: usize) {
        let (value, to) = (self.varying(0), self.variable());
        self.line(indent, &format!("tile[l] = {value};"));
        self.line(indent, "barrier(CLK_LOCAL_MEM_FENCE);");
        let by = self.pick(&["1", "3", "(u0 & 7)", "(v1 & 3)"]);
        let line = format!("{to} {} tile[(l + {by}) % items];", self.pick(ASSIGN));
        self.line(indent, &line);
        self.line(indent, "barrier(CLK_LOCAL_MEM_FENCE);");
    }

    fn branch(&mut self, indent: usize, together: bool) {
        let condition = self.condition(together);
        self.line(indent, &format!("if ({condition}) {{"));
        self.block(indent, together);
        if self.random.once_in(2) {
            self.line(indent, "} else {");
            self.block(indent, together);
        }
        self.line(indent, "}");
    }

    /// A loop of up to four rounds, which may be left early.
    fn repeat(&mut self, indent: usize, together: bool) {
        let counter = format!("i{}", self.loops);
        self.loops += 1;
        // Where the counter is compared, its limit may have changed since the last round.
        let limit = format!("({} & 3)", if together { self.uniform(1) } else { self.varying(2) });
        let ends_below = self.random.once_in(2);
        if ends_below {
            self.line(indent, &format!("uint {counter} = 0;"));
            self.line(indent, "do {");
        } else {
            self.line(indent, &format!("for (uint {counter} = 0; {counter} < {limit}; {counter}++) {{"));
        }
        if together {
            self.counters.push(counter.clone());
        }
        self.block(indent, together);
        if self.random.once_in(3) {
            let condition = self.condition(together);
            let how = if ends_below { "break" } else { self.pick(&["break", "continue"]) };
            self.line(indent + 1, &format!("if ({condition}) {how};"));
            self.block(indent, together);
        }
        if together {
            self.counters.pop();
        }
        let end = if ends_below { format!("}} while (++{counter} < {limit});") } else { "}".to_owned() };
        self.line(indent, &end);
    }
}
