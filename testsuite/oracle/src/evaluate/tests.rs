//! Small programs by hand: what they compute, and which of them are refused.

use super::{Why, evaluate};
use crate::ast::{
    Argument, AtomicOp, Binary, Case, Expr, ExprKind, Function, Init, Launch, Linkage, LoopForm, Program,
    Query, Stmt, StmtKind, Variable,
};
use crate::types::{Scalar, Space, Type};

const OUT: usize = 0;
const TILE: usize = 1;
const X: usize = 2;
const I: usize = 3;

fn int(value: i32) -> Expr {
    Expr::int(value)
}

fn id() -> Expr {
    Expr::new(Type::INT, ExprKind::Item(Query::LocalId, 0))
}

fn variable(number: usize) -> Expr {
    let ty = match number {
        OUT => Type::INT.pointer(Space::Global),
        TILE => Type::INT.pointer(Space::Local),
        _ => Type::INT,
    };
    Expr::new(ty, ExprKind::Variable(number))
}

fn at(base: usize, index: Expr) -> Expr {
    Expr::new(Type::INT, ExprKind::Index(variable(base).boxed(), index.boxed()))
}

fn set(place: Expr, value: Expr) -> Stmt {
    Stmt::expr(Expr::assign(place, value))
}

fn declare(number: usize, value: i32) -> Stmt {
    Stmt::new(StmtKind::Declare { variable: number, init: Init::Value(int(value)) })
}

fn barrier() -> Stmt {
    Stmt::new(StmtKind::Barrier { local: true, global: false, new_name: false })
}

fn when(condition: Expr, then: Vec<Stmt>) -> Stmt {
    Stmt::new(StmtKind::If { condition, then, otherwise: vec![] })
}

fn counted(to: i32, body: Vec<Stmt>) -> Stmt {
    let step = Expr::new(Type::INT, ExprKind::Step { up: true, prefix: true, place: variable(I).boxed() });
    Stmt::new(StmtKind::Loop {
        form: LoopForm::For,
        init: Some(Box::new(declare(I, 0))),
        condition: Some(Expr::binary(Binary::Less, variable(I), int(to))),
        step: Some(step),
        body,
        unroll: false,
    })
}

/// A kernel of four work-items in one group, with an output of four and a tile of four.
fn program(body: Vec<Stmt>) -> Program {
    let parameter = |name: &str, ty: Type| Variable {
        name: name.to_owned(),
        ty,
        space: Space::Private,
        restrict: false,
        read_only: false,
        volatile: false,
    };
    let variables = vec![
        parameter("out", Type::INT.pointer(Space::Global)),
        parameter("tile", Type::INT.pointer(Space::Local)),
        parameter("x", Type::INT),
        parameter("i", Type::INT),
    ];
    let kernel = Function {
        name: "k".to_owned(),
        linkage: Linkage::Kernel,
        variables,
        parameters: 2,
        result: Type::Void,
        body,
        required: None,
    };
    let launch = Launch {
        kernel: 0,
        global: vec![4],
        local: vec![4],
        offset: vec![],
        arguments: vec![Argument::Buffer(Scalar::Int, vec![9; 4]), Argument::Local(16)],
    };
    let mut program = Program {
        structs: vec![],
        globals: vec![],
        functions: vec![kernel],
        launches: vec![launch],
        standard: "CL1.2",
        macros: vec![],
        generic: false,
        sub_group: None,
    };
    program.number();
    program
}

