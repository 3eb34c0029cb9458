//! Kernels on simulated processors through the runtime: what is loaded once is not linked again, programs do not mix, chains go
//! from device to device, and what goes wrong is an error of the command.

use oxcl_compiler::tta::kernel::compile_kernel;
use oxcl_compiler::{BuildOptions, Devices, Emit, Request, SourceFile, compile};
use oxcl_runtime::{
    ArgValue, Buffer, Context, Device, Kernel, NdRange, ProcessorSpan as Span, Program, QueueProperties,
};
use oxcl_tta::adf;
use oxcl_tta::model::Machine;
use std::path::{Path, PathBuf};

fn path(machine: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../compiler/tta/machines/{machine}.adf"))
}

fn machine(name: &str) -> Machine {
    adf::read(&std::fs::read_to_string(path(name)).unwrap()).unwrap().machine
}

fn word(machine: &str) -> String {
    format!("ttasim:{},strict", path(machine).display())
}

fn archive(source: &str, machines: &[&str]) -> Vec<u8> {
    archive_with("", source, machines)
}

fn archive_with(options: &str, source: &str, machines: &[&str]) -> Vec<u8> {
    let mut request = Request::new(vec![SourceFile { name: "kernel.cl".into(), text: source.into() }]);
    request.options = BuildOptions::parse(options).unwrap();
    request.devices = Devices { cpu: false, reference: false };
    request.machines = machines.iter().map(|name| machine(name)).collect();
    compile(&request, Emit::Archive, None).unwrap_or_else(|error| panic!("{error}")).bytes
}

fn kernel(source: &str, machines: &[&str], name: &str) -> Kernel {
    Program::from_archive(&archive(source, machines)).unwrap().kernel(name).unwrap()
}

