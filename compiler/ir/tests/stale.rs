//! Handles of what LLVM has deleted, by whatever way: each use is a panic that names the mistake, never freed memory.

use oxcl_ir::module::{delete_global, globals, run_passes};
use oxcl_ir::{Block, Builder, Context, Function, Module, Opcode, Value, read_module};
use std::panic::{AssertUnwindSafe, catch_unwind};

const TEXT: &str = "
@g = internal global i32 5
define i32 @f(i32 %a, i1 %c) {
entry:
  %unused = add i32 %a, 1
  %kept = mul i32 %a, 3
  br i1 false, label %dead, label %live
dead:
  %in_dead = add i32 %a, 7
  br label %live
live:
  ret i32 %kept
}
define internal i32 @unused() {
  ret i32 1
}
";

fn module(context: &Context) -> Module<'_> {
    read_module(context, TEXT.as_bytes(), "test").expect("valid IR")
}

/// What a panic of `use_it` says.
fn caught<R>(use_it: impl FnOnce() -> R) -> String {
    let payload = match catch_unwind(AssertUnwindSafe(use_it)) {
        Ok(_) => panic!("a misuse was not caught"),
        Err(payload) => payload,
    };
    let text = payload.downcast_ref::<String>().cloned();
    text.or_else(|| payload.downcast_ref::<&str>().map(|text| (*text).to_owned())).unwrap_or_default()
}

fn is_caught<R>(use_it: impl FnOnce() -> R) {
    let said = caught(use_it);
    assert!(said.contains("had been deleted"), "{said}");
}

fn named<'c>(function: Function<'c>, name: &str) -> Value<'c> {
    let found = function.instructions().into_iter().find(|value| value.name() == name);
    found.unwrap_or_else(|| panic!("no instruction '{name}'"))
}

fn block<'c>(function: Function<'c>, name: &str) -> Block<'c> {
    let found = function.blocks().into_iter().find(|block| block.name() == name);
    found.unwrap_or_else(|| panic!("no block '{name}'"))
}

#[test]
fn an_erased_instruction_is_not_used() {
    let context = Context::create();
    let module = module(&context);
    let f = Function::find(&module, "f").expect("f");
    let erased = named(f, "unused");
    let same = erased;
    let kept = named(f, "kept");
    erased.erase();
    assert!(same.is_stale() && !kept.is_stale());
    is_caught(|| same.name());
    is_caught(|| same.ty());
    is_caught(|| same.operands());
    is_caught(|| same.users());
    is_caught(|| same.block());
    is_caught(|| same.to_string());
    is_caught(|| same.erase());
    is_caught(|| same.next());
    is_caught(|| kept.set_operand(0, same));
    is_caught(|| kept.replace_uses_with(same));
    is_caught(|| same.replace_uses_with(kept));
    is_caught(|| Builder::before(same));
    let builder = Builder::before(kept);
    is_caught(|| builder.add(same, kept, ""));
    is_caught(|| builder.insert_clone(same));
    // Only comparing, hashing and printing for the programmer are left.
    assert!(same == erased && same != kept);
    assert_eq!(format!("{same:?}"), "(deleted)");
}

#[test]
fn a_new_value_in_the_place_of_an_old_one_is_another() {
    let context = Context::create();
    let module = module(&context);
    let f = Function::find(&module, "f").expect("f");
    let kept = named(f, "kept");
    let builder = Builder::before(kept);
    let mut old: Vec<Value<'_>> = Vec::new();
    for _ in 0..1000 {
        let made = builder.binary(Opcode::LLVMXor, f.parameters()[0], kept.operand(0), "made");
        assert!(old.iter().all(|stale| *stale != made && stale.is_stale()));
        made.erase();
        old.push(made);
    }
    for stale in old {
        is_caught(|| stale.opcode());
    }
}

#[test]
fn what_passes_remove_is_stale_and_what_they_keep_is_not() {
    let context = Context::create();
    let module = module(&context);
    let f = Function::find(&module, "f").expect("f");
    let internal = Function::find(&module, "unused").expect("unused");
    let global = globals(&module)[0];
    let (unused, kept, in_dead) = (named(f, "unused"), named(f, "kept"), named(f, "in_dead"));
    let (dead, entry) = (block(f, "dead"), block(f, "entry"));
    run_passes(&module, "globaldce,function(adce,simplifycfg)").expect("known passes");
    is_caught(|| unused.ty());
    is_caught(|| in_dead.ty());
    is_caught(|| dead.instructions());
    is_caught(|| internal.blocks());
    is_caught(|| global.users());
    assert_eq!(kept.name(), "kept");
    assert_eq!(entry.instructions().len(), 2);
    assert_eq!(f.name(), "f");
}

#[test]
fn a_deleted_function_and_what_was_in_it_are_stale() {
    let context = Context::create();
    let module = module(&context);
    let internal = Function::find(&module, "unused").expect("unused");
    let (entry, end) = (internal.blocks()[0], internal.instructions()[0]);
    let builder = Builder::before(end);
    internal.delete();
    is_caught(|| internal.name());
    is_caught(|| internal.value().users());
    is_caught(|| entry.instructions());
    is_caught(|| end.successors());
    is_caught(|| Builder::at_end(entry));
    is_caught(|| builder.return_void());
    is_caught(|| builder.block());
    assert!(Function::find(&module, "unused").is_none());
    let global = globals(&module)[0];
    delete_global(global);
    is_caught(|| global.name());
}

#[test]
fn the_end_of_a_module_ends_its_handles() {
    let context = Context::create();
    let first = module(&context);
    let f = Function::find(&first, "f").expect("f");
    let (kept, entry, parameter, global) =
        (named(f, "kept"), block(f, "entry"), f.parameters()[0], globals(&first)[0]);
    let (constant, ty) = (named(f, "kept").operand(1), kept.ty());
    let builder = Builder::before(kept);
    drop(first);
    is_caught(|| f.blocks());
    is_caught(|| kept.ty());
    is_caught(|| entry.terminator());
    is_caught(|| parameter.users());
    is_caught(|| global.ty());
    is_caught(|| builder.alloca(ty, ""));
    // Types and plain constants are the context's.
    assert_eq!(constant.as_int(), Some(3));
    let second = module(&context);
    let again = Function::find(&second, "f").expect("f");
    assert!(again != f);
    is_caught(|| f.name());
    assert_eq!(again.name(), "f");
}

#[test]
fn contexts_that_come_and_go_on_many_threads_keep_their_handles_apart() {
    let work = || {
        for _ in 0..200 {
            let context = Context::create();
            let module = module(&context);
            let f = Function::find(&module, "f").expect("f");
            let (unused, kept) = (named(f, "unused"), named(f, "kept"));
            unused.erase();
            assert!(unused.is_stale());
            assert_eq!(kept.operand(1).as_int(), Some(3));
        }
    };
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(work)).collect();
    for thread in threads {
        thread.join().expect("no panic");
    }
}
