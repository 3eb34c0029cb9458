//! What those work-items of a sub-group do together that come by.

use super::{Here, Maker};
use crate::ast::{Binary, Combine, Expr, Extent, Init, Stmt, StmtKind, SubGroupOp};
use crate::types::{Scalar, Space, Type};

impl Maker {
    /// A value that a sub-group computes together. What needs all of it stands where the whole group comes.
    pub(super) fn sub_group(&mut self, here: Here, out: &mut Vec<Stmt>) {
        let extents = [Extent::All, Extent::All, Extent::Inclusive, Extent::Exclusive];
        let extent = self.random.pick(&extents);
        let operation = match self.random.below(if here.together { 12 } else { 8 }) {
            0 | 1 => {
                let combines = [
                    Combine::Add,
                    Combine::Mul,
                    Combine::Min,
                    Combine::Max,
                    Combine::And,
                    Combine::Or,
                    Combine::Xor,
                ];
                SubGroupOp::NonUniform(extent, self.random.pick(&combines))
            }
            2 => SubGroupOp::All,
            3 => SubGroupOp::Any,
            4 => SubGroupOp::AllEqual,
            5 => SubGroupOp::Count,
            6 => SubGroupOp::Elect,
            7 => SubGroupOp::BroadcastFirst,
            8 => SubGroupOp::Broadcast,
            9 => SubGroupOp::Shuffle,
            10 => SubGroupOp::Rotate,
            _ => {
                let combine = self.random.pick(&[Combine::Add, Combine::Min, Combine::Max]);
                SubGroupOp::Uniform(extent, combine)
            }
        };
        let truth = matches!(operation, SubGroupOp::All | SubGroupOp::Any | SubGroupOp::Count);
        let scalar = match operation {
            _ if truth || operation == SubGroupOp::Elect => Scalar::Int,
            SubGroupOp::Uniform(_, Combine::Mul) | SubGroupOp::NonUniform(_, Combine::Mul) => {
                self.random.pick(&[Scalar::Uint, Scalar::Ulong])
            }
            _ => self.random.pick(&[
                Scalar::Int,
                Scalar::Int,
                Scalar::Uint,
                Scalar::Long,
                Scalar::Ulong,
                Scalar::Char,
                Scalar::Uchar,
                Scalar::Short,
                Scalar::Ushort,
            ]),
        };
        let mut arguments = Vec::new();
        if truth {
            arguments.push(self.parting().cast(Type::INT));
        } else if operation != SubGroupOp::Elect {
            let mut value = self.value_of(scalar, false, 1);
            let adds = matches!(
                operation,
                SubGroupOp::Uniform(_, Combine::Add) | SubGroupOp::NonUniform(_, Combine::Add)
            );
            if adds && scalar.is_signed() {
                let few = if scalar.bits() == 8 { 1 } else { 0x1ff };
                value =
                    Expr::binary(Binary::And, value, Expr::literal(scalar, few)).cast(Type::Scalar(scalar));
            }
            arguments.push(value);
        }
        match operation {
            SubGroupOp::Broadcast => {
                arguments.push(Expr::literal(Scalar::Uint, i128::from(self.random.below(40))));
            }
            SubGroupOp::Shuffle | SubGroupOp::Rotate => {
                let uniform = operation == SubGroupOp::Rotate;
                let number = if uniform {
                    Expr::literal(Scalar::Uint, i128::from(self.random.below(40)))
                } else {
                    self.value_of(Scalar::Uint, false, 1)
                };
                arguments.push(number);
            }
            _ => {}
        }
        let variable = self.variable("g", Type::Scalar(scalar), Space::Private);
        out.push(Stmt::new(StmtKind::Declare { variable, init: Init::None }));
        out.push(Stmt::new(StmtKind::SubGroup { target: variable, operation, arguments }));
        self.know(variable, false, true);
    }
}
