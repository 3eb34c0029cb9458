//! Programs as trees, with their launches. Plain data: what a tree means is in [`mod@crate::evaluate`].
//!
//! Every expression carries its type, every node a number; [`Program::number`] numbers them in the order of the text, so
//! that the evaluator can say where a program is wrong.

use crate::half;
use crate::types::{Scalar, Space, Struct, Type};

/// A program with the launches that it is tried with.
#[derive(Debug, Clone)]
pub struct Program {
    /// Structures.
    pub structs: Vec<Struct>,
    /// Variables of program scope.
    pub globals: Vec<Global>,
    /// Helpers and kernels; a function calls those before it.
    pub functions: Vec<Function>,
    /// Launches, one after another.
    pub launches: Vec<Launch>,
    /// The version of OpenCL C, as `-cl-std=` takes it.
    pub standard: &'static str,
    /// Macros that the build options define, and their values: literals of these values are written as their names.
    pub macros: Vec<(String, i64)>,
    /// Private pointers are written without their address space, and so are generic where the version has that.
    pub generic: bool,
    /// The size of sub-groups that its kernels ask for.
    pub sub_group: Option<u32>,
}

/// A variable of program scope.
#[derive(Debug, Clone)]
#[expect(missing_docs, reason = "the parts of a declaration")]
pub struct Global {
    pub name: String,
    pub ty: Type,
    pub space: Space,
    /// Scalars of the initialiser.
    pub values: Vec<u64>,
}

/// How a helper is declared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Linkage {
    Plain,
    StaticInline,
    NoInline,
    AlwaysInline,
    Kernel,
}

/// A helper or a kernel.
#[derive(Debug, Clone)]
pub struct Function {
    /// Its name.
    pub name: String,
    pub(crate) linkage: Linkage,
    /// Its variables; the first [`Self::parameters`] of them are parameters.
    pub(crate) variables: Vec<Variable>,
    pub(crate) parameters: usize,
    pub(crate) result: Type,
    pub(crate) body: Vec<Stmt>,
    /// `reqd_work_group_size`, where given.
    pub(crate) required: Option<[u32; 3]>,
}

/// A parameter or a variable of a function.
#[derive(Debug, Clone)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) ty: Type,
    /// Private or local.
    pub(crate) space: Space,
    pub(crate) restrict: bool,
    /// A pointer through which nothing is written.
    pub(crate) read_only: bool,
    pub(crate) volatile: bool,
}

/// A statement.
#[derive(Debug, Clone)]
pub(crate) struct Stmt {
    pub(crate) id: u32,
    pub(crate) kind: StmtKind,
}

/// How a loop is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LoopForm {
    For,
    While,
    Do,
}

/// Operations of a work-group on a value of each work-item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Collective {
    Combined(Extent, Combine),
    Broadcast,
    All,
    Any,
}

/// How the numbers of a group or a sub-group become one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Combine {
    Add,
    Mul,
    Min,
    Max,
    And,
    Or,
    Xor,
}

/// Which of the numbers a work-item gets combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    All,
    Inclusive,
    Exclusive,
}

/// Operations of those work-items of a sub-group that come by together, on a value of each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SubGroupOp {
    /// Of the whole sub-group.
    Uniform(Extent, Combine),
    /// Of those who come by.
    NonUniform(Extent, Combine),
    All,
    Any,
    AllEqual,
    /// How many say so.
    Count,
    Elect,
    BroadcastFirst,
    /// The value of a work-item by its number; numbers count around the sub-group, all of which must be there.
    Broadcast,
    Shuffle,
    /// The value of the one so much further on, around the sub-group.
    Rotate,
}

