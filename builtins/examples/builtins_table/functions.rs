//! The functions of the tables: how each is called, what judges it, and the programs that call it at every width.

use std::path::Path;

use libloading::Library;
use tempfile::TempDir;

use crate::support::cases::{CASES, Case, Shape, limit};
use crate::support::{Program, WIDTHS, half_cases, load, run, store, vector};

/// The element type of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Element {
    Half,
    Float,
    Double,
}

impl Element {
    pub(crate) const ALL: [Self; 3] = [Self::Float, Self::Double, Self::Half];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Half => "half",
            Self::Float => "float",
            Self::Double => "double",
        }
    }

    pub(crate) fn bytes(self) -> usize {
        match self {
            Self::Half => 2,
            Self::Float => 4,
            Self::Double => 8,
        }
    }
}

/// One row of the tables.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Function {
    pub(crate) name: &'static str,
    pub(crate) shape: Shape,
    /// Where most inputs come from that are drawn for errors.
    pub(crate) low: f64,
    pub(crate) high: f64,
    /// Where all inputs come from that times are taken of.
    pub(crate) timed_low: f64,
    pub(crate) timed_high: f64,
    /// What a pointer behind the value leads to, if there is one: `T` for the type itself.
    pointer: &'static str,
    /// Whether the accuracy tests have it, and so a value in quadruple precision.
    pub(crate) is_case: bool,
}

/// Functions of one value that the accuracy tests leave out, because they give two results or have no limit.
const MORE: [(&str, f64, f64, &str); 5] = [
    ("fract", -30.0, 30.0, "T"),
    ("frexp", -30.0, 30.0, "int"),
    ("lgamma", 0.0, 30.0, ""),
    ("lgamma_r", 0.0, 30.0, "int"),
    ("modf", -30.0, 30.0, "T"),
];

/// Ranges for times where those of the accuracy tests lead to overflow or to subnormal results, which processors are slow with.
const ORDINARY: [(&str, f64, f64); 8] = [
    ("cosh", -80.0, 80.0),
    ("erfc", -5.0, 5.0),
    ("exp", -80.0, 80.0),
    ("exp10", -35.0, 35.0),
    ("exp2", -120.0, 120.0),
    ("expm1", -30.0, 80.0),
    ("sinh", -80.0, 80.0),
    ("tgamma", -4.0, 20.0),
];

/// All functions, by name.
pub(crate) fn functions() -> Vec<Function> {
    let of_case = |&(name, shape, low, high): &Case| Function {
        name,
        shape,
        low,
        high,
        timed_low: low,
        timed_high: high,
        pointer: "",
        is_case: true,
    };
    let more = |&(name, low, high, pointer): &(&'static str, f64, f64, &'static str)| Function {
        name,
        shape: Shape::One,
        low,
        high,
        timed_low: low,
        timed_high: high,
        pointer,
        is_case: false,
    };
    let mut all: Vec<Function> = CASES.iter().map(of_case).chain(MORE.iter().map(more)).collect();
    for (name, low, high) in ORDINARY {
        let function = all.iter_mut().find(|function| function.name == name).expect("one of them");
        (function.timed_low, function.timed_high) = (low, high);
    }
    all.sort_by_key(|function| function.name);
    all
}

impl Function {
    /// The name of what judges it among the functions of double precision.
    pub(crate) fn judge(&self) -> &'static str {
        if self.name == "lgamma_r" { "lgamma" } else { self.name }
    }

    /// How many units of the last place it may be off.
    pub(crate) fn limit(&self, element: Element) -> f64 {
        match element {
            Element::Float => limit(self.name, true),
            Element::Double => limit(self.name, false),
            Element::Half => {
                let row = half_cases::CASES.iter().find(|(name, ..)| *name == self.name);
                row.map_or(f64::INFINITY, |&(.., limit)| limit)
            }
        }
    }

    /// The function over arrays at a width, in OpenCL C: `Entry` in the tests of accuracy.
    fn source(&self, element: Element, width: usize) -> String {
        let (name, element) = (self.name, element.name());
        let value = match self.shape {
            Shape::One => load(width, "x"),
            Shape::Two => format!("{}, {}", load(width, "x"), load(width, "y")),
            Shape::Three => format!("{}, {}, {}", load(width, "x"), load(width, "y"), load(width, "z")),
            Shape::WithInteger => format!("{}, {}", load(width, "x"), load(width, "n")),
        };
        let (variable, second) = match self.pointer {
            "" => (String::new(), ""),
            "T" => (format!("{} t;", vector(element, width)), ", &t"),
            integer => (format!("{} t;", vector(integer, width)), ", &t"),
        };
        let stored = store(width, &format!("{name}({value}{second})"), "r");
        format!(
            "void {name}_{width}(const global {element} *x, const global {element} *y, const global {element} *z, \
             const global int *n, global {element} *r, ulong count) {{ \
             for (ulong i = 0; i < count; i += {width}) {{ {variable} {stored} }} }}\n"
        )
    }
}

/// x, y, z, n, the results, how many.
pub(crate) type Entry = unsafe extern "C" fn(*const u8, *const u8, *const u8, *const i32, *mut u8, u64);

/// All functions of a type at every width, compiled for this machine.
pub(crate) struct Compiled {
    program: Program,
}

impl Compiled {
    pub(crate) fn new(functions: &[Function], element: Element) -> Self {
        let mut source = String::from("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
        for function in functions {
            source.extend(WIDTHS.map(|width| function.source(element, width)));
        }
        Self { program: Program::new(&source, "native") }
    }

    /// A function at a width.
    pub(crate) fn entry(&self, function: &Function, width: usize) -> Entry {
        // SAFETY: `Entry` is the type that `Function::source` gives it.
        *unsafe { self.program.function::<Entry>(&format!("{}_{width}", function.name)) }
    }
}

/// A library that the C compiler makes of a text, with the flags that it needs.
pub(crate) struct Made {
    library: Library,
    _folder: TempDir,
}

impl Made {
    pub(crate) fn new(source: &str, flags: &[&str]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name).display().to_string();
        std::fs::write(path("made.c"), source).unwrap();
        let (from, to) = (path("made.c"), path("made.so"));
        let mut arguments = vec!["-O2", "-shared", "-fPIC", "-o", &to, &from];
        arguments.extend_from_slice(flags);
        run(Path::new("gcc"), &arguments);
        // SAFETY: the object was made a moment ago from functions without initialisers.
        let library = unsafe { Library::new(&to) }.unwrap();
        Self { library, _folder: folder }
    }

    /// A function of it, if it is there.
    ///
    /// # Safety
    /// `F` is a pointer to a function of the C type that the source gives it.
    pub(crate) unsafe fn function<F: Copy>(&self, name: &str) -> Option<F> {
        // SAFETY: the caller's clause.
        unsafe { self.library.get::<F>(name.as_bytes()) }.ok().map(|symbol| *symbol)
    }
}
