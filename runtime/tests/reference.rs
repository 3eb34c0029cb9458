//! The reference executor's barriers: met by all, or an error that says by how many.

#[path = "../drivers/cpu/tests/support/mod.rs"]
mod support;

use oxcl_runtime::{ArgValue, Buffer, Coded as _, Device, Kernel, NdRange, Program};
use support::{baseline, buffer, kernel, object, our_archive, program_meta, value};

fn reference(body: &str) -> Kernel {
    reference_with(body, true)
}

fn reference_with(body: &str, barrier: bool) -> Kernel {
    use oxcl_binary::archive::slots::{ANY_SIZE, Code};
    let mut record = kernel("k", vec![buffer("out"), value("n", "ulong", 8)]);
    record.add_object(Code::Ref, ANY_SIZE, &object(&format!("REF(k) {{ {body} }}")));
    let meta = support::kernel_meta(&record, barrier);
    record.add_meta(&meta).unwrap();
    let bytes = our_archive(&program_meta(baseline()), vec![record]).write().unwrap();
    Program::from_archive(&bytes).unwrap().kernel("k").unwrap()
}

fn run(device: &Device, kernel: &Kernel, global: u64, local: u64, n: u64) -> Result<Vec<i32>, String> {
    let out = Buffer::zeroed(global * 4).unwrap();
    let range = NdRange::new(&[global]).unwrap().with_local(&[local]).unwrap();
    let result = device.launch(kernel, &range, &[ArgValue::Buffer(&out), ArgValue::Value(&n.to_le_bytes())]);
    result.map_err(|error| format!("{}: {error}", error.code()))?;
    Ok(out.to_vec().chunks_exact(4).map(|bytes| i32::from_le_bytes(bytes.try_into().unwrap())).collect())
}

#[test]
fn barriers_in_loops_separate_their_rounds() {
    // Each item passes its neighbour's number on: after n rounds it holds that of the item n further.
    let kernel = reference(
        "int *row = BUF(int, 0) + item->group[0] * item->local[0];
         u64 me = item->lid[0], next = (me + 1) % item->local[0];
         row[me] = (int)me;
         for (u64 round = 0; round < VAL(u64, 1); round++) {
             item->barrier(item, 2);
             int theirs = row[next];
             item->barrier(item, 2);
             row[me] = theirs;
         }",
    );
    let device = Device::by_name("ref").unwrap();
    for local in [2_u64, 3, 16, 64] {
        let want: Vec<i32> = (0..local * 3).map(|id| ((id % local + 5) % local) as i32).collect();
        assert_eq!(run(&device, &kernel, local * 3, local, 5).unwrap(), want);
    }
}

#[test]
fn the_largest_group_runs_and_a_larger_one_is_refused() {
    let kernel = reference("item->barrier(item, 1); BUF(int, 0)[GLOBAL_ID(0)] = 1;");
    let device = Device::by_name("ref").unwrap();
    assert_eq!(run(&device, &kernel, 1024, 1024, 0).unwrap(), vec![1; 1024]);
    let error = run(&device, &kernel, 2048, 2048, 0).unwrap_err();
    assert!(error.starts_with("OX0552: "), "{error}");
}

#[test]
fn a_barrier_that_not_all_meet_is_an_error_and_the_device_goes_on() {
    let partly =
        reference("if (item->lid[0] < VAL(u64, 1)) item->barrier(item, 1); BUF(int, 0)[GLOBAL_ID(0)] = 1;");
    let device = Device::by_name("ref").unwrap();
    for round in 0..20 {
        let n = 1 + round % 7;
        let error = run(&device, &partly, 32, 8, n).unwrap_err();
        let want = format!(
            "OX0513: kernel 'k': a barrier in work-group (0, 0, 0) is met by {n} of 8 work-items; the others have ended"
        );
        assert_eq!(error, want);
        assert_eq!(run(&device, &partly, 32, 8, 8).unwrap(), vec![1; 32]);
    }
}

#[test]
fn a_later_group_may_be_the_one_that_fails() {
    let kernel = reference(
        "item->barrier(item, 1);
         if (item->group[0] == 2 && item->lid[0] == 3) return;
         item->barrier(item, 1);
         BUF(int, 0)[GLOBAL_ID(0)] = 1;",
    );
    let error = run(&Device::by_name("ref").unwrap(), &kernel, 16, 4, 0).unwrap_err();
    assert!(error.contains("work-group (2, 0, 0) is met by 3 of 4 work-items"), "{error}");
}

#[test]
fn one_item_alone_meets_every_barrier() {
    let kernel = reference("item->barrier(item, 1); BUF(int, 0)[GLOBAL_ID(0)] = 1;");
    assert_eq!(run(&Device::by_name("ref").unwrap(), &kernel, 5, 1, 0).unwrap(), vec![1; 5]);
}

#[test]
fn a_barrier_that_the_facts_deny_is_an_error() {
    let kernel = reference_with("item->barrier(item, 1);", false);
    let error = run(&Device::by_name("ref").unwrap(), &kernel, 8, 4, 0).unwrap_err();
    assert_eq!(error, "OX0514: kernel 'k' has a barrier that its archive does not mention");
}
