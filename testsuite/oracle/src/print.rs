//! Programs as OpenCL C.
//!
//! Expressions are in parentheses wherever a reader or a compiler could take them otherwise.

use std::fmt::Write as _;

use crate::ast::{
    AtomicOp, Binary, Collective, Combine, Expr, ExprKind, Extent, Function, Global, Init, Linkage, LoopForm,
    Program, Query, Stmt, StmtKind, SubGroupOp, Unary, Variable,
};
use crate::types::{Scalar, Space, Struct, Type};

impl Program {
    /// The program's text.
    #[must_use]
    pub fn text(&self) -> String {
        let mut printer = Printer { program: self, text: String::new() };
        printer.program();
        printer.text
    }
}

struct Printer<'p> {
    program: &'p Program,
    text: String,
}

/// A literal as OpenCL C writes it.
pub(crate) fn literal(scalar: Scalar, bits: u64) -> String {
    let value = scalar.integer(bits);
    match scalar {
        Scalar::Bool => if bits == 0 { "false" } else { "true" }.to_owned(),
        Scalar::Int if value == i128::from(i32::MIN) => "(-2147483647 - 1)".to_owned(),
        Scalar::Int if value < 0 => format!("({value})"),
        Scalar::Int => value.to_string(),
        Scalar::Uint => format!("{value}u"),
        Scalar::Long if value == i128::from(i64::MIN) => "(-9223372036854775807L - 1L)".to_owned(),
        Scalar::Long => format!("({value}L)"),
        Scalar::Ulong => format!("{value}UL"),
        Scalar::Half => format!("((half){:?}f)", scalar.real(bits) as f32),
        Scalar::Float => format!("({:?}f)", f32::from_bits(bits as u32)),
        Scalar::Double => format!("({:?})", f64::from_bits(bits)),
        small => format!("(({}){value})", small.name()),
    }
}