#[derive(Debug, Clone)]
pub(crate) enum StmtKind {
    /// A declaration, with the scalars or members of an initialiser or one expression.
    Declare {
        variable: usize,
        init: Init,
    },
    Expr(Expr),
    If {
        condition: Expr,
        then: Vec<Stmt>,
        otherwise: Vec<Stmt>,
    },
    /// `init` and `step` only where the form is `For`; a missing condition is true.
    Loop {
        form: LoopForm,
        init: Option<Box<Stmt>>,
        condition: Option<Expr>,
        step: Option<Expr>,
        body: Vec<Stmt>,
        unroll: bool,
    },
    Switch {
        value: Expr,
        cases: Vec<Case>,
    },
    Break,
    Continue,
    Return(Option<Expr>),
    Block(Vec<Stmt>),
    /// `barrier` or `work_group_barrier`.
    Barrier {
        local: bool,
        global: bool,
        new_name: bool,
    },
    /// A call that all work-items make together: the function may hold barriers.
    Call {
        target: Option<usize>,
        function: usize,
        arguments: Vec<Expr>,
    },
    Collective {
        target: usize,
        operation: Collective,
        arguments: Vec<Expr>,
    },
    SubGroup {
        target: usize,
        operation: SubGroupOp,
        arguments: Vec<Expr>,
    },
    /// A copy by the group, what runs meanwhile, and the wait for its end.
    Copy {
        to: Expr,
        from: Expr,
        count: Expr,
        stride: Option<Expr>,
        meanwhile: Vec<Stmt>,
        event: String,
    },
}

#[derive(Debug, Clone)]
pub(crate) enum Init {
    None,
    Value(Expr),
    /// Elements or members; those that are missing are zero.
    List(Vec<Expr>),
}

/// A part of a `switch`; it falls through to the next unless it breaks.
#[derive(Debug, Clone)]
pub(crate) struct Case {
    /// Values; `None` is `default`.
    pub(crate) labels: Vec<Option<i64>>,
    pub(crate) body: Vec<Stmt>,
}

/// An expression.
#[derive(Debug, Clone)]
pub(crate) struct Expr {
    pub(crate) id: u32,
    pub(crate) ty: Type,
    pub(crate) kind: ExprKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unary {
    Minus,
    Complement,
    Not,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Binary {
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    And,
    Or,
    Xor,
    Shl,
    Shr,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
}

/// What a work-item asks about itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Query {
    GlobalId,
    LocalId,
    GroupId,
    GlobalSize,
    LocalSize,
    EnqueuedLocalSize,
    NumGroups,
    Offset,
    WorkDim,
    GlobalLinear,
    LocalLinear,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Add,
    Sub,
    Inc,
    Dec,
    And,
    Or,
    Xor,
    Min,
    Max,
    Exchange,
    CompareExchange,
}

#[derive(Debug, Clone)]
pub(crate) enum ExprKind {
    Literal(u64),
    Variable(usize),
    Global(usize),
    Field(Box<Expr>, usize),
    Index(Box<Expr>, Box<Expr>),
    Swizzle(Box<Expr>, Vec<u8>),
    Deref(Box<Expr>),
    AddressOf(Box<Expr>),
    /// An array as the pointer to its first element.
    Decay(Box<Expr>),
    /// A pointer plus a number of elements.
    Offset(Box<Expr>, Box<Expr>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    AndAlso(Box<Expr>, Box<Expr>),
    OrElse(Box<Expr>, Box<Expr>),
    Conditional(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Box<Expr>),
    /// A vector from parts.
    Compose(Vec<Expr>),
    Assign(Box<Expr>, Box<Expr>),
    Compound(Binary, Box<Expr>, Box<Expr>),
    Step {
        up: bool,
        prefix: bool,
        place: Box<Expr>,
    },
    Call(usize, Vec<Expr>),
    Builtin(Builtin, Vec<Expr>),
    Item(Query, u8),
    Convert {
        saturate: bool,
        rounding: &'static str,
        value: Box<Expr>,
    },
    As(Box<Expr>),
    /// Whether a generic pointer leads to this memory: `to_local(p) != 0`.
    LeadsTo(Space, Box<Expr>),
    Load(Box<Expr>, Box<Expr>),
    Store(Box<Expr>, Box<Expr>, Box<Expr>),
    /// An atomic operation on what a pointer points to; `used` says whether the old value counts.
    Atomic {
        operation: AtomicOp,
        place: Box<Expr>,
        operands: Vec<Expr>,
        used: bool,
    },
}

macro_rules! builtins {
    ($($variant:ident $name:literal $family:ident $count:literal,)*) => {
        /// Functions of the library that work on scalars and vectors.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum Builtin { $($variant,)* }
        impl Builtin {
            pub(crate) const EVERY: &'static [Self] = &[$(Self::$variant,)*];
            pub(crate) fn name(self) -> &'static str {
                match self { $(Self::$variant => $name,)* }
            }
            pub(crate) fn family(self) -> Family {
                match self { $(Self::$variant => Family::$family,)* }
            }
            pub(crate) fn arguments(self) -> usize {
                match self { $(Self::$variant => $count,)* }
            }
        }
    };
}

/// Which types a function of the library takes and gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Integers, all of one type, which is the result's.
    Integer,
    /// Integers of one type; the result is unsigned.
    Absolute,
    /// `int` and `uint`.
    Short24,
    /// A high part and an unsigned low part; the result is wider.
    Upsample,
    /// Floats, all of one type.
    Float,
    /// Two values of one type and an integer mask of its width.
    Select,
    /// Three values of one type.
    BitSelect,
    /// A signed integer vector; the result is `int`.
    Truth,
    /// Floats; the result is an integer.
    Compare,
    /// A vector and a mask of unsigned integers.
    Shuffle,
    /// Two vectors and a mask.
    Shuffle2,
}

