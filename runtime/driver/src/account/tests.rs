//! The account against groups that are folders of the test's, and against this process's own pages.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use super::*;
use crate::HostMemory;

const MIB: u64 = 1 << 20;

fn without_groups() -> Vec<MemoryGroup> {
    Vec::new()
}

#[test]
fn what_the_machine_has_not_is_refused_and_what_comes_back_can_be_had_again() {
    let account = Account::new(100 * MIB, Bound::Variable, without_groups);
    let first = account.charge(60 * MIB, Use::Object, false).unwrap();
    let refused = account.charge(41 * MIB, Use::Object, false).unwrap_err();
    assert_eq!(refused, Shortage { left: 40 * MIB, of: 100 * MIB, bound: Bound::Variable });
    assert_eq!(refused.to_string(), "41943040 are left of the 104857600 that OXCL_MEMORY allows");
    let second = account.charge(40 * MIB, Use::Object, false).unwrap();
    assert!(account.charge(1, Use::Object, true).is_err());
    assert!(account.charge(u64::MAX, Use::Object, true).is_err());
    // A command can run all the same.
    let work = account.charge(6 * MIB, Use::Work, false).unwrap();
    assert_eq!(account.charge(MIB, Use::Work, false).unwrap_err().left, MIB / 4);
    account.give_back(&work);
    assert!(account.charge(1, Use::Object, true).is_err());
    account.give_back(&first);
    assert_eq!(account.returned.load(Ordering::Relaxed), 2);
    let third = account.charge(60 * MIB, Use::Object, true).unwrap();
    for charge in [second, third] {
        account.give_back(&charge);
    }
    assert_eq!(account.counted.load(Ordering::Relaxed), 0);
    assert_eq!(account.small.load(Ordering::Relaxed), 0);
}