fn words(buffer: &Buffer) -> Vec<u32> {
    buffer.to_vec().chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

fn buffer(words: &[u32]) -> Buffer {
    Buffer::from_bytes(&words.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>()).unwrap()
}

const ADD: &str = "kernel void f(global uint *a) { a[get_global_id(0)] += 3; }";
const MULTIPLY: &str = "kernel void f(global uint *a) { a[get_global_id(0)] *= 5; }";

#[test]
fn the_same_request_gives_the_same_bytes_and_routines_are_there_once() {
    let source = "kernel void f(global float *a) { a[get_global_id(0)] += 1.5f; }
                  kernel void g(global float *a) { a[get_global_id(0)] += 2.5f; }";
    let bytes = archive(source, &["tiny", "one_bus"]);
    assert_eq!(bytes, archive(source, &["tiny", "one_bus"]));
    let read = oxcl_binary::archive::Archive::read(&bytes).unwrap();
    let units = |kernel: &oxcl_binary::archive::Kernel| {
        kernel.files.iter().filter(|file| file.path.ends_with(".ttau")).count()
    };
    assert!(read.kernels.iter().all(|kernel| units(kernel) == 2));
    let mut routines: Vec<&str> = read
        .root
        .iter()
        .flatten()
        .map(|file| file.path.as_str())
        .filter(|path| path.starts_with("/tta/"))
        .collect();
    let all = routines.len();
    routines.sort_unstable();
    routines.dedup();
    assert!(all == routines.len() && routines.iter().any(|path| path.ends_with("/__addsf3.ttau")));
}

#[test]
fn a_known_kernel_is_linked_once_and_kernels_of_one_name_do_not_meet() {
    let device = Device::by_name(&word("three_bus")).unwrap();
    let core = device.processor_core().unwrap();
    let (add, multiply) = (kernel(ADD, &["three_bus"], "f"), kernel(MULTIPLY, &["three_bus"], "f"));
    let range = NdRange::new(&[16]).unwrap();
    let data = buffer(&[1; 16]);
    let run = |kernel: &Kernel| {
        device.launch(kernel, &range, &[ArgValue::Buffer(&data)]).unwrap();
        words(&data)[7]
    };
    assert_eq!(run(&add), 4);
    let linked = core.links();
    assert_eq!((run(&add), run(&add)), (7, 10));
    assert_eq!(core.links(), linked, "nothing was linked for what was there");
    assert_eq!(run(&multiply), 50);
    assert_ne!(core.links(), linked);
    let linked = core.links();
    assert_eq!((run(&add), run(&multiply)), (53, 265));
    assert_eq!(core.links(), linked);
}

#[test]
fn a_chain_over_three_devices_waits_for_devices_only() {
    let names = ["three_bus", "wide_float", "three_bus"].map(word);
    let context = Context::shared().unwrap();
    let devices = Device::by_names(&names.each_ref().map(String::as_str)).unwrap();
    let kernels = [ADD, MULTIPLY, ADD].map(|source| kernel(source, &["three_bus", "wide_float"], "f"));
    let data = buffer(&(0..64).collect::<Vec<u32>>());
    let queues: Vec<_> =
        devices.iter().map(|device| context.queue(device, QueueProperties::default()).unwrap()).collect();
    let range = NdRange::new(&[64]).unwrap();
    // All are in their slots before the first begins.
    let start = context.user_event().unwrap();
    let mut before = vec![start.event().clone()];
    for (queue, kernel) in queues.iter().zip(&kernels) {
        let event = queue.kernel(kernel, &range, &[ArgValue::Buffer(&data)], &before).unwrap();
        before = vec![event];
    }
    assert!(start.complete(), "nobody else has ended it");
    before[0].wait().unwrap();
    let expected: Vec<u32> = (0..64).map(|i| (i + 3) * 5 + 3).collect();
    assert_eq!(words(&data), expected);
    let spans = devices[0].processor_core().unwrap().timeline();
    let order: Vec<usize> = spans.iter().map(|span| span.device).collect();
    assert_eq!(order, [0, 1, 2]);
    assert!(spans[1].chained && spans[2].chained, "they waited in their slots");
    let accesses = |at: fn(&Span) -> u64| spans.iter().map(at).collect::<Vec<_>>();
    let (first, last) = (accesses(|s| s.host_accesses[0]), accesses(|s| s.host_accesses[1]));
    assert_eq!(
        (first[0], first[0]),
        (first[2], last[2]),
        "the host does nothing between the first and the last stage"
    );
    assert!(spans.windows(2).all(|pair| pair[0].ended <= pair[1].ended && pair[0].started < pair[1].started));
}

#[test]
fn a_fault_and_a_kernel_without_an_end_fail_their_commands_only() {
    let source = "kernel void wild(global uint *a) { a[0x3fffffff] = 1; }
                  kernel void endless(global volatile uint *a) { while (a[0] != 77) a[1]++; }
                  kernel void fine(global uint *a) { a[0] = 9; }";
    let device = Device::by_name(&word("three_bus")).unwrap();
    device.processor_core().unwrap().give_up_after(100_000);
    let program = Program::from_archive(&archive(source, &["three_bus"])).unwrap();
    let range = NdRange::new(&[1]).unwrap();
    let data = buffer(&[0; 4]);
    let run = |name: &str| {
        let kernel = program.kernel(name).unwrap();
        device
            .launch(&kernel, &range, &[ArgValue::Buffer(&data)])
            .map(drop)
            .map_err(|error| error.to_string())
    };
    let wild = run("wild").unwrap_err();
    assert!(wild.contains("kernel 'wild'"), "{wild}");
    let endless = run("endless").unwrap_err();
    assert!(endless.contains("without an end"), "{endless}");
    run("fine").unwrap();
    assert_eq!(words(&data)[0], 9);
}

#[test]
fn what_does_not_fit_is_said_with_its_figures_and_the_device_goes_on() {
    let device = Device::by_name(&word("three_bus")).unwrap();
    let memory = device.info().global_memory;
    let add = kernel(ADD, &["three_bus"], "f");
    let range = NdRange::new(&[1]).unwrap();
    let run = |kernel: &Kernel, data: &Buffer| {
        let outcome = device.launch(kernel, &range, &[ArgValue::Buffer(data)]);
        outcome.map(drop).map_err(|error| error.to_string())
    };
    // A buffer that is larger than the device's memory.
    let error = run(&add, &Buffer::zeroed(memory + 1).unwrap()).unwrap_err();
    assert!(error.contains(&memory.to_string()), "{error}");
    // Constants for which the device has no room.
    let many: Vec<String> = (0..100_000_u32).map(|i| i.wrapping_mul(2_654_435_761).to_string()).collect();
    let source = format!(
        "constant uint table[] = {{{}}};
         kernel void f(global uint *a) {{ a[0] = table[a[0] % 100000]; }}",
        many.join(",")
    );
    let large = kernel(&source, &["three_bus"], "f");
    let data = buffer(&[1; 4]);
    let error = run(&large, &data).unwrap_err();
    assert!(error.contains("400000 bytes") && error.contains("left for data"), "{error}");
    run(&add, &data).unwrap();
    assert_eq!(words(&data)[0], 4);
}

/// More bytes than the runtime moves at a time, in both directions.
#[test]
fn large_buffers_come_and_go_whole() {
    let copy = "kernel void f(global const uint4 *a, global uint4 *b) { b[get_global_id(0)] = a[get_global_id(0)] + 1; }";
    let copy = kernel(copy, &["wide_float"], "f");
    let device = Device::by_name(&format!("ttasim:{}", path("wide_float").display())).unwrap();
    let values: Vec<u32> = (0..160_000).collect();
    let (from, to) = (buffer(&values), Buffer::zeroed(640_000).unwrap());
    let range = NdRange::new(&[40_000]).unwrap();
    device.launch(&copy, &range, &[ArgValue::Buffer(&from), ArgValue::Buffer(&to)]).unwrap();
    assert!(words(&to).iter().zip(1..160_001).all(|(have, want)| *have == want));
}

#[test]
fn code_for_another_machine_is_refused_with_both_names() {
    let device = Device::by_name(&word("tiny")).unwrap();
    let kernel = kernel(ADD, &["one_bus"], "f");
    let (range, data) = (NdRange::new(&[1]).unwrap(), buffer(&[0]));
    let error = device.launch(&kernel, &range, &[ArgValue::Buffer(&data)]).unwrap_err().to_string();
    for name in ["tiny", "one_bus"] {
        let digest = oxcl_binary::unit::digest_text(&oxcl_tta::image::digest(&machine(name)));
        assert!(error.contains(&digest), "{error}");
    }
}

#[test]
fn images_without_a_driver_do_not_print() {
    let text = "kernel void f(global int *a) { printf(\"%d\", a[0]); }";
    let source = SourceFile { name: "k.cl".into(), text: text.into() };
    let error = compile_kernel(&[source], &BuildOptions::default(), None, &machine("tiny")).unwrap_err();
    assert!(error.code() == "OX0208" && error.to_string().contains("printf"), "{error}");
}

#[test]
fn each_device_keeps_variables_of_its_own_from_launch_to_launch() {
    let source = "global int count = 7; kernel void f(global int *a) { a[0] = count++; }";
    let archive = archive_with("-cl-std=CL3.0", source, &["three_bus"]);
    let kernel = Program::from_archive(&archive).unwrap().kernel("f").unwrap();
    let names = ["three_bus", "three_bus"].map(word);
    let devices = Device::by_names(&names.each_ref().map(String::as_str)).unwrap();
    let mut seen = Vec::new();
    for device in [0, 0, 1, 0, 1] {
        let (range, data) = (NdRange::new(&[1]).unwrap(), buffer(&[0]));
        devices[device].launch(&kernel, &range, &[ArgValue::Buffer(&data)]).unwrap();
        seen.extend(words(&data));
    }
    assert_eq!(seen, [7, 8, 7, 9, 8]);
}

#[test]
fn what_finds_no_room_in_the_print_buffer_is_counted() {
    let source = r#"
kernel void f(global int *a) {
  for (int i = 0; i < 1100; i++)
    if (printf("%d%1000s\n", i, TEXT) != 0) a[0]++;
}"#;
    let text = "x".repeat(1000);
    let kernel = kernel(&source.replace("TEXT", &format!("\"{text}\"")), &["three_bus"], "f");
    let device = Device::by_name(&format!("ttasim:{}", path("three_bus").display())).unwrap();
    // The buffer is empty again for each launch.
    for _ in 0..2 {
        let (range, data) = (NdRange::new(&[1]).unwrap(), buffer(&[0]));
        let report = device.launch(&kernel, &range, &[ArgValue::Buffer(&data)]).unwrap();
        let lines = report.printed.split_inclusive(|byte| *byte == b'\n').count();
        assert_eq!(words(&data), [u32::try_from(report.print_dropped).unwrap()]);
        assert!((1000..1100).contains(&lines), "{lines}");
        assert_eq!(lines as u64 + report.print_dropped, 1100);
        assert!(report.printed.starts_with(b"0x") && report.printed.ends_with(b"xxx\n"));
    }
}

/// A host that holds a chain back whose buffers have to come to the devices first: the first command waits for a user event
/// and for transfers, which end in another order than the one in which the host hears of it. The longest chains have more commands
/// than devices have words for events.
#[test]
fn long_chains_behind_a_user_event_and_migrations_run_once_each_and_in_order() {
    let source = "kernel void step(global const uint *a, global uint *b) { b[0] = a[0] + 1; }";
    let kernel = kernel(source, &["three_bus", "wide_float"], "step");
    let range = NdRange::new(&[1]).unwrap();
    for names in [&["three_bus"][..], &["three_bus", "wide_float"]] {
        let words_of = names.iter().map(|name| word(name)).collect::<Vec<_>>();
        let context = Context::shared().unwrap();
        let devices = Device::by_names(&words_of.iter().map(String::as_str).collect::<Vec<_>>()).unwrap();
        for (out_of_order, length) in [(false, 1500), (true, 1500), (false, 3), (true, 3), (false, 1)] {
            let properties = QueueProperties { out_of_order, ..QueueProperties::default() };
            let queues: Vec<_> =
                devices.iter().map(|device| context.queue(device, properties).unwrap()).collect();
            // Written by the host, so neither is where it is needed.
            let cells = [buffer(&[7]), buffer(&[0])];
            let gate = context.user_event().unwrap();
            let mut last = gate.event().clone();
            for i in 0..length {
                let [from, to] = if i % 2 == 0 { [0, 1] } else { [1, 0] };
                let args = [ArgValue::Buffer(&cells[from]), ArgValue::Buffer(&cells[to])];
                last = queues[i % queues.len()].kernel(&kernel, &range, &args, &[last]).unwrap();
            }
            assert!(!last.is_complete(), "the gate is closed");
            gate.complete();
            last.wait().unwrap();
            let expected = 7 + u32::try_from(length).unwrap();
            assert_eq!(words(&cells[length % 2]), [expected], "{names:?}, out of order: {out_of_order}");
            queues.iter().for_each(|queue| queue.finish().unwrap());
        }
    }
}

#[test]
fn buffers_with_content_of_the_host_are_copied() {
    let context = Context::shared().unwrap();
    let device = Device::by_name(&word("three_bus")).unwrap();
    let queue = context.queue(&device, QueueProperties::default()).unwrap();
    let (from, to) = (buffer(&[1, 2, 3, 4]), buffer(&[0; 4]));
    queue.copy(&from, 0, &to, 0, 16, &[]).unwrap().wait().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(words(&to), [1, 2, 3, 4]);
}