builtins! {
    Abs "abs" Absolute 1,
    AbsDiff "abs_diff" Absolute 2,
    AddSat "add_sat" Integer 2,
    SubSat "sub_sat" Integer 2,
    Hadd "hadd" Integer 2,
    Rhadd "rhadd" Integer 2,
    Clamp "clamp" Integer 3,
    Clz "clz" Integer 1,
    Ctz "ctz" Integer 1,
    MadHi "mad_hi" Integer 3,
    MadSat "mad_sat" Integer 3,
    Max "max" Integer 2,
    Min "min" Integer 2,
    MulHi "mul_hi" Integer 2,
    Rotate "rotate" Integer 2,
    Popcount "popcount" Integer 1,
    Mad24 "mad24" Short24 3,
    Mul24 "mul24" Short24 2,
    Upsample "upsample" Upsample 2,
    Fabs "fabs" Float 1,
    Fmin "fmin" Float 2,
    Fmax "fmax" Float 2,
    Floor "floor" Float 1,
    Ceil "ceil" Float 1,
    Trunc "trunc" Float 1,
    Rint "rint" Float 1,
    Round "round" Float 1,
    Fma "fma" Float 3,
    Copysign "copysign" Float 2,
    Select "select" Select 3,
    BitSelect "bitselect" BitSelect 3,
    Any "any" Truth 1,
    All "all" Truth 1,
    IsEqual "isequal" Compare 2,
    IsNotEqual "isnotequal" Compare 2,
    IsLess "isless" Compare 2,
    IsGreaterEqual "isgreaterequal" Compare 2,
    Shuffle "shuffle" Shuffle 2,
    Shuffle2 "shuffle2" Shuffle2 3,
}

/// A launch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Launch {
    /// Number of the kernel among the functions.
    pub kernel: usize,
    /// Global size; its length is the number of dimensions.
    pub global: Vec<u32>,
    /// Local size.
    pub local: Vec<u32>,
    /// Offset; empty where there is none.
    pub offset: Vec<u32>,
    /// One for each parameter of the kernel.
    pub arguments: Vec<Argument>,
}

/// The value of a kernel's argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Argument {
    /// A buffer with these contents.
    Buffer(Scalar, Vec<u64>),
    /// A scalar or vector by value.
    Value(Scalar, Vec<u64>),
    /// So many bytes of local memory.
    Local(u32),
}

impl Expr {
    pub(crate) fn new(ty: Type, kind: ExprKind) -> Self {
        Self { id: 0, ty, kind }
    }

    pub(crate) fn boxed(self) -> Box<Self> {
        Box::new(self)
    }

