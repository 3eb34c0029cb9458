//! Random programs from a seed.
//!
//! What is made here is of the right types and mostly legal; [`mod@crate::mend`] mends what the evaluator refuses. A
//! statement is made for a place ([`Here`]) that says whether the whole group comes to it, so that barriers may stand
//! there. Conditions before barriers are the same for the group by their form, or look as if they were not.

mod condition;
mod exchange;
mod float;
mod generic;
mod helper;
mod integer;
mod kernel;
mod launch;
mod private;
mod repeat;
mod statement;
mod sub_group;
mod vector;

use crate::ast::{Expr, ExprKind, Program, Variable};
use crate::random::Random;
use crate::types::{Scalar, Space, Struct, Type};

/// Names that mean something to a C library or a linker, and are free in OpenCL C.
const AWKWARD: &[&str] = &[
    "free",
    "malloc",
    "memcpy",
    "memset",
    "memmove",
    "aligned_alloc",
    "abort",
    "exit",
    "index",
    "strlen",
    "read",
    "write",
    "puts",
    "y0",
    "j1",
    "gamma",
    "bcmp",
    "calloc",
    "realloc",
    "main0",
    "div",
    "labs",
    "signal",
    "stdout",
    "environ",
    "sqrtf",
    "fmaf",
    "floorf",
    "memcmp",
    "roundevenf",
    "barrier_",
    "work",
    "kernel_main",
    "group_id",
];

/// What a program is about: the share of each kind of statement and expression, drawn for each program.
#[derive(Debug, Clone, Copy)]
struct Theme {
    barriers: u32,
    vectors: u32,
    structs: u32,
    arrays: u32,
    floats: u32,
    doubles: bool,
    halves: bool,
    atomics: u32,
    collectives: u32,
    sub_groups: u32,
    generics: u32,
    copies: u32,
    pointers: u32,
    calls: u32,
    small_types: u32,
    long_types: u32,
}

/// A variable in scope.
#[derive(Debug, Clone)]
struct Known {
    variable: usize,
    /// All items of the group have the same value.
    uniform: bool,
    assignable: bool,
    /// It was given a value.
    ready: bool,
}

/// Where a statement stands.
#[derive(Debug, Clone, Copy)]
struct Here {
    /// The whole group comes here.
    together: bool,
    /// Loops and branches around.
    depth: u32,
    in_loop: bool,
    /// In a `switch` that is in no further loop.
    in_switch: bool,
    /// The loop around counts down to its end in its body, so that `continue` may stand in it.
    may_continue: bool,
    may_return: bool,
}

/// Memory that the items of a group share, one element for each.
#[derive(Debug, Clone, Copy)]
struct Tile {
    variable: usize,
    scalar: Scalar,
}

/// A buffer.
#[derive(Debug, Clone, Copy)]
struct Source {
    variable: usize,
    scalar: Scalar,
    length: u32,
    /// All its elements are from 0 to 255.
    small: bool,
}

/// The function that is made.
#[derive(Debug, Default)]
struct Scope {
    variables: Vec<Variable>,
    known: Vec<Known>,
    tiles: Vec<Tile>,
    sources: Vec<Source>,
    /// Local memory for one value of the group.
    shared: Option<usize>,
    /// Counters of atomic operations.
    counters: Option<usize>,
    /// Local memory of which each work-item has elements of its own.
    own_local: Option<usize>,
    out: Option<Output>,
    ids: Option<Ids>,
    result: Option<Type>,
}

#[derive(Debug, Clone, Copy)]
struct Output {
    variable: usize,
    scalar: Scalar,
    /// Elements of each item.
    each: u32,
}

/// Variables with a work-item's ids and its group's size.
#[derive(Debug, Clone, Copy)]
struct Ids {
    global: usize,
    local: usize,
    size: usize,
}

/// A helper that expressions or statements may call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Use {
    /// Scalars in, a scalar out, no effects.
    Pure,
    /// The first parameters are pointers to arrays of at least four.
    Pointers,
    /// Takes and gives a structure.
    Structs,
    /// Met by the whole group: a tile, the local id, the group's size, a scalar.
    Together,
    /// Writes a scalar to the place in global memory that its pointer leads to.
    Writes,
}

#[derive(Debug, Clone, Copy)]
struct Helper {
    function: usize,
    use_: Use,
}

struct Maker {
    random: Random,
    program: Program,
    theme: Theme,
    scope: Scope,
    helpers: Vec<Helper>,
    names: u32,
    /// How many more statements the function may get.
    budget: u32,
}

