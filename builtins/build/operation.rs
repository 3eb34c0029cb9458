//! Operations of x86-64 that the library calls by names of ours, as LLVM's IR: for machine code made of the library
//! before any compiler of ours is there.
//!
//! In: a line of IR. Out: where it declares one of them, a definition by the processor's operation. Shared by the build script and
//! the tests. The compiler's own lowering is `compiler/codegen/bridge/operations.cpp`.

/// What an operation makes of floating values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operation {
    /// An estimate of 1 / sqrt(x), good to 14 bits.
    RsqrtEstimate,
    /// The same to 11 bits, of floats, before AVX-512.
    RsqrtCoarse,
    /// An estimate of 1 / x, good to 14 bits, of floats.
    RecipEstimate,
    /// The same to 11 bits, before AVX-512.
    RecipCoarse,
    /// x 2^n, rounded once.
    Scale,
    /// Whether a value is zero, subnormal, negative, infinite or NaN: 0 or -1.
    Unordinary,
}

/// What the symbols of all forms of each begin with.
pub(crate) const OPERATIONS: [(&str, Operation); 6] = [
    ("_Z19oxcl_rsqrt_estimate", Operation::RsqrtEstimate),
    ("_Z17oxcl_rsqrt_coarse", Operation::RsqrtCoarse),
    ("_Z19oxcl_recip_estimate", Operation::RecipEstimate),
    ("_Z17oxcl_recip_coarse", Operation::RecipCoarse),
    ("_Z10oxcl_scale", Operation::Scale),
    ("_Z15oxcl_unordinary", Operation::Unordinary),
];

/// A register of so many bits with elements of so many.
#[derive(Debug, Clone, Copy)]
struct Register {
    element_bits: usize,
    bits: usize,
}

impl Register {
    /// The smallest that holds so many elements, of no more than `most` bits.
    fn of(element_bits: usize, lanes: usize, most: usize) -> Self {
        Self { element_bits, bits: (lanes * element_bits).next_power_of_two().clamp(128, most) }
    }

    fn lanes(self) -> usize {
        self.bits / self.element_bits
    }

    fn element(self) -> &'static str {
        match self.element_bits {
            16 => "half",
            32 => "float",
            _ => "double",
        }
    }

    fn ty(self) -> String {
        format!("<{} x {}>", self.lanes(), self.element())
    }

    fn form(self) -> &'static str {
        match self.element_bits {
            16 => "ph",
            32 => "ps",
            _ => "pd",
        }
    }

    fn mask(self) -> String {
        format!("i{}", self.lanes().max(8))
    }
}

impl Operation {
    fn arguments(self) -> usize {
        if self == Self::Scale { 2 } else { 1 }
    }

    /// The bits of the largest registers that have it.
    fn most_bits(self) -> usize {
        if matches!(self, Self::RsqrtCoarse | Self::RecipCoarse) { 256 } else { 512 }
    }

    /// Whether registers of such elements have it.
    fn is_on(self, register: Register) -> bool {
        let has_elements = match self {
            Self::RsqrtCoarse | Self::RecipEstimate | Self::RecipCoarse => register.element_bits == 32,
            // No powers of two for halves.
            Self::Scale => register.element_bits > 16,
            Self::RsqrtEstimate | Self::Unordinary => true,
        };
        has_elements && register.bits <= self.most_bits()
    }

    /// The name of LLVM's intrinsic on a register.
    fn intrinsic(self, register: Register) -> String {
        let (form, bits) = (register.form(), register.bits);
        match self {
            Self::RsqrtEstimate if register.element_bits == 16 => {
                format!("@llvm.x86.avx512fp16.mask.rsqrt.ph.{bits}")
            }
            Self::Unordinary if register.element_bits == 16 => {
                format!("@llvm.x86.avx512fp16.fpclass.ph.{bits}")
            }
            Self::RsqrtEstimate => format!("@llvm.x86.avx512.rsqrt14.{form}.{bits}"),
            Self::RsqrtCoarse if bits == 128 => "@llvm.x86.sse.rsqrt.ps".to_owned(),
            Self::RsqrtCoarse => "@llvm.x86.avx.rsqrt.ps.256".to_owned(),
            Self::RecipEstimate => format!("@llvm.x86.avx512.rcp14.{form}.{bits}"),
            Self::RecipCoarse if bits == 128 => "@llvm.x86.sse.rcp.ps".to_owned(),
            Self::RecipCoarse => "@llvm.x86.avx.rcp.ps.256".to_owned(),
            Self::Scale => format!("@llvm.x86.avx512.mask.scalef.{form}.{bits}"),
            Self::Unordinary => format!("@llvm.x86.avx512.fpclass.{form}.{bits}"),
        }
    }