impl Printer<'_> {
    fn program(&mut self) {
        let (mut floats, mut halves) = (false, false);
        self.program.each_expr(&mut |_, expr| {
            floats |= expr.ty.element().is_some_and(Scalar::is_float);
            halves |= expr.ty.element() == Some(Scalar::Half);
        });
        if halves {
            self.text.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
        }
        if floats {
            self.text.push_str("#pragma OPENCL FP_CONTRACT OFF\n");
        }
        for structure in &self.program.structs {
            self.structure(structure);
        }
        for global in &self.program.globals {
            self.global(global);
        }
        for function in &self.program.functions {
            self.function(function);
        }
    }

    fn structure(&mut self, structure: &Struct) {
        let _ = writeln!(self.text, "typedef struct {{");
        for (name, ty) in &structure.fields {
            let field = self.declarator(ty, name, "");
            let _ = writeln!(self.text, "  {field};");
        }
        let _ = writeln!(self.text, "}} {};", structure.name);
    }

    fn global(&mut self, global: &Global) {
        let declared = self.declarator(&global.ty, &global.name, "");
        let scalar = scalar_of(&global.ty);
        let values: Vec<String> = global.values.iter().map(|bits| literal(scalar, *bits)).collect();
        let values = match global.ty {
            Type::Scalar(_) => values.join(", "),
            _ => format!("{{{}}}", values.join(", ")),
        };
        let _ = writeln!(self.text, "{}{declared} = {values};", global.space.prefix());
    }

    /// The name of a type that is no array.
    fn type_name(&self, ty: &Type) -> String {
        match ty {
            Type::Void => "void".to_owned(),
            Type::Scalar(scalar) => scalar.name().to_owned(),
            Type::Vector(scalar, lanes) => format!("{}{lanes}", scalar.name()),
            Type::Struct(number) => self.program.structs[*number].name.clone(),
            Type::Array(element, _) => self.type_name(element),
            Type::Pointer(space, pointee) => {
                format!("{}{} *", self.space_of_pointee(*space), self.type_name(pointee))
            }
        }
    }

    fn space_of_pointee(&self, space: Space) -> &'static str {
        let named = self.program.standard != "CL1.2" && !self.program.generic;
        if named && space == Space::Private { "private " } else { space.prefix() }
    }

    /// A declaration without a semicolon; `qualifier` stands between a pointer's star and the name.
    fn declarator(&self, ty: &Type, name: &str, qualifier: &str) -> String {
        match ty {
            Type::Array(element, count) => self.declarator(element, &format!("{name}[{count}]"), qualifier),
            Type::Pointer(..) => format!("{}{qualifier}{name}", self.type_name(ty)),
            _ => format!("{} {name}", self.type_name(ty)),
        }
    }

    fn variable(&self, variable: &Variable) -> String {
        let volatile = if variable.volatile { "volatile " } else { "" };
        let restrict = if variable.restrict { "restrict " } else { "" };
        if let (true, Type::Pointer(space, pointee)) = (variable.read_only, &variable.ty) {
            let pointee = self.type_name(pointee);
            let space = self.space_of_pointee(*space);
            return format!("{space}const {pointee} *{restrict}{}", variable.name);
        }
        let declared = self.declarator(&variable.ty, &variable.name, restrict);
        format!("{}{volatile}{declared}", variable.space.prefix())
    }

    fn function(&mut self, function: &Function) {
        let before = match function.linkage {
            Linkage::Plain => "",
            Linkage::StaticInline => "static inline ",
            Linkage::NoInline => "__attribute__((noinline)) ",
            Linkage::AlwaysInline => "static __attribute__((always_inline)) ",
            Linkage::Kernel => "kernel ",
        };
        let required = function.required.map_or(String::new(), |[x, y, z]| {
            format!("__attribute__((reqd_work_group_size({x}, {y}, {z}))) ")
        });
        let lanes = self.program.sub_group.filter(|_| function.is_kernel());
        let lanes = lanes
            .map_or(String::new(), |size| format!("__attribute__((intel_reqd_sub_group_size({size}))) "));
        let parameters: Vec<String> =
            function.variables[..function.parameters].iter().map(|v| self.variable(v)).collect();
        let (result, name) = (self.type_name(&function.result), &function.name);
        let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
        let _ = writeln!(self.text, "{before}{required}{lanes}{result} {name}({parameters}) {{");
        self.block(function, &function.body, 1);
        self.text.push_str("}\n");
    }

    fn line(&mut self, depth: usize, line: &str) {
        let _ = writeln!(self.text, "{:1$}{line}", "", 2 * depth);
    }

    fn block(&mut self, function: &Function, body: &[Stmt], depth: usize) {
        for stmt in body {
            self.stmt(function, stmt, depth);
        }
    }

    fn stmt(&mut self, function: &Function, stmt: &Stmt, depth: usize) {
        match &stmt.kind {
            StmtKind::Declare { .. } | StmtKind::Expr(_) => {
                let line = format!("{};", self.simple(function, stmt));
                self.line(depth, &line);
            }
            StmtKind::If { condition, then, otherwise } => {
                let condition = self.expr(function, condition);
                self.line(depth, &format!("if ({condition}) {{"));
                self.block(function, then, depth + 1);
                if !otherwise.is_empty() {
                    self.line(depth, "} else {");
                    self.block(function, otherwise, depth + 1);
                }
                self.line(depth, "}");
            }
            StmtKind::Loop { form, init, condition, step, body, unroll } => {
                let condition = condition.as_ref().map(|condition| self.expr(function, condition));
                let always = || condition.clone().unwrap_or_else(|| "1".to_owned());
                if *unroll {
                    self.line(depth, "#pragma unroll 2");
                }
                let (head, tail) = match form {
                    LoopForm::For => {
                        let init = init.as_ref().map_or(String::new(), |init| self.simple(function, init));
                        let step = step.as_ref().map_or(String::new(), |step| self.expr(function, step));
                        let condition = condition.unwrap_or_default();
                        (format!("for ({init}; {condition}; {step}) {{"), "}".to_owned())
                    }
                    LoopForm::While => (format!("while ({}) {{", always()), "}".to_owned()),
                    LoopForm::Do => ("do {".to_owned(), format!("}} while ({});", always())),
                };
                self.line(depth, &head);
                self.block(function, body, depth + 1);
                self.line(depth, &tail);
            }
            StmtKind::Switch { value, cases } => {
                let value = self.expr(function, value);
                self.line(depth, &format!("switch ({value}) {{"));
                for case in cases {
                    for label in &case.labels {
                        match label {
                            Some(label) => self.line(depth, &format!("case {label}:")),
                            None => self.line(depth, "default:"),
                        }
                    }
                    // In braces, for a declaration may not follow a label, nor be jumped over.
                    self.line(depth, "{");
                    self.block(function, &case.body, depth + 1);
                    self.line(depth, "}");
                }
                self.line(depth, "}");
            }
            StmtKind::Break => self.line(depth, "break;"),
            StmtKind::Continue => self.line(depth, "continue;"),
            StmtKind::Return(None) => self.line(depth, "return;"),
            StmtKind::Return(Some(value)) => {
                let line = format!("return {};", self.expr(function, value));
                self.line(depth, &line);
            }
            StmtKind::Block(body) => {
                self.line(depth, "{");
                self.block(function, body, depth + 1);
                self.line(depth, "}");
            }
            StmtKind::Barrier { local, global, new_name } => {
                let flags = match (local, global) {
                    (true, true) => "CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE",
                    (false, true) => "CLK_GLOBAL_MEM_FENCE",
                    _ => "CLK_LOCAL_MEM_FENCE",
                };
                let name = if *new_name { "work_group_barrier" } else { "barrier" };
                self.line(depth, &format!("{name}({flags});"));
            }
            StmtKind::Call { target, function: callee, arguments } => {
                let call = self.call(function, &self.program.functions[*callee].name, arguments);
                let line = match target {
                    Some(target) => format!("{} = {call};", function.variables[*target].name),
                    None => format!("{call};"),
                };
                self.line(depth, &line);
            }
            StmtKind::Collective { target, operation, arguments } => {
                let call = self.call(function, &collective(*operation), arguments);
                let line = format!("{} = {call};", function.variables[*target].name);
                self.line(depth, &line);
            }
            StmtKind::SubGroup { target, operation, arguments } => {
                let line = format!(
                    "{} = {};",
                    function.variables[*target].name,
                    self.sub_group(function, *operation, arguments)
                );
                self.line(depth, &line);
            }
            StmtKind::Copy { to, from, count, stride, meanwhile, event } => {
                let (name, stride) = match stride {
                    None => ("async_work_group_copy", String::new()),
                    Some(stride) => {
                        ("async_work_group_strided_copy", format!(", {}", self.expr(function, stride)))
                    }
                };
                let [to, from, count] = [to, from, count].map(|expr| self.expr(function, expr));
                self.line(depth, &format!("event_t {event} = {name}({to}, {from}, {count}{stride}, 0);"));
                self.block(function, meanwhile, depth);
                self.line(depth, &format!("wait_group_events(1, &{event});"));
            }
        }
    }

    /// A declaration or an expression without a semicolon.
    fn simple(&self, function: &Function, stmt: &Stmt) -> String {
        match &stmt.kind {
            StmtKind::Declare { variable, init } => {
                let declared = self.variable(&function.variables[*variable]);
                match init {
                    Init::None => declared,
                    Init::Value(value) => format!("{declared} = {}", self.expr(function, value)),
                    Init::List(values) => {
                        let values: Vec<String> = values.iter().map(|v| self.expr(function, v)).collect();
                        format!("{declared} = {{{}}}", values.join(", "))
                    }
                }
            }
            StmtKind::Expr(expr) => self.expr(function, expr),
            _ => String::new(),
        }
    }

    fn sub_group(&self, function: &Function, operation: SubGroupOp, arguments: &[Expr]) -> String {
        let call = |name: &str| self.call(function, name, arguments);
        // A work-item that is there, by a number that counts around.
        let numbered = |name: &str, ty: &str| {
            let [value, number] = arguments else { return call(name) };
            let (value, number) = (self.expr(function, value), self.expr(function, number));
            format!("{name}({value}, ({ty})((uint)({number}) % get_sub_group_size()))")
        };
        match operation {
            SubGroupOp::Uniform(extent, combine) => call(&combined("sub_group", extent, combine)),
            SubGroupOp::NonUniform(extent, combine) => {
                call(&combined("sub_group_non_uniform", extent, combine))
            }
            SubGroupOp::All => format!("{} != 0", call("sub_group_non_uniform_all")),
            SubGroupOp::Any => format!("{} != 0", call("sub_group_non_uniform_any")),
            SubGroupOp::AllEqual => format!("{} != 0", call("sub_group_non_uniform_all_equal")),
            SubGroupOp::Count => format!("sub_group_ballot_bit_count({})", call("sub_group_ballot")),
            SubGroupOp::Elect => format!("{} != 0", call("sub_group_elect")),
            SubGroupOp::BroadcastFirst => call("sub_group_broadcast_first"),
            SubGroupOp::Broadcast => numbered("sub_group_non_uniform_broadcast", "uint"),
            SubGroupOp::Shuffle => numbered("sub_group_shuffle", "uint"),
            SubGroupOp::Rotate => numbered("sub_group_rotate", "int"),
        }
    }

    fn call(&self, function: &Function, name: &str, arguments: &[Expr]) -> String {
        let arguments: Vec<String> = arguments.iter().map(|argument| self.expr(function, argument)).collect();
        format!("{name}({})", arguments.join(", "))
    }

    fn expr(&self, f: &Function, expr: &Expr) -> String {
        let show = |expr: &Expr| self.expr(f, expr);
        match &expr.kind {
            ExprKind::Literal(bits) => {
                let named = self
                    .program
                    .macros
                    .iter()
                    .find(|(_, value)| expr.ty == Type::INT && *value == *bits as i64);
                named.map_or_else(|| literal(scalar_of(&expr.ty), *bits), |(name, _)| name.clone())
            }
            ExprKind::Variable(variable) => f.variables[*variable].name.clone(),
            ExprKind::Global(global) => self.program.globals[*global].name.clone(),
            ExprKind::Field(base, field) => {
                let Type::Struct(number) = base.ty else { return String::new() };
                let name = &self.program.structs[number].fields[*field].0;
                match &base.kind {
                    ExprKind::Deref(pointer) => format!("{}->{name}", show(pointer)),
                    _ => format!("{}.{name}", show(base)),
                }
            }
            ExprKind::Index(base, index) => format!("{}[{}]", show(base), show(index)),
            ExprKind::Swizzle(base, parts) => format!("{}.{}", show(base), swizzle(base.ty.lanes(), parts)),
            ExprKind::Deref(pointer) => format!("(*{})", show(pointer)),
            ExprKind::AddressOf(place) => format!("(&{})", show(place)),
            ExprKind::Decay(array) => show(array),
            ExprKind::Offset(pointer, by) => format!("({} + {})", show(pointer), show(by)),
            ExprKind::Unary(operation, value) => {
                let operation = match operation {
                    Unary::Minus => "-",
                    Unary::Complement => "~",
                    Unary::Not => "!",
                };
                format!("({operation}{})", show(value))
            }
            ExprKind::Binary(operation, a, b) => format!("({} {} {})", show(a), binary(*operation), show(b)),
            ExprKind::AndAlso(a, b) => format!("({} && {})", show(a), show(b)),
            ExprKind::OrElse(a, b) => format!("({} || {})", show(a), show(b)),
            ExprKind::Conditional(c, a, b) => format!("({} ? {} : {})", show(c), show(a), show(b)),
            // A type in parentheses and what stands in parentheses behind it are one vector, whatever follows.
            ExprKind::Cast(value) if matches!(expr.ty, Type::Vector(..)) => {
                format!("(({})({}))", self.type_name(&expr.ty), show(value))
            }
            ExprKind::Cast(value) => format!("(({}){})", self.type_name(&expr.ty), show(value)),
            ExprKind::Compose(parts) => {
                let parts: Vec<String> = parts.iter().map(show).collect();
                format!("(({})({}))", self.type_name(&expr.ty), parts.join(", "))
            }
            ExprKind::Assign(place, value) => format!("({} = {})", show(place), show(value)),
            ExprKind::Compound(operation, place, value) => {
                format!("({} {}= {})", show(place), binary(*operation), show(value))
            }
            ExprKind::Step { up, prefix, place } => {
                let step = if *up { "++" } else { "--" };
                let place = show(place);
                if *prefix { format!("({step}{place})") } else { format!("({place}{step})") }
            }
            ExprKind::Call(callee, arguments) => {
                self.call(f, &self.program.functions[*callee].name, arguments)
            }
            ExprKind::Builtin(builtin, arguments) => self.call(f, builtin.name(), arguments),
            ExprKind::Item(query, dimension) => {
                let (name, takes) = item(*query);
                let dimension = if takes { dimension.to_string() } else { String::new() };
                format!("(({}){name}({dimension}))", self.type_name(&expr.ty))
            }
            ExprKind::Convert { saturate, rounding, value } => {
                let saturate = if *saturate { "_sat" } else { "" };
                format!("convert_{}{saturate}{rounding}({})", self.type_name(&expr.ty), show(value))
            }
            ExprKind::As(value) => format!("as_{}({})", self.type_name(&expr.ty), show(value)),
            ExprKind::LeadsTo(space, pointer) => {
                let name = match space {
                    Space::Local => "to_local",
                    Space::Global => "to_global",
                    Space::Private | Space::Constant | Space::Generic => "to_private",
                };
                format!("({name}({}) != 0)", show(pointer))
            }
            ExprKind::Load(offset, pointer) => {
                format!("vload{}({}, {})", expr.ty.lanes(), show(offset), show(pointer))
            }
            ExprKind::Store(value, offset, pointer) => {
                format!("vstore{}({}, {}, {})", value.ty.lanes(), show(value), show(offset), show(pointer))
            }
            ExprKind::Atomic { operation, place, operands, .. } => {
                let operands: String =
                    operands.iter().map(|operand| format!(", {}", show(operand))).collect();
                format!("{}({}{operands})", atomic(*operation), show(place))
            }
        }
    }
}