/// A tree of control groups, gone with the process's temporary files.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str) -> Self {
        let root = std::env::temp_dir().join(format!("oxcl-account-{name}-{}", std::process::id()));
        std::fs::create_dir_all(root.join("outer/inner")).unwrap();
        Self(root)
    }

    fn group(&self, path: &str, limit: u64, current: u64, file: u64) {
        let write = |name: &str, text: String| std::fs::write(self.0.join(path).join(name), text).unwrap();
        write("memory.max", limit.to_string());
        write("memory.current", current.to_string());
        write("memory.stat", format!("inactive_file {file}\n"));
    }

    fn groups(root: &Path) -> Vec<MemoryGroup> {
        MemoryGroup::all(root, "0::/outer/inner\n")
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// An answer of a moment ago is forgotten, as time does.
fn forget(account: &Account) {
    account.until.store(0, Ordering::Relaxed);
}

#[test]
fn what_others_use_in_a_group_is_left_out_and_pages_of_files_are_not() {
    static TREE: LazyLock<Tree> = LazyLock::new(|| Tree::new("others"));
    let account = Account::new(1 << 40, Bound::Machine, || Tree::groups(&TREE.0));
    TREE.group("outer", 1600 * MIB, 700 * MIB, 300 * MIB);
    TREE.group("outer/inner", 800 * MIB, 400 * MIB, 300 * MIB);
    // The inner group has 800, a hundred of which stay free; others use a hundred. The outer one has 1600, 200, 400.
    let refused = account.charge(601 * MIB, Use::Object, false).unwrap_err();
    assert_eq!(refused, Shortage { left: 600 * MIB, of: 800 * MIB, bound: Bound::Group });
    let half = account.charge(300 * MIB, Use::Object, false).unwrap();
    // Nothing of it has been touched, so it is promised and not used.
    forget(&account);
    assert_eq!(account.charge(301 * MIB, Use::Object, false).unwrap_err().left, 300 * MIB);
    // Now somebody else in the outer group takes what was left there.
    TREE.group("outer", 1600 * MIB, 1200 * MIB, 0);
    forget(&account);
    let refused = account.charge(MIB, Use::Object, false).unwrap_err();
    assert_eq!(refused, Shortage { left: 0, of: 1600 * MIB, bound: Bound::Group });
    assert!(account.is_limited());
    account.give_back(&half);
    forget(&account);
    account.charge(200 * MIB, Use::Object, false).unwrap();
}

#[test]
fn answers_hold_for_a_part_of_what_is_left_and_not_for_long() {
    static TREE: LazyLock<Tree> = LazyLock::new(|| Tree::new("answers"));
    let account = Account::new(1 << 40, Bound::Machine, || Tree::groups(&TREE.0));
    TREE.group("outer/inner", 800 * MIB, 0, 0);
    account.charge(380 * MIB, Use::Object, false).unwrap();
    TREE.group("outer/inner", 800 * MIB, 700 * MIB, 0);
    // A sixteenth of the 320 MiB that were left needs no look, if it comes at once; more does.
    assert_eq!(account.granted.load(Ordering::Relaxed), 400 * MIB);
    assert!(account.charge(21 * MIB, Use::Object, false).is_err());
    forget(&account);
    assert!(account.charge(MIB, Use::Object, false).is_err());
}

#[test]
fn touched_pages_are_not_counted_twice() {
    static TREE: LazyLock<Tree> = LazyLock::new(|| Tree::new("touched"));
    let account = Account::new(1 << 40, Bound::Machine, || Tree::groups(&TREE.0));
    // 700 MiB for blocks, if nobody else is there.
    TREE.group("outer/inner", 800 * MIB, 0, 0);
    let block = HostMemory::zeroed(16 * MIB).unwrap();
    account.charge(500 * MIB, Use::Object, false).unwrap();
    account.mapped(block.as_ptr() as usize, block.len());
    account.charge(100 * MIB, Use::Object, true).unwrap();
    // The group uses 116 MiB: the small blocks, which are always there, and one of 16 MiB.
    TREE.group("outer/inner", 800 * MIB, 116 * MIB, 0);
    let present = |account: &Account| account.state().present();
    assert_eq!(present(&account), 0);
    // SAFETY: the block has so many bytes. Reading gives no memory.
    let byte = unsafe { block.as_ptr().wrapping_add(5 << 20).read_volatile() };
    assert_eq!((byte, present(&account)), (0, 0));
    forget(&account);
    assert_eq!(account.charge(101 * MIB, Use::Object, false).unwrap_err().left, 84 * MIB);
    // SAFETY: the block has so many bytes.
    unsafe { block.as_ptr().write_bytes(1, block.len()) };
    assert_eq!(present(&account), 16 * MIB);
    forget(&account);
    assert_eq!(account.charge(101 * MIB, Use::Object, false).unwrap_err().left, 100 * MIB);
    account.charge(100 * MIB, Use::Object, false).unwrap();
    account.unmapped(block.as_ptr() as usize);
    assert_eq!(present(&account), 0);
}

#[test]
fn values_of_the_variable() {
    assert_eq!([parse(" 64 "), parse("1")], [Some(64 << 20), Some(1 << 20)]);
    for text in ["", "0", "-1", "64M", "99999999999999999999", "17592186044416"] {
        assert_eq!(parse(text), None, "{text}");
    }
}

#[test]
fn the_devices_memory_is_some_and_what_it_has_not_cannot_be_had() {
    let bytes = device_memory();
    assert!(bytes > 0 && bytes <= physical_memory());
    let refused = HostMemory::zeroed(physical_memory() + 1).unwrap_err();
    assert!(refused.shortage.is_some_and(|shortage| shortage.left <= physical_memory()), "{refused}");
    let before = returns();
    drop(HostMemory::zeroed(MIB).unwrap());
    assert_ne!(returns(), before);
}

#[test]
fn a_command_has_some_of_what_is_spared_in_a_group_and_leaves_an_answer() {
    static TREE: LazyLock<Tree> = LazyLock::new(|| Tree::new("work"));
    let account = Account::new(1 << 40, Bound::Machine, || Tree::groups(&TREE.0));
    TREE.group("outer/inner", 800 * MIB, 0, 0);
    account.charge(60 * MIB, Use::Work, false).unwrap();
    assert_eq!(account.granted.load(Ordering::Relaxed), 100 * MIB);
    forget(&account);
    account.charge(640 * MIB, Use::Object, false).unwrap();
    forget(&account);
    assert_eq!(account.charge(MIB, Use::Object, false).unwrap_err().left, 0);
    assert_eq!(account.charge(51 * MIB, Use::Work, false).unwrap_err().left, 50 * MIB);
    account.charge(50 * MIB, Use::Work, false).unwrap();
    assert_eq!(account.granted.load(Ordering::Relaxed), 700 * MIB);
    // What comes after that is looked at, and is for commands alone.
    assert!(account.charge(1, Use::Object, false).is_err());
}
