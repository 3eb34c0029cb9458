//! Kernels that tell widths apart, made from seeds.
//!
//! In: a seed. Out: [`Made`]: OpenCL C, the data, the index space, and what of [`FEATURES`] the kernel has. Seeds take turns
//! with the features, so that seven in a row have each at least once. What a kernel does is defined for every input: integers
//! have no sign, indices stay inside, work-items write what is theirs alone.

use std::fmt::Write as _;

/// What kernels differ by.
pub(crate) const FEATURES: [&str; 7] =
    ["divergence", "gathers", "bytes", "64-bit types", "two dimensions", "inner loops", "barriers"];

/// A kernel and what it runs on.
#[derive(Debug, Clone)]
pub(crate) struct Made {
    /// Of [`FEATURES`], which it has.
    pub(crate) features: [bool; 7],
    /// Whether its data are larger than a core's caches.
    pub(crate) is_large: bool,
    /// OpenCL C; the kernel is `k`.
    pub(crate) source: String,
    /// The index space.
    pub(crate) global: Vec<u64>,
    /// The local size.
    pub(crate) local: Vec<u64>,
    /// What the buffers hold, and how many elements: of `a`, `c` and `list`, and of `b`.
    ty: Number,
    pub(crate) items: u64,
    pub(crate) beyond: u64,
    seed: u64,
    /// The values of `n`, the length of a row, and `m`, the rounds of inner loops.
    pub(crate) values: [i32; 2],
}

impl Made {
    /// OpenCL C's name of the type of the numbers.
    pub(crate) fn type_name(&self) -> &'static str {
        self.ty.name()
    }

    /// Whether two results are the same: all NaNs are one, as the language leaves their signs and payloads open.
    pub(crate) fn is_same(&self, left: &[u8], right: &[u8]) -> bool {
        let size = self.ty.size();
        let mut both = left.chunks(size).zip(right.chunks(size));
        let is_nan = |element: &[u8]| self.ty.is_nan(element);
        left.len() == right.len() && both.all(|(l, r)| l == r || (is_nan(l) && is_nan(r)))
    }

    /// The buffers `a`, `b`, `c` and `list`; `c` is the result.
    pub(crate) fn buffers(&self) -> [Vec<u8>; 4] {
        let mut numbers = Numbers(self.seed);
        let a = self.ty.bytes(&mut numbers, self.items);
        let b = self.ty.bytes(&mut numbers, self.beyond);
        let c = vec![0; a.len()];
        let place = |_| (numbers.below(self.items) as i32).to_le_bytes();
        [a, b, c, (0..self.items).flat_map(place).collect()]
    }
}

/// A generator of numbers: SplitMix64.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    fn one_in(&mut self, count: u64) -> bool {
        self.below(count) == 0
    }

    fn of<'t>(&mut self, choices: &[&'t str]) -> &'t str {
        choices[self.below(choices.len() as u64) as usize]
    }
}

/// The type of a kernel's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Number {
    Byte,
    Short,
    Int,
    Float,
    Long,
    Double,
}

impl Number {
    fn name(self) -> &'static str {
        match self {
            Number::Byte => "uchar",
            Number::Short => "ushort",
            Number::Int => "uint",
            Number::Float => "float",
            Number::Long => "ulong",
            Number::Double => "double",
        }
    }

    fn is_float(self) -> bool {
        matches!(self, Number::Float | Number::Double)
    }

    /// In bytes.
    fn size(self) -> usize {
        match self {
            Number::Byte => 1,
            Number::Short => 2,
            Number::Int | Number::Float => 4,
            Number::Long | Number::Double => 8,
        }
    }

    fn is_nan(self, element: &[u8]) -> bool {
        match self {
            Number::Float => element.try_into().is_ok_and(|bytes| f32::from_le_bytes(bytes).is_nan()),
            Number::Double => element.try_into().is_ok_and(|bytes| f64::from_le_bytes(bytes).is_nan()),
            Number::Byte | Number::Short | Number::Int | Number::Long => false,
        }
    }

    fn bytes(self, numbers: &mut Numbers, count: u64) -> Vec<u8> {
        let mut all = Vec::new();
        for _ in 0..count {
            let number = numbers.next();
            // From 0.5 to 1.5, in steps that both types hold.
            let real = 0.5 + (number >> 44) as f64 / f64::from(1 << 20);
            match self {
                Number::Byte => all.push(number as u8),
                Number::Short => all.extend((number as u16).to_le_bytes()),
                Number::Int => all.extend((number as u32).to_le_bytes()),
                Number::Float => all.extend((real as f32).to_le_bytes()),
                Number::Long => all.extend(number.to_le_bytes()),
                Number::Double => all.extend(real.to_le_bytes()),
            }
        }
        all
    }
}

/// Items of a small kernel, and of a large one.
const ITEMS: [u64; 2] = [1 << 15, 1 << 21];
/// The side of a square of so many items, in two dimensions.
const SIDES: [[u64; 2]; 2] = [[256, 128], [2048, 1024]];