    /// The type of what the intrinsic gives, and those of what it takes behind the values, with the constants that are given.
    fn signature(self, register: Register) -> (String, Vec<(String, &'static str)>) {
        let ty = register.ty();
        let masked = || vec![(ty.clone(), "zeroinitializer"), (register.mask(), "-1")];
        match self {
            Self::RsqrtEstimate | Self::RecipEstimate => (ty.clone(), masked()),
            Self::RsqrtCoarse | Self::RecipCoarse => (ty.clone(), Vec::new()),
            Self::Scale => {
                let mut more = masked();
                if register.bits == 512 {
                    // Rounded as always.
                    more.push(("i32".to_owned(), "4"));
                }
                (ty, more)
            }
            // All classes but positive normal values.
            Self::Unordinary => (format!("<{} x i1>", register.lanes()), vec![("i32".to_owned(), "255")]),
        }
    }

    /// The call of the intrinsic on the values, whose result is `%{name}`; integers of as many bits as the elements for truths.
    fn call(self, register: Register, name: &str, values: &[String]) -> String {
        let (result, more) = self.signature(register);
        let values = values.iter().map(|value| format!("{} {value}", register.ty()));
        let more = more.iter().map(|(ty, value)| format!("{ty} {value}"));
        let all: Vec<String> = values.chain(more).collect();
        let call = format!("call {result} {}({})", self.intrinsic(register), all.join(", "));
        if self == Self::Unordinary {
            let wide = format!("<{} x i{}>", register.lanes(), register.element_bits);
            return format!("  %{name}.c = {call}\n  %{name} = sext {result} %{name}.c to {wide}\n");
        }
        format!("  %{name} = {call}\n")
    }

    fn declaration(self, register: Register) -> String {
        let (result, more) = self.signature(register);
        let values = (0..self.arguments()).map(|_| register.ty());
        // What the operation is told at once is a constant of its instruction.
        let more = more.into_iter().map(|(ty, _)| if ty == "i32" { "i32 immarg".to_owned() } else { ty });
        let all: Vec<String> = values.chain(more).collect();
        format!("declare {result} {}({})\n", self.intrinsic(register), all.join(", "))
    }
}

/// The places of `count` lanes from `first` on, and so many that are nothing.
fn places(first: usize, count: usize, all: usize) -> String {
    let given = (first..first + count).map(|lane| format!("i32 {lane}"));
    let rest = (count..all).map(|_| "i32 poison".to_owned());
    format!("<{all} x i32> <{}>", given.chain(rest).collect::<Vec<_>>().join(", "))
}

/// The definition of the operation that a line declares.
pub(crate) fn body(declaration: &str) -> Option<String> {
    let (_, rest) = declaration.strip_prefix("declare ")?.split_once('@')?;
    let (symbol, rest) = rest.split_once('(')?;
    let &(_, operation) = OPERATIONS.iter().find(|(start, _)| symbol.starts_with(start))?;
    // A vector's own angle brackets end before any attribute.
    let ty = rest.find('>').map_or_else(|| rest.split([' ', ',', ')']).next(), |end| Some(&rest[..=end]))?;
    let element = ["half", "float", "double"].into_iter().find(|element| ty.contains(element))?;
    let element_bits = match element {
        "half" => 16,
        "float" => 32,
        _ => 64,
    };
    let (lanes, is_vector) = match ty.strip_prefix('<') {
        Some(rest) => (rest.split(' ').next()?.parse().ok()?, true),
        None => (1, false),
    };
    let element = match operation {
        Operation::Unordinary => format!("i{element_bits}"),
        _ => element.to_owned(),
    };
    let result = if is_vector { format!("<{lanes} x {element}>") } else { element.clone() };
    let names = &["%x", "%n"][..operation.arguments()];
    let parameters: Vec<String> = names.iter().map(|name| format!("{ty} {name}")).collect();
    let mut text = format!("define internal {result} @{symbol}({}) alwaysinline {{\n", parameters.join(", "));
    if !is_vector && operation == Operation::Unordinary {
        // For one value a comparison of its bits is shorter.
        let smallest =
            1u64 << [(16, 10), (32, 23), (64, 52)].iter().find(|(bits, _)| *bits == element_bits)?.1;
        let infinite = (1u64 << (element_bits - 1)) - smallest;
        text.push_str(&format!(
            "  %b = bitcast {ty} %x to {result}\n  %d = sub {result} %b, {smallest}\n  \
             %c = icmp uge {result} %d, {}\n  %r = sext i1 %c to {result}\n  ret {result} %r\n}}\n",
            infinite - smallest
        ));
        return Some(text);
    }
    if !is_vector {
        let register = Register::of(element_bits, 1, operation.most_bits());
        let mut values = Vec::new();
        for name in names {
            let wide = register.ty();
            text.push_str(&format!("  {name}.r = insertelement {wide} poison, {ty} {name}, i32 0\n"));
            values.push(format!("{name}.r"));
        }
        text.push_str(&operation.call(register, "y", &values));
        let wide = format!("<{} x {element}>", register.lanes());
        text.push_str(&format!("  %r = extractelement {wide} %y, i32 0\n  ret {result} %r\n}}\n"));
        return Some(text);
    }
    // Register by register; the elements of a part are put behind those before it.
    let most = operation.most_bits() / element_bits;
    let mut so_far: Option<String> = None;
    for (part, first) in (0..lanes).step_by(most).enumerate() {
        let count = most.min(lanes - first);
        let register = Register::of(element_bits, count, operation.most_bits());
        let mut values = Vec::new();
        for name in names {
            let taken = places(first, count, register.lanes());
            text.push_str(&format!("  {name}.{part} = shufflevector {ty} {name}, {ty} poison, {taken}\n"));
            values.push(format!("{name}.{part}"));
        }
        text.push_str(&operation.call(register, &format!("y.{part}"), &values));
        let wide = format!("<{} x {element}>", register.lanes());
        let spread: Vec<String> = (0..lanes)
            .map(|lane| match lane.checked_sub(first) {
                Some(own) if own < count => format!("i32 {own}"),
                _ => "i32 poison".to_owned(),
            })
            .collect();
        text.push_str(&format!(
            "  %w.{part} = shufflevector {wide} %y.{part}, {wide} poison, <{lanes} x i32> <{}>\n",
            spread.join(", ")
        ));
        so_far = Some(match so_far {
            None => format!("%w.{part}"),
            Some(before) => {
                let joined: Vec<String> = (0..lanes)
                    .map(|lane| format!("i32 {}", lane + if lane < first { 0 } else { lanes }))
                    .collect();
                text.push_str(&format!(
                    "  %j.{part} = shufflevector {result} {before}, {result} %w.{part}, <{lanes} x i32> <{}>\n",
                    joined.join(", ")
                ));
                format!("%j.{part}")
            }
        });
    }
    text.push_str(&format!("  ret {result} {}\n}}\n", so_far?));
    Some(text)
}

/// Declarations of the intrinsics that the definitions use.
pub(crate) fn declarations() -> String {
    let mut out = String::new();
    for (_, operation) in OPERATIONS {
        let all = [16, 32, 64].into_iter().flat_map(|element_bits| {
            [128, 256, 512].into_iter().map(move |bits| Register { element_bits, bits })
        });
        for register in all.filter(|&register| operation.is_on(register)) {
            out.push_str(&operation.declaration(register));
        }
    }
    out
}