    pub(crate) fn literal(scalar: Scalar, value: i128) -> Self {
        let bits = match scalar {
            Scalar::Half => u64::from(half::rounded(value as f64).unwrap_or_default()),
            Scalar::Float => u64::from((value as f32).to_bits()),
            Scalar::Double => (value as f64).to_bits(),
            _ => scalar.wrap(value),
        };
        Self::new(Type::Scalar(scalar), ExprKind::Literal(bits))
    }

    pub(crate) fn int(value: i32) -> Self {
        Self::literal(Scalar::Int, i128::from(value))
    }

    pub(crate) fn cast(self, ty: Type) -> Self {
        if self.ty == ty { self } else { Self::new(ty, ExprKind::Cast(self.boxed())) }
    }

    /// A value of a scalar or vector type that no computation is needed for.
    pub(crate) fn constant(ty: &Type, value: i128) -> Option<Self> {
        match ty {
            Type::Scalar(scalar) => Some(Self::literal(*scalar, value)),
            Type::Vector(scalar, _) => Some(Self::literal(*scalar, value).cast(ty.clone())),
            _ => None,
        }
    }

    /// The type of a binary operation on these operands, scalars or vectors of one width.
    pub(crate) fn binary_type(operation: Binary, a: &Type, b: &Type) -> Type {
        let compares = matches!(
            operation,
            Binary::Less
                | Binary::LessEqual
                | Binary::Greater
                | Binary::GreaterEqual
                | Binary::Equal
                | Binary::NotEqual
        );
        match (a, b) {
            (Type::Vector(scalar, lanes), _) | (_, Type::Vector(scalar, lanes)) => {
                Type::Vector(if compares { scalar.signed() } else { *scalar }, *lanes)
            }
            (Type::Scalar(a), Type::Scalar(b)) => match operation {
                _ if compares => Type::INT,
                Binary::Shl | Binary::Shr => Type::Scalar(a.promoted()),
                _ => Type::Scalar(a.common(*b)),
            },
            _ => Type::INT,
        }
    }

    pub(crate) fn binary(operation: Binary, a: Self, b: Self) -> Self {
        let ty = Self::binary_type(operation, &a.ty, &b.ty);
        Self::new(ty, ExprKind::Binary(operation, a.boxed(), b.boxed()))
    }

    pub(crate) fn assign(place: Self, value: Self) -> Self {
        Self::new(place.ty.clone(), ExprKind::Assign(place.boxed(), value.boxed()))
    }

    /// Whether it names an object.
    pub(crate) fn is_place(&self) -> bool {
        match &self.kind {
            ExprKind::Variable(_) | ExprKind::Global(_) | ExprKind::Index(..) | ExprKind::Deref(_) => true,
            ExprKind::Field(base, _) | ExprKind::Swizzle(base, _) => base.is_place(),
            _ => false,
        }
    }
}

impl Stmt {
    pub(crate) fn new(kind: StmtKind) -> Self {
        Self { id: 0, kind }
    }

    pub(crate) fn expr(expr: Expr) -> Self {
        Self::new(StmtKind::Expr(expr))
    }
}

impl Function {
    /// Whether it is a kernel.
    #[must_use]
    pub fn is_kernel(&self) -> bool {
        self.linkage == Linkage::Kernel
    }

    /// The names of its parameters.
    #[must_use]
    pub fn parameter_names(&self) -> Vec<&str> {
        self.variables[..self.parameters].iter().map(|variable| variable.name.as_str()).collect()
    }
}

impl Program {
    /// The build options.
    #[must_use]
    pub fn options(&self) -> String {
        let macros: String = self.macros.iter().map(|(name, value)| format!(" -D{name}={value}")).collect();
        format!("-cl-std={}{macros}", self.standard)
    }

    /// Whether it asks which memory generic pointers lead to.
    #[must_use]
    pub fn asks_spaces(&self) -> bool {
        let mut found = false;
        self.each_expr(&mut |_, expr| found |= matches!(expr.kind, ExprKind::LeadsTo(..)));
        found
    }

    /// Whether it has 64-bit floats.
    #[must_use]
    pub fn has_doubles(&self) -> bool {
        let mut found = false;
        self.each_expr(&mut |_, expr| found |= expr.ty.element() == Some(Scalar::Double));
        found
    }
}