fn scalar_of(ty: &Type) -> Scalar {
    match ty {
        Type::Array(element, _) => scalar_of(element),
        other => other.element().unwrap_or(Scalar::Int),
    }
}

fn swizzle(lanes: usize, parts: &[u8]) -> String {
    const NAMES: [&str; 4] = ["x", "y", "z", "w"];
    if lanes <= 4 {
        return parts.iter().map(|part| NAMES[usize::from(*part) & 3]).collect();
    }
    let digits: String = parts.iter().map(|part| format!("{part:x}")).collect();
    format!("s{digits}")
}

pub(crate) fn binary(operation: Binary) -> &'static str {
    match operation {
        Binary::Add => "+",
        Binary::Sub => "-",
        Binary::Mul => "*",
        Binary::Div => "/",
        Binary::Rem => "%",
        Binary::And => "&",
        Binary::Or => "|",
        Binary::Xor => "^",
        Binary::Shl => "<<",
        Binary::Shr => ">>",
        Binary::Less => "<",
        Binary::LessEqual => "<=",
        Binary::Greater => ">",
        Binary::GreaterEqual => ">=",
        Binary::Equal => "==",
        Binary::NotEqual => "!=",
    }
}

/// The function's name, and whether it takes a dimension.
fn item(query: Query) -> (&'static str, bool) {
    match query {
        Query::GlobalId => ("get_global_id", true),
        Query::LocalId => ("get_local_id", true),
        Query::GroupId => ("get_group_id", true),
        Query::GlobalSize => ("get_global_size", true),
        Query::LocalSize => ("get_local_size", true),
        Query::EnqueuedLocalSize => ("get_enqueued_local_size", true),
        Query::NumGroups => ("get_num_groups", true),
        Query::Offset => ("get_global_offset", true),
        Query::WorkDim => ("get_work_dim", false),
        Query::GlobalLinear => ("get_global_linear_id", false),
        Query::LocalLinear => ("get_local_linear_id", false),
    }
}

