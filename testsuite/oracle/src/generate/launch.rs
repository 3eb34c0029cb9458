//! Launches: one to three dimensions, sizes of every kind, and the arguments.

use super::{Maker, kernel};
use crate::ast::{Argument, Expr, ExprKind, Launch, StmtKind};
use crate::types::{Scalar, Space, Type};

/// Local sizes; every group has at most 64 items.
const LOCAL: &[&[u32]] = &[
    &[1],
    &[2],
    &[3],
    &[4],
    &[5],
    &[7],
    &[8],
    &[8],
    &[16],
    &[16],
    &[32],
    &[33],
    &[64],
    &[4, 2],
    &[3, 3],
    &[4, 4],
    &[1, 5],
    &[8, 2],
    &[2, 2, 2],
    &[3, 1, 2],
    &[1, 1, 4],
    &[4, 3, 2],
];

impl Maker {
    pub(super) fn launches(&mut self) {
        let kernels: Vec<usize> =
            (0..self.program.functions.len()).filter(|f| self.program.functions[*f].is_kernel()).collect();
        for kernel in kernels {
            let launches = self.random.pick(&[1, 1, 2]);
            let mut local = self.random.pick(LOCAL).to_vec();
            for number in 0..launches {
                if number > 0 {
                    local = self.random.pick(LOCAL).to_vec();
                }
                let launch = self.launch(kernel, &local);
                self.program.launches.push(launch);
            }
            if launches == 1 && self.random.chance(15) {
                let size = std::array::from_fn(|d| local.get(d).copied().unwrap_or(1));
                self.program.functions[kernel].required = Some(size);
            }
        }
        self.broadcast_ids();
    }

    fn launch(&mut self, kernel: usize, local: &[u32]) -> Launch {
        let uneven = self.is_new() && self.random.chance(22);
        let items: u32 = local.iter().product();
        let mut global: Vec<u32> = Vec::new();
        let mut groups = 1;
        for size in local {
            let most = if items > 16 { 2 } else { 3 };
            let count = if groups > 3 { 1 } else { 1 + self.random.below(most) as u32 };
            groups *= count;
            let mut total = size * count;
            if uneven && *size > 1 && self.random.chance(70) {
                total += 1 + self.random.below(u64::from(*size) - 1) as u32;
            }
            global.push(total);
        }
        let offset = if self.random.chance(25) {
            global.iter().map(|_| self.random.below(20) as u32).collect()
        } else {
            vec![]
        };
        let total: u32 = global.iter().product();
        let function = &self.program.functions[kernel];
        let parameters = function.variables[..function.parameters].to_vec();
        let mut arguments = Vec::new();
        for parameter in &parameters {
            let argument = match (&parameter.ty, parameter.name.as_str()) {
                (Type::Pointer(Space::Local, _), _) => Argument::Local(kernel::TILE * 4),
                (Type::Pointer(_, element), name) => {
                    let scalar = element.scalar().unwrap_or(Scalar::Int);
                    let count = match name {
                        "out" => total * 12,
                        "acc" => kernel::COUNTERS,
                        _ => kernel::INPUT,
                    };
                    let values = (0..count).map(|_| self.datum(scalar, name)).collect();
                    Argument::Buffer(scalar, values)
                }
                (ty, name) => {
                    let scalar = ty.element().unwrap_or(Scalar::Int);
                    let values = (0..ty.lanes())
                        .map(|_| match name {
                            "n" => self.random.between(1, 8),
                            _ => scalar.wrap(i128::from(self.random.bits())),
                        })
                        .collect();
                    Argument::Value(scalar, values)
                }
            };
            arguments.push(argument);
        }
        Launch { kernel, global, local: local.to_vec(), offset, arguments }
    }

    fn datum(&mut self, scalar: Scalar, name: &str) -> u64 {
        let (low, high) = scalar.range();
        scalar.wrap(match name {
            "in" => i128::from(if self.random.chance(60) {
                self.random.below(12)
            } else {
                self.random.below(256)
            }),
            "out" => -1,
            "acc" => self.random.pick(&[0, -1, 77, low.max(-1000)]),
            _ => match self.random.below(8) {
                0 => low,
                1 => high,
                2..=4 => i128::from(self.random.below(100)),
                _ => i128::from(self.random.bits()),
            },
        })
    }

    /// Gives every broadcast as many ids as the launches of its kernel have dimensions; launches that differ in that
    /// get those of the first.
    fn broadcast_ids(&mut self) {
        let mut dimensions = vec![0; self.program.functions.len()];
        let launches = self.program.launches.clone();
        let mut kept = Vec::new();
        for launch in launches {
            let known = &mut dimensions[launch.kernel];
            if *known == 0 {
                *known = launch.global.len();
            }
            let broadcasts = self.program.functions[launch.kernel].body.iter().any(|stmt| {
                stmt.any(&|stmt| {
                    matches!(
                        stmt.kind,
                        StmtKind::Collective { operation: crate::ast::Collective::Broadcast, .. }
                    )
                })
            });
            if !broadcasts || launch.global.len() == *known {
                kept.push(launch);
            }
        }
        self.program.launches = kept;
        self.program.each_stmt_mut(&mut |function, stmt| {
            if let StmtKind::Collective { operation: crate::ast::Collective::Broadcast, arguments, .. } =
                &mut stmt.kind
            {
                let id = Expr::new(Type::Scalar(Scalar::Uint), ExprKind::Literal(0));
                while arguments.len() < 1 + dimensions[function].max(1) {
                    arguments.push(id.clone());
                }
            }
        });
    }
}