/// The program of a seed, as it is first made: the evaluator may refuse it.
pub(crate) fn draft(seed: u64) -> Program {
    let mut random = Random::new(seed);
    let mut theme = Theme::random(&mut random);
    // Drawn apart, so that programs without halves are what their seeds have always meant.
    theme.halves = theme.floats > 0 && Random::new(!seed).chance(40);
    let standard = random.pick(&["CL1.2", "CL1.2", "CL2.0", "CL3.0", "CL3.0"]);
    // Drawn apart as well.
    let mut apart = Random::new(seed.rotate_left(32) ^ 0x5ab6_0009);
    let sub_group = (standard == "CL3.0" && apart.chance(60)).then(|| apart.pick(&[4, 8, 8, 16, 32]));
    if sub_group.is_some() {
        theme.sub_groups = apart.between(3, 10) as u32;
    }
    let unqualified = standard != "CL1.2" && random.chance(25);
    // Drawn apart as well.
    let mut apart = Random::new(seed.rotate_left(17) ^ 0x6e6e_7261);
    if standard != "CL1.2" && apart.chance(30) {
        theme.generics = apart.between(2, 8) as u32;
    }
    let generic = unqualified || theme.generics > 0;
    let program = Program {
        structs: vec![],
        globals: vec![],
        functions: vec![],
        launches: vec![],
        standard,
        macros: vec![],
        generic,
        sub_group,
    };
    let scope = Scope::default();
    let mut maker = Maker { random, program, theme, scope, helpers: vec![], names: 0, budget: 0 };
    maker.make();
    maker.program.number();
    maker.program
}

impl Theme {
    fn random(random: &mut Random) -> Self {
        let mut share = |percent: u64, most: u64| {
            if random.chance(percent) { random.between(1, most) as u32 } else { 0 }
        };
        Self {
            barriers: share(85, 12),
            vectors: share(45, 8),
            structs: share(30, 6),
            arrays: share(60, 8),
            floats: share(25, 8),
            doubles: share(14, 1) == 1,
            halves: false,
            atomics: share(35, 5),
            collectives: share(40, 6),
            sub_groups: 0,
            generics: 0,
            copies: share(20, 4),
            pointers: share(35, 5),
            calls: share(60, 6),
            small_types: share(50, 6),
            long_types: share(45, 6),
        }
    }
}

impl Maker {
    fn make(&mut self) {
        if self.random.chance(30) {
            for number in 0..self.random.between(1, 2) {
                let value = if self.random.chance(80) { self.random.between(9, 90) as i64 } else { -7 };
                self.program.macros.push((format!("Q{number}"), value));
            }
        }
        if self.theme.structs > 0 {
            self.structure();
        }
        self.program_variables();
        let helpers = if self.theme.calls > 0 { self.random.between(1, 3) } else { 0 };
        for _ in 0..helpers {
            self.helper();
        }
        let kernels = self.random.pick(&[1, 1, 1, 1, 2, 2, 3]);
        for number in 0..kernels {
            self.kernel(number);
        }
        self.launches();
    }

    fn is_new(&self) -> bool {
        self.program.standard != "CL1.2"
    }

    fn structure(&mut self) {
        let pool = [
            Type::INT,
            Type::Scalar(Scalar::Uchar),
            Type::Array(Box::new(Type::INT), 3),
            Type::Scalar(Scalar::Short),
            Type::Vector(Scalar::Int, 4),
            Type::Scalar(Scalar::Long),
            Type::UINT,
            Type::Vector(Scalar::Uchar, 3),
            Type::Scalar(Scalar::Bool),
        ];
        let count = self.random.between(2, 5);
        let mut fields = vec![("a".to_owned(), Type::INT)];
        for index in 0..count {
            fields.push((format!("{}", (b'b' + index as u8) as char), self.random.pick(&pool)));
        }
        let name = self.random.pick(&["S", "S", "pair_t", "image_info_t", "sampler_data", "event_record"]);
        self.program.structs.push(Struct { name: name.to_owned(), fields });
    }

    fn name(&mut self, prefix: &str) -> String {
        self.names += 1;
        format!("{prefix}{}", self.names)
    }

    /// A new variable of the function.
    fn variable(&mut self, prefix: &str, ty: Type, space: Space) -> usize {
        let name = self.name(prefix);
        let variable = Variable { name, ty, space, restrict: false, read_only: false, volatile: false };
        self.scope.variables.push(variable);
        self.scope.variables.len() - 1
    }

    fn of(&self, variable: usize) -> Expr {
        Expr::new(self.scope.variables[variable].ty.clone(), ExprKind::Variable(variable))
    }

    /// The element of an array or of what a pointer points to.
    fn element(&self, base: Expr, index: Expr) -> Expr {
        let ty = match &base.ty {
            Type::Array(element, _) | Type::Pointer(_, element) => (**element).clone(),
            other => other.clone(),
        };
        Expr::new(ty, ExprKind::Index(base.boxed(), index.boxed()))
    }

    /// Variables in scope that fulfil a condition.
    fn those(&self, condition: impl Fn(&Known, &Variable) -> bool) -> Vec<Known> {
        let fits = |known: &&Known| condition(known, &self.scope.variables[known.variable]);
        self.scope.known.iter().filter(fits).cloned().collect()
    }

    fn know(&mut self, variable: usize, uniform: bool, assignable: bool) {
        self.scope.known.push(Known { variable, uniform, assignable, ready: true });
    }

    /// An integer type, as the theme has it.
    fn integer_type(&mut self) -> Scalar {
        let weights =
            [8, 3, self.theme.small_types, self.theme.long_types, u32::from(self.theme.small_types > 2)];
        match self.random.weighted(&weights) {
            0 => Scalar::Int,
            1 => Scalar::Uint,
            2 => self.random.pick(&[Scalar::Char, Scalar::Uchar, Scalar::Short, Scalar::Ushort]),
            3 => self.random.pick(&[Scalar::Long, Scalar::Ulong]),
            _ => Scalar::Bool,
        }
    }
}