struct Maker {
    numbers: Numbers,
    features: [bool; 7],
    ty: Number,
    is_large: bool,
    /// How many times as many elements as items `b` has.
    spread: u64,
    /// Rounds of inner loops.
    rounds: u64,
    text: String,
    depth: usize,
}

/// The kernel of a seed.
pub(crate) fn generate(seed: u64) -> Made {
    let mut numbers = Numbers(seed.wrapping_mul(0x1234_5678_9abc_def1));
    let mut features: [bool; 7] = std::array::from_fn(|_| numbers.one_in(5));
    features[(seed % 7) as usize] = true;
    // No type is both.
    if features[2] && features[3] {
        features[if seed % 7 == 2 { 3 } else { 2 }] = false;
    }
    let ty = match (features[2], features[3], numbers.below(4)) {
        (true, _, 3) => Number::Short,
        (true, ..) => Number::Byte,
        (_, true, 0 | 1) => Number::Double,
        (_, true, _) => Number::Long,
        (.., 0) => Number::Int,
        _ => Number::Float,
    };
    let is_large = numbers.one_in(2);
    let rounds = [4, 8, 16, 32][numbers.below(4) as usize];
    let maker = Maker { numbers, features, ty, is_large, spread: 1, rounds, text: String::new(), depth: 1 };
    maker.make()
}

impl Maker {
    fn line(&mut self, text: &str) {
        let indent = 2 * self.depth;
        let _ = writeln!(self.text, "{:indent$}{text}", "");
    }

    fn make(mut self) -> Made {
        let [_, _, _, _, two, loops, barriers] = self.features;
        self.line(if two {
            "int x = get_global_id(0), y = get_global_id(1), i = y * n + x;"
        } else {
            "int x = get_global_id(0), i = x;"
        });
        let guarded = !barriers && self.numbers.one_in(2);
        if guarded {
            let limit = if two { "x < n" } else { "i < n" };
            self.line(&format!("if ({limit}) {{"));
            self.depth += 1;
        }
        let name = self.ty.name();
        let access = self.access();
        self.line(&format!("{name} v = a[i], w = {access};"));
        let length = 1 + self.numbers.below(6);
        self.chain(length);
        if self.features[0] {
            self.divergence();
        }
        if loops {
            self.inner_loop();
        }
        if barriers {
            self.exchange();
        }
        if !loops && !self.features[0] {
            let length = self.numbers.below(24);
            self.chain(length);
        }
        self.line("c[i] = v;");
        if guarded {
            self.depth -= 1;
            self.line("}");
        }
        self.finish()
    }

    /// An element of `b`, as the features have it.
    fn access(&mut self) -> String {
        if self.features[1] {
            return self.gather();
        }
        self.numbers.of(&["b[i]", "b[i]", "b[i + 1]", "b[m]"]).to_owned()
    }

    fn gather(&mut self) -> String {
        let transposed = self.features[4] && self.numbers.one_in(2);
        if transposed {
            return "b[x * (int)get_global_size(1) + y]".to_owned();
        }
        match self.numbers.below(3) {
            0 => {
                let factor = 2 + self.numbers.below(3);
                self.spread = self.spread.max(factor);
                format!("b[{factor} * i]")
            }
            _ => "b[list[i]]".to_owned(),
        }
    }

    /// One step of arithmetic on `v` and `w`, which keeps floats from growing.
    fn step(&mut self) -> String {
        if self.ty.is_float() {
            let suffix = if self.ty == Number::Float { "f" } else { "" };
            let rare = self.numbers.one_in(8);
            if rare {
                let call = self.numbers.of(&[
                    "v = sqrt(v * v + w)",
                    "v = v / (w + 1.5S)",
                    "v = sin(v) + w",
                    "v = exp(-v * v)",
                ]);
                return format!("{};", call.replace('S', suffix));
            }
            let step = self.numbers.of(&[
                "v = v * 0.75S + w",
                "w = w * 0.5S - v",
                "v = fmax(v, w) - 0.25S",
                "v = v - w * 0.125S",
                "w = fabs(v - w)",
                "v = (v + w) * 0.5S",
            ]);
            return format!("{};", step.replace('S', suffix));
        }
        let rare = self.numbers.one_in(12);
        if rare {
            return format!("{};", self.numbers.of(&["v = v / 3", "v = w / (v | 1)", "w = v % 10"]));
        }
        let step = self.numbers.of(&[
            "v = v * 5 + w",
            "w = w ^ (v >> 3)",
            "v = max(v, w) - 1",
            "v = v + (w << 1)",
            "w = w - v",
            "v = (v & w) + (v >> 1)",
        ]);
        format!("{step};")
    }

    fn chain(&mut self, length: u64) {
        for _ in 0..length {
            let step = self.step();
            self.line(&step);
        }
    }

    fn block(&mut self, head: &str, length: u64) {
        self.line(head);
        self.depth += 1;
        self.chain(length);
        self.depth -= 1;
    }