fn results(body: Vec<Stmt>) -> Vec<i32> {
    let outcome = evaluate(&program(body)).unwrap();
    outcome.buffers[0][0].chunks(4).map(|b| i32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn refused(body: Vec<Stmt>) -> Why {
    evaluate(&program(body)).unwrap_err().why
}

#[test]
fn each_item_leaves_a_loop_in_its_own_round() {
    let leave = when(
        Expr::binary(Binary::Equal, variable(I), id()),
        vec![set(variable(X), Expr::binary(Binary::Mul, variable(I), int(10))), Stmt::new(StmtKind::Break)],
    );
    let body = vec![declare(X, -1), counted(3, vec![leave]), barrier(), set(at(OUT, id()), variable(X))];
    assert_eq!(results(body), [0, 10, 20, -1]);
}

#[test]
fn a_switch_falls_through_and_continue_leaves_it() {
    let add = |by: i32| {
        let sum = ExprKind::Compound(Binary::Add, variable(X).boxed(), int(by).boxed());
        Stmt::expr(Expr::new(Type::INT, sum))
    };
    let cases = vec![
        Case { labels: vec![Some(0)], body: vec![add(1)] },
        Case { labels: vec![None], body: vec![add(10), Stmt::new(StmtKind::Continue)] },
        Case { labels: vec![Some(2)], body: vec![add(100), Stmt::new(StmtKind::Break)] },
    ];
    let switch = Stmt::new(StmtKind::Switch { value: id(), cases });
    let body = vec![declare(X, 0), counted(2, vec![switch, add(1000)]), set(at(OUT, id()), variable(X))];
    assert_eq!(results(body), [22, 20, 2200, 20]);
}

#[test]
fn neighbours_are_read_behind_a_barrier_only() {
    let mine = set(at(TILE, id()), Expr::binary(Binary::Mul, id(), int(3)));
    let other = Expr::binary(Binary::Xor, id(), int(1));
    let read = set(at(OUT, id()), at(TILE, other));
    assert_eq!(results(vec![mine.clone(), barrier(), read.clone()]), [3, 0, 9, 6]);
    let unordered = Stmt::new(StmtKind::Barrier { local: false, global: true, new_name: false });
    assert_eq!(refused(vec![mine.clone(), unordered, read.clone()]), Why::Race);
    assert_eq!(refused(vec![mine.clone(), read.clone()]), Why::Race);
    // Written again before all have read.
    assert_eq!(refused(vec![mine.clone(), barrier(), read, mine]), Why::Race);
}

#[test]
fn barriers_are_for_all() {
    assert_eq!(refused(vec![when(id(), vec![barrier()])]), Why::Divergence);
    let leave = when(id(), vec![Stmt::new(StmtKind::Return(None))]);
    assert_eq!(refused(vec![leave, barrier()]), Why::Divergence);
    // In the same place, but not in the same round.
    let skip = when(Expr::binary(Binary::Equal, variable(I), id()), vec![Stmt::new(StmtKind::Continue)]);
    assert_eq!(refused(vec![counted(4, vec![skip, barrier()])]), Why::Divergence);
    let never = Expr::binary(Binary::Greater, id(), int(7));
    results(vec![when(never, vec![Stmt::new(StmtKind::Return(None))]), barrier()]);
}

#[test]
fn what_has_no_result_is_refused() {
    let large = int(i32::MAX);
    let sum = Expr::binary(Binary::Add, large, id());
    assert_eq!(refused(vec![set(at(OUT, id()), sum)]), Why::Overflow);
    assert_eq!(refused(vec![set(at(OUT, id()), Expr::binary(Binary::Div, int(1), id()))]), Why::DivideByZero);
    let beyond = Expr::binary(Binary::Add, id(), int(1));
    assert_eq!(refused(vec![set(at(OUT, beyond), int(1))]), Why::OutOfBounds(4));
    let late = Stmt::new(StmtKind::Declare { variable: X, init: Init::None });
    assert_eq!(refused(vec![late, set(at(OUT, id()), variable(X))]), Why::Uninitialised);
    assert_eq!(refused(vec![set(at(OUT, id()), at(TILE, id()))]), Why::Uninitialised);
    assert_eq!(refused(vec![set(at(OUT, int(0)), id())]), Why::Race);
    assert_eq!(refused(vec![set(variable(X), int(1))]), Why::Malformed);
    assert_eq!(refused(vec![Stmt::new(StmtKind::Break)]), Why::Malformed);
}

#[test]
fn atomics_of_one_kind_commute() {
    let atomic = |operation, used| {
        let pointer = Type::INT.pointer(Space::Global);
        let place = Expr::new(pointer, ExprKind::AddressOf(at(OUT, int(0)).boxed())).boxed();
        Expr::new(Type::INT, ExprKind::Atomic { operation, place, operands: vec![id()], used })
    };
    let add = || Stmt::expr(atomic(AtomicOp::Add, false));
    assert_eq!(results(vec![add(), add()]), [9 + 12, 9, 9, 9]);
    assert_eq!(refused(vec![add(), Stmt::expr(atomic(AtomicOp::Xor, false))]), Why::Race);
    assert_eq!(refused(vec![declare(X, 0), set(variable(X), atomic(AtomicOp::Add, true))]), Why::Race);
    assert_eq!(refused(vec![add(), barrier(), set(at(TILE, id()), at(OUT, int(0)))]), Why::Race);
}
