//! Members in fewer bits.
//!
//! In: the members of the chains that are worth it, whose operands are members of the same chains or are there in fewer bits.
//! Out: each is done in fewer bits in the place of the old one, comparisons of members as well; where anything else takes a
//! member, it is extended right behind.

use super::{Fit, Search, extended_from, is_absolute, least_or_greatest};
use oxcl_ir::{Builder, Function, IntPredicate, Opcode, Type, TypeKind, Value};
use std::collections::HashMap;

/// Rewrites the members that `kept` names.
pub(super) fn rewrite<'c>(kernel: Function<'c>, search: &Search<'_, 'c>, kept: &HashMap<Value<'c>, Fit>) {
    let mut rewriter = Rewriter { kernel, search, made: HashMap::new() };
    let members: Vec<Value<'c>> =
        search.order.iter().copied().filter(|value| kept.contains_key(value)).collect();
    let mut extensions = Vec::new();
    for &member in &members {
        let Some((operands, fit)) = search.operands(member) else { continue };
        extensions.extend(operands.iter().copied().filter(|&operand| extended_from(operand).is_some()));
        let b = Builder::before(member);
        let made = match member.is_phi() {
            true => b.phi(rewriter.ty(), &member.name()),
            false => rewriter.operation(&b, member, &operands, fit),
        };
        rewriter.made.insert(member, made);
    }
    for &phi in members.iter().filter(|member| member.is_phi()) {
        for (value, from) in phi.incoming() {
            let incoming = rewriter.narrow(value);
            rewriter.made[&phi].add_incoming(incoming, from);
        }
    }
    for &member in &members {
        rewriter.give_to_users(member, kept);
    }
    // PHI nodes of loops use one another.
    for &member in &members {
        if !member.users().is_empty() {
            member.replace_uses_with(member.ty().poison());
        }
    }
    for &member in &members {
        member.erase();
    }
    let mut gone: Vec<Value<'c>> = Vec::new();
    for extension in extensions {
        if !gone.contains(&extension) && extension.users().is_empty() {
            gone.push(extension);
        }
    }
    for extension in gone {
        extension.erase();
    }
}

struct Rewriter<'a, 'r, 'c> {
    kernel: Function<'c>,
    search: &'a Search<'r, 'c>,
    /// What stands for a value in fewer bits.
    made: HashMap<Value<'c>, Value<'c>>,
}