fn atomic(operation: AtomicOp) -> &'static str {
    match operation {
        AtomicOp::Add => "atomic_add",
        AtomicOp::Sub => "atomic_sub",
        AtomicOp::Inc => "atomic_inc",
        AtomicOp::Dec => "atomic_dec",
        AtomicOp::And => "atomic_and",
        AtomicOp::Or => "atomic_or",
        AtomicOp::Xor => "atomic_xor",
        AtomicOp::Min => "atomic_min",
        AtomicOp::Max => "atomic_max",
        AtomicOp::Exchange => "atomic_xchg",
        AtomicOp::CompareExchange => "atomic_cmpxchg",
    }
}

/// The name of a function that combines numbers.
fn combined(start: &str, extent: Extent, combine: Combine) -> String {
    let extent = match extent {
        Extent::All => "reduce",
        Extent::Inclusive => "scan_inclusive",
        Extent::Exclusive => "scan_exclusive",
    };
    let combine = match combine {
        Combine::Add => "add",
        Combine::Mul => "mul",
        Combine::Min => "min",
        Combine::Max => "max",
        Combine::And => "and",
        Combine::Or => "or",
        Combine::Xor => "xor",
    };
    format!("{start}_{extent}_{combine}")
}

fn collective(operation: Collective) -> String {
    let name = match operation {
        Collective::Combined(extent, by) => return combined("work_group", extent, by),
        Collective::Broadcast => "work_group_broadcast",
        Collective::All => "work_group_all",
        Collective::Any => "work_group_any",
    };
    name.to_owned()
}

impl Space {
    /// Whether a group shares it.
    pub(crate) fn is_shared(self) -> bool {
        matches!(self, Self::Local | Self::Global)
    }
}