    fn divergence(&mut self) {
        let length = 1 + self.numbers.below(8);
        match self.numbers.below(3) {
            0 => {
                self.block("if (v > w) {", length);
                self.line("}");
            }
            1 => {
                self.block("if (v < w) {", length);
                let other = 1 + self.numbers.below(8);
                self.block("} else {", other);
                self.line("}");
            }
            _ => {
                self.line("uint left = list[i] & 15;");
                self.block("while (left > 0) {", length);
                self.depth += 1;
                self.line("left = left > 2 && v > w ? left - 2 : left - 1;");
                self.depth -= 1;
                self.line("}");
            }
        }
    }

    fn inner_loop(&mut self) {
        let (gathers, two) = (self.features[1], self.features[4]);
        let own_row = gathers && self.numbers.one_in(2);
        let element = if own_row {
            // A row for each item: as many elements as fit.
            self.rounds = self.rounds.min(if self.is_large { 4 } else { 16 });
            self.spread = self.spread.max(self.rounds);
            "b[i * m + j]".to_owned()
        } else if gathers {
            "b[list[i] ^ j]".to_owned()
        } else if two {
            self.numbers.of(&["b[j * n + x]", "b[y * n + j]", "b[j]"]).to_owned()
        } else {
            self.numbers.of(&["b[i + j]", "b[j]"]).to_owned()
        };
        let length = self.numbers.below(4);
        self.line("for (int j = 0; j < m; ++j) {");
        self.depth += 1;
        if self.ty.is_float() {
            self.line(&format!(
                "w = w * 0.5{} + {element};",
                if self.ty == Number::Float { "f" } else { "" }
            ));
        } else {
            self.line(&format!("w = w * 3 + {element};"));
        }
        self.chain(length);
        self.depth -= 1;
        self.line("}");
        self.line("v = v + w;");
    }

    /// Work-items of a group add what others have, in a tree.
    fn exchange(&mut self) {
        let two = self.features[4];
        let half = if self.ty.is_float() { " * 0.5f" } else { "" };
        self.line(if two {
            "int l = get_local_id(1) * get_local_size(0) + get_local_id(0);"
        } else {
            "int l = get_local_id(0);"
        });
        self.line("for (int s = 1; s < 64; s *= 2) {");
        self.depth += 1;
        self.line("t[l] = v;");
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.line(&format!("v = (v + t[l ^ s]){half};"));
        self.line("barrier(CLK_LOCAL_MEM_FENCE);");
        self.depth -= 1;
        self.line("}");
    }

    fn finish(mut self) -> Made {
        let [.., two, _, barriers] = self.features;
        let size = usize::from(self.is_large);
        let items = ITEMS[size];
        let (global, local) = if two {
            (SIDES[size].to_vec(), vec![16, 4])
        } else {
            (vec![items], vec![64 << (2 * self.numbers.below(2))])
        };
        let name = self.ty.name();
        let group: u64 = local.iter().product();
        let tile = if barriers { format!("  local {name} t[{group}];\n") } else { String::new() };
        let source = format!(
            "kernel void k(global const {name} *a, global const {name} *b, global {name} *c, global const int *list,\n              \
             int n, int m) {{\n{tile}{}}}\n",
            self.text
        );
        let n = if two { global[0] } else { items };
        Made {
            features: self.features,
            is_large: self.is_large,
            source,
            global,
            local,
            ty: self.ty,
            items,
            // A few more than are asked for: neighbours and rounds go beyond the end.
            beyond: items * self.spread + 64,
            seed: self.numbers.next(),
            values: [n as i32, self.rounds as i32],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_comes_up_often_and_seeds_are_kernels() {
        let made: Vec<Made> = (0..200).map(generate).collect();
        for (number, feature) in FEATURES.into_iter().enumerate() {
            let count = made.iter().filter(|made| made.features[number]).count();
            assert!(count >= 28, "{feature}: {count}");
        }
        let large = made.iter().filter(|made| made.is_large).count();
        assert!((60..140).contains(&large), "{large} large ones");
        assert_eq!(generate(17).source, made[17].source);
        assert_ne!(made[16].source, made[17].source);
    }

    #[test]
    fn results_differ_unless_both_are_nan() {
        let made = (0..200).map(generate).find(|made| made.ty == Number::Float).unwrap();
        let same = |left: f32, right: f32| made.is_same(&left.to_le_bytes(), &right.to_le_bytes());
        assert!(same(1.5, 1.5) && same(f32::NAN, -f32::NAN));
        assert!(!same(1.5, -1.5) && !same(0.0, -0.0) && !same(1.5, f32::NAN) && !same(f32::NAN, 1.5));
        assert!(!made.is_same(&[0; 4], &[0; 8]));
        let whole = (0..200).map(generate).find(|made| made.ty == Number::Int).unwrap();
        assert!(!whole.is_same(&f32::NAN.to_le_bytes(), &(-f32::NAN).to_le_bytes()));
    }
}