impl<'c> Rewriter<'_, '_, 'c> {
    fn ty(&self) -> Type<'c> {
        self.kernel.types().int(self.search.bits)
    }

    /// A value in fewer bits.
    fn narrow(&mut self, value: Value<'c>) -> Value<'c> {
        let (ty, bits) = (self.ty(), self.search.bits);
        if let Some(constant) = value.as_int() {
            return ty.int(constant << (64 - bits) >> (64 - bits));
        }
        if let Some(&made) = self.made.get(&value) {
            return made;
        }
        let made = match (value.opcode(), extended_from(value)) {
            (Some(_), Some(from)) if from == bits => value.operand(0),
            (Some(opcode), Some(_)) => {
                Builder::before(value).cast(opcode, value.operand(0), ty, &value.name())
            }
            // An argument.
            _ => {
                let first = self.kernel.instructions().into_iter().find(|i| !i.is(Opcode::LLVMAlloca));
                match first {
                    Some(first) => Builder::before(first).cast(Opcode::LLVMTrunc, value, ty, &value.name()),
                    None => ty.poison(),
                }
            }
        };
        self.made.insert(value, made);
        made
    }

    /// An operation in fewer bits, of operands that fit so.
    fn operation(&mut self, b: &Builder<'c>, old: Value<'c>, operands: &[Value<'c>], fit: Fit) -> Value<'c> {
        let name = old.name();
        let operands: Vec<Value<'c>> = operands.iter().map(|&operand| self.narrow(operand)).collect();
        let Some(opcode) = old.opcode() else { return self.ty().poison() };
        if let Some(intrinsic) = least_or_greatest(old) {
            // Of numbers without a sign, the order is that of the low bits.
            let intrinsic = match intrinsic {
                "llvm.smin" if !fit.signed => "llvm.umin",
                "llvm.smax" if !fit.signed => "llvm.umax",
                other => other,
            };
            return b
                .intrinsic(intrinsic, &[self.ty()], &operands, &name)
                .unwrap_or_else(|| self.ty().poison());
        }
        if is_absolute(old) {
            // That of the least number is right where it is read without a sign.
            let arguments = [operands[0], b.types().bool().int(0)];
            return b
                .intrinsic("llvm.abs", &[self.ty()], &arguments, &name)
                .unwrap_or_else(|| self.ty().poison());
        }
        match opcode {
            Opcode::LLVMSelect => b.select(old.operand(0), operands[0], operands[1], &name),
            Opcode::LLVMFreeze => b.freeze(operands[0], &name),
            Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => {
                // A number without a sign takes zeros.
                let opcode =
                    if fit.unsigned && opcode == Opcode::LLVMAShr { Opcode::LLVMLShr } else { opcode };
                let by = self.narrow(old.operand(1));
                b.binary(opcode, operands[0], by, &name)
            }
            Opcode::LLVMSDiv if fit.unsigned => b.binary(Opcode::LLVMUDiv, operands[0], operands[1], &name),
            Opcode::LLVMSRem if fit.unsigned => b.binary(Opcode::LLVMURem, operands[0], operands[1], &name),
            _ => b.binary(opcode, operands[0], operands[1], &name),
        }
    }

    /// Gives all users of a member but members what they take.
    fn give_to_users(&mut self, member: Value<'c>, kept: &HashMap<Value<'c>, Fit>) {
        let made = self.made[&member];
        let mut done = Vec::new();
        for user in member.users() {
            if kept.contains_key(&user) || done.contains(&user) {
                continue;
            }
            let new = if user.is(Opcode::LLVMTrunc) {
                match user.ty().kind() {
                    TypeKind::Int(bits) if bits == self.search.bits => made,
                    TypeKind::Int(bits) if bits < self.search.bits => {
                        Builder::before(user).cast(Opcode::LLVMTrunc, made, user.ty(), &user.name())
                    }
                    _ => continue,
                }
            } else if self.search.is_comparison(user) {
                self.comparison(user)
            } else {
                continue;
            };
            done.push(user);
            // What extended the user was taken for the number itself.
            for stands in self.made.values_mut().filter(|made| **made == user) {
                *stands = new;
            }
            if !user.users().is_empty() {
                user.replace_uses_with(new);
            }
            user.erase();
        }
        if member.users().into_iter().all(|user| kept.contains_key(&user)) {
            return;
        }
        let block = made.block();
        let behind = match member.is_phi() {
            true => block.and_then(|block| block.instructions().into_iter().find(|i| !i.is_phi())),
            false => Some(member),
        };
        let Some(behind) = behind else { return };
        // Numbers that are never negative are extended by zeros, which both readings of the whole agree with.
        let extend = if kept[&member].unsigned { Opcode::LLVMZExt } else { Opcode::LLVMSExt };
        let whole = Builder::before(behind).cast(extend, made, member.ty(), &member.name());
        member.replace_uses_with(whole);
    }

    /// A comparison in fewer bits.
    fn comparison(&mut self, old: Value<'c>) -> Value<'c> {
        let (Some((operands, fit)), Some(predicate)) = (self.search.operands(old), old.int_predicate())
        else {
            return old;
        };
        let sides: Vec<Value<'c>> = operands.into_iter().map(|operand| self.narrow(operand)).collect();
        let predicate = match predicate {
            IntPredicate::LLVMIntSLT if !fit.signed => IntPredicate::LLVMIntULT,
            IntPredicate::LLVMIntSLE if !fit.signed => IntPredicate::LLVMIntULE,
            IntPredicate::LLVMIntSGT if !fit.signed => IntPredicate::LLVMIntUGT,
            IntPredicate::LLVMIntSGE if !fit.signed => IntPredicate::LLVMIntUGE,
            other => other,
        };
        Builder::before(old).compare(predicate, sides[0], sides[1], &old.name())
    }
}
