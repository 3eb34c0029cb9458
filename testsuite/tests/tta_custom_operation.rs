//! The worked example of `docs/tta.md`: a kernel that uses an operation of its machine by name gives the same as one that
//! computes it, in fewer cycles; a machine without the operation, and the host, refuse it by name.

use oxcl_compiler::{BuildOptions, CompileError, Devices, Emit, Request, SourceFile, compile};
use oxcl_runtime::{ArgValue, Buffer, Device, NdRange, Program};
use oxcl_tta::adf;
use std::path::{Path, PathBuf};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("custom_operation")
}

fn archive(options: &str, machine: Option<&Path>) -> Result<Vec<u8>, CompileError> {
    let text = std::fs::read_to_string(folder().join("reverse.cl")).unwrap();
    let mut request = Request::new(vec![SourceFile { name: "reverse.cl".into(), text }]);
    request.options = BuildOptions::parse(options).unwrap();
    request.devices = Devices { cpu: machine.is_none(), reference: false };
    let read = |path: &Path| adf::read(&std::fs::read_to_string(path).unwrap()).unwrap().machine;
    request.machines = machine.map(read).into_iter().collect();
    compile(&request, Emit::Archive, None).map(|compiled| compiled.bytes)
}

/// What the kernel leaves, and the cycles that it took.
fn run(options: &str) -> (Vec<u32>, u64) {
    let machine = folder().join("reflecting.adf");
    let bytes = archive(options, Some(&machine)).unwrap_or_else(|error| panic!("{error}"));
    let kernel = Program::from_archive(&bytes).unwrap().kernel("reverse").unwrap();
    let device = Device::by_name(&format!("ttasim:{},strict", machine.display())).unwrap();
    let data: Vec<u8> = (0..64_u32).flat_map(|i| (i * 0x0101_0107 + 3).to_le_bytes()).collect();
    let (from, to) = (Buffer::from_bytes(&data).unwrap(), Buffer::zeroed(256).unwrap());
    let range = NdRange::new(&[64]).unwrap();
    device.launch(&kernel, &range, &[ArgValue::Buffer(&from), ArgValue::Buffer(&to)]).unwrap();
    let words = to.to_vec().chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
    let spans = device.processor_core().unwrap().timeline();
    (words, spans[0].ended - spans[0].started)
}

#[test]
fn a_custom_operation_computes_what_its_kernel_means_in_fewer_cycles() {
    let ((plain, slow), (custom, fast)) = (run(""), run("-DREFLECT"));
    let expected: Vec<u32> = (0..64_u32)
        .map(|i| i * 0x0101_0107 + 3)
        .map(|word| word.reverse_bits() ^ word.wrapping_mul(2_654_435_761).reverse_bits())
        .collect();
    assert_eq!((plain, custom), (expected.clone(), expected));
    assert!(5 * fast < 4 * slow, "{fast} cycles with the operation, {slow} without");
}

#[test]
fn who_lacks_the_operation_says_so() {
    let other = Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/tta/machines/three_bus.adf");
    for (machine, name) in [(Some(other.as_path()), "reflect32"), (None, "__tta_op_reflect32")] {
        let error = archive("-DREFLECT", machine).expect_err("nothing has it").to_string();
        assert!(error.contains(name), "{error}");
    }
}
