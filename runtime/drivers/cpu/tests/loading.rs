//! Loading of machine code: what is chosen, what is refused and how that is said, and that unloading works.

mod support;

use std::sync::Arc;

use oxcl_binary::archive::slots::{ANY_SIZE, Code, PoclSlot, Readers};
use oxcl_binary::archive::{Archive, File, Kernel, Version};
use oxcl_binary::known::{KnownArgument, KnownArguments};
use oxcl_binary::meta::{KernelMeta, Level, SUB_GROUP_SIZES};
use oxcl_driver::program::{Binary, LaunchShape};
use oxcl_driver::{CodeError, Geometry, HostMemory, Lane, Launch as _};
use oxcl_driver_cpu::{Argument, CpuDriver, KernelCode, KernelTraits, Kind, PreparedLaunch, Target};
use support::{
    baseline, buffer, foreign_archive, foreign_kernel, kernel, kernel_meta, object, object_with, our_archive,
    our_kernel, program_meta, single,
};

fn binary(archive: &Archive) -> Arc<Binary> {
    Arc::new(Binary::new(archive.clone()).unwrap())
}

fn select(archive: &Arc<Archive>) -> Result<KernelCode, CodeError> {
    KernelCode::select(binary(archive), 0, Target::Native)
}

/// Loads the generic function of a one-kernel archive.
fn load(archive: &Arc<Archive>) -> Result<(), CodeError> {
    select(archive)?.function([1, 1, 1]).map(drop)
}

/// An archive of ours whose kernel `k` has this file as its generic function.
fn with_object(data: &[u8]) -> Arc<Archive> {
    let mut record = kernel("k", vec![]);
    record.add_object(Code::First, ANY_SIZE, data);
    single(record)
}

const EMPTY: &str = "META(k, 0, 0, 1) NATIVE(k) {}";

/// Runs the kernel `k(int *out)` of an archive for one work-item and gives what it wrote.
fn answer(code: &KernelCode, local: [u64; 3]) -> i32 {
    let out = HostMemory::zeroed(4).unwrap();
    let geometry = Geometry { work_dim: 1, groups: [1; 3], local, global: local, offset: [0; 3] };
    let arguments = [Argument::Buffer(out.as_ptr())];
    let function = code.function_for(&geometry, &LaunchShape { local, known: KnownArguments::NONE }).unwrap();
    let launch = PreparedLaunch::new(
        function,
        geometry,
        &arguments,
        |place| *place,
        &[],
        KernelTraits { has_barrier: false, prints: false, sub_group_size: 1, zero_local: false },
    )
    .unwrap();
    // SAFETY: the buffer outlives the launch, and the kernel writes one int to it.
    let work = unsafe { CpuDriver::new(Kind::Basic, 1).work(launch) };
    work.run(0, 1, Lane { index: 0 }).unwrap();
    // SAFETY: the buffer holds an int.
    unsafe { out.as_ptr().cast::<i32>().read() }
}

fn answering(number: i32) -> Vec<u8> {
    object(&format!("META(k, 0, 0, 1) NATIVE(k) {{ BUF(int, 0)[0] = {number}; }}"))
}

#[test]
fn a_thousand_loads_each_run_their_own_code() {
    // The answer is data of the object, patched for each load, so that no compiler runs a thousand times.
    let marker = 0x5eed_1e55_i32;
    let source = format!("int answer = {marker}; META(k, 0, 0, 1) NATIVE(k) {{ BUF(int, 0)[0] = answer; }}");
    let data = object(&source);
    let at = data.windows(4).position(|bytes| bytes == marker.to_le_bytes()).unwrap();
    for number in 0..1000_i32 {
        let mut data = data.clone();
        data[at..at + 4].copy_from_slice(&number.to_le_bytes());
        let mut record = kernel("k", vec![buffer("out")]);
        record.add_object(Code::First, ANY_SIZE, &data);
        let code = select(&single(record)).unwrap();
        assert_eq!(answer(&code, [1, 1, 1]), number);
    }
}

#[test]
fn the_specialised_function_runs_where_it_fits() {
    let mut record = kernel("k", vec![buffer("out")]);
    record.add_object(Code::First, ANY_SIZE, &answering(1));
    let special = object("META_FOR(k, 8, 2, 1) NATIVE(k) { BUF(int, 0)[0] = 2; }");
    record.add_object(Code::First, [8, 2, 1], &special);
    let code = select(&single(record)).unwrap();
    assert_eq!(answer(&code, [8, 2, 1]), 2);
    assert_eq!(answer(&code, [8, 1, 1]), 1);
    assert!(code.function([8, 2, 1]).unwrap().is_specialised());
}

#[test]
fn a_function_for_known_arguments_runs_where_these_are_given_and_nowhere_else() {
    let mut record = kernel("k", vec![buffer("out")]);
    record.add_object(Code::First, ANY_SIZE, &answering(1));
    let special =
        |number| object(&format!("META_FOR(k, 8, 1, 1) NATIVE(k) {{ BUF(int, 0)[0] = {number}; }}"));
    let known = |value| KnownArguments(vec![KnownArgument { index: 1, value }]);
    record.add_object_for(Code::First, [8, 1, 1], &known(5), &special(2), Readers::Own);
    let code = select(&single(record)).unwrap();
    let geometry = |local| Geometry {
        work_dim: 1,
        groups: [1; 3],
        local: [local, 1, 1],
        global: [local, 1, 1],
        offset: [0; 3],
    };
    let shape = |local, known| LaunchShape { local: [local, 1, 1], known };
    let special_for = |local, known| {
        let shape = shape(local, known);
        (
            code.function_for(&geometry(local), &shape).unwrap().is_specialised(),
            code.is_specialised_for(&shape),
        )
    };
    assert_eq!(special_for(8, known(5)), (true, true));
    for other in [(8, known(6)), (8, KnownArguments::NONE), (4, known(5))] {
        assert_eq!(special_for(other.0, other.1), (false, false));
    }
    // What came later is told apart in the same way.
    let mut later = kernel("k", vec![buffer("out")]);
    later.add_object(Code::First, ANY_SIZE, &answering(1));
    later.add_object_for(Code::First, [8, 1, 1], &known(6), &special(3), Readers::Own);
    let later = single(later);
    code.add(&later, &shape(8, known(6))).unwrap();
    assert_eq!(special_for(8, known(6)), (true, true));
    assert_eq!(special_for(8, known(7)), (false, false));
    assert!(matches!(code.add(&later, &shape(8, known(7))), Err(CodeError::BadFacts { .. })));
}

#[test]
fn a_function_under_another_size_is_refused() {
    let mut record = kernel("k", vec![]);
    record.add_object(Code::First, ANY_SIZE, &object(EMPTY));
    record.add_object(Code::First, [4, 4, 1], &object("META_FOR(k, 8, 2, 1) NATIVE(k) {}"));
    let error = select(&single(record)).unwrap().function([4, 4, 1]).unwrap_err();
    assert!(matches!(error, CodeError::BadFacts { .. }), "{error}");
}

/// An archive of ours whose kernel `k`, whose work-items meet in sub-groups of a size, gives a number.
fn with_sub_groups(size: u32, number: i32) -> Arc<Archive> {
    let mut record = kernel("k", vec![buffer("out")]);
    record.add_object(Code::First, ANY_SIZE, &answering(number));
    let special = format!("META_FOR(k, 8, 1, 1) NATIVE(k) {{ BUF(int, 0)[0] = {number}; }}");
    record.add_object(Code::First, [8, 1, 1], &object(&special));
    let facts = KernelMeta { sub_groups: true, sub_group_size: size, ..kernel_meta(&record, true) };
    record.add_meta(&facts).unwrap();
    single(record)
}

#[test]
fn sub_groups_of_a_size_that_no_device_has_are_refused() {
    for size in SUB_GROUP_SIZES {
        select(&with_sub_groups(size, 1)).unwrap();
    }
    for size in [0, 1, 2, 12, 128] {
        let error = select(&with_sub_groups(size, 1)).unwrap_err();
        assert!(matches!(error, CodeError::BadFacts { .. }), "{error}");
        assert!(error.to_string().contains(&format!("sub-groups of {size}, which no device has")), "{error}");
    }
}

#[test]
fn later_code_with_sub_groups_of_another_size_is_refused() {
    let code = select(&with_sub_groups(8, 1)).unwrap();
    // The function that is there already must not hide the refusal.
    assert_eq!(answer(&code, [8, 1, 1]), 1);
    let for_eight = LaunchShape { local: [8, 1, 1], known: KnownArguments::NONE };
    let error = code.add(&with_sub_groups(16, 2), &for_eight).unwrap_err();
    assert!(matches!(error, CodeError::BadFacts { .. }), "{error}");
    assert!(error.to_string().contains("sub-groups of another size"), "{error}");
    assert_eq!(answer(&code, [8, 1, 1]), 1);
    code.add(&with_sub_groups(8, 2), &for_eight).unwrap();
    assert_eq!(answer(&code, [8, 1, 1]), 2);
}

#[test]
fn the_most_demanding_level_that_the_cpu_has_runs() {
    let level = |cpu: &str, features: &[&str]| Level {
        cpu: cpu.to_owned(),
        features: features.iter().map(|&feature| feature.to_owned()).collect(),
    };
    let mut meta = program_meta(baseline());
    meta.levels.push(level("better", &["sse", "sse2"]));
    meta.levels.push(level("from-the-future", &["sse", "sse2", "telepathy", "x87"]));
    let mut record = kernel("k", vec![buffer("out")]);
    record.add_object(Code::First, ANY_SIZE, &answering(1));
    record.add_object(Code::Level("better"), ANY_SIZE, &answering(2));
    record.add_object(Code::Level("from-the-future"), ANY_SIZE, &answering(3));
    let archive = Arc::new(our_archive(&meta, vec![record.clone()]));
    let code = select(&archive).unwrap();
    assert_eq!((code.cpu(), answer(&code, [1, 1, 1])), (Some("better"), 2));

    meta.levels = vec![level("from-the-future", &["sse2", "telepathy"])];
    let error = select(&Arc::new(our_archive(&meta, vec![record.clone()]))).unwrap_err();
    assert_eq!(error.to_string(), "kernel 'k' is compiled for from-the-future; this CPU lacks telepathy");

    meta.triple = "aarch64-unknown-linux-gnu".to_owned();
    let error = select(&Arc::new(our_archive(&meta, vec![record]))).unwrap_err();
    assert!(matches!(error, CodeError::WrongTriple { .. }), "{error}");
}

#[test]
fn a_foreign_archive_for_a_cpu_that_we_lack_is_refused() {
    let record = foreign_kernel(kernel("k", vec![]), "POCL96(k) {}");
    let mut archive = foreign_archive(Version::V9, vec![record]);
    archive.device_id = oxcl_binary::hash::device_id("pthread-x86_64-pc-linux-gnu-bdver1");
    let result = load(&Arc::new(archive));
    if oxcl_driver_cpu::HostCpu::get().missing(&["fma4", "xop"]).is_empty() {
        result.unwrap();
    } else {
        let message = result.unwrap_err().to_string();
        assert!(message.starts_with("kernel 'k' is compiled for bdver1; this CPU lacks "), "{message}");
    }
}

#[test]
fn code_for_another_device_is_named() {
    let mut record = kernel("k", vec![]);
    record.add_object(Code::Ref, ANY_SIZE, &object("REF(k) {}"));
    let error = select(&single(record)).unwrap_err().to_string();
    let want = "the archive has no code for kernel 'k' that the CPU can run: it has code for the reference executor \
                only (device 'ref')";
    assert_eq!(error, want);

    let archive = with_object(&object(EMPTY));
    let error = KernelCode::select(binary(&archive), 0, Target::Reference).unwrap_err().to_string();
    assert!(error.ends_with("it has code for the CPU only (devices 'cpu' and 'basic')"), "{error}");

    let error = select(&single(kernel("k", vec![]))).unwrap_err().to_string();
    assert!(error.ends_with("it holds no machine code"), "{error}");
}

#[test]
fn symbols_that_nothing_provides_are_named() {
    let source = "void zebra(void); void aardvark(void); META(k, 0, 0, 1) NATIVE(k) { zebra(); aardvark(); }";
    let error = load(&with_object(&object(source))).unwrap_err();
    let symbols = vec!["aardvark".to_owned(), "zebra".to_owned()];
    assert!(
        matches!(&error, CodeError::UndefinedSymbols { symbols: found, .. } if *found == symbols),
        "{error}"
    );
}

#[test]
fn the_maths_library_need_not_be_named() {
    let source =
        "float sinf(float); META(k, 0, 0, 1) NATIVE(k) { BUF(float, 0)[0] = sinf(BUF(float, 0)[0]); }";
    let folder = tempfile::tempdir().unwrap();
    let object =
        object_with(source, &["-nostdlib", "-Wl,--as-needed", "-L", folder.path().to_str().unwrap()]);
    load(&with_object(&object)).unwrap();
}

#[test]
fn libraries_beyond_the_c_library_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("libhelper.so.1"), object("int helper(void) { return 1; }")).unwrap();
    let path = folder.path().join("libhelper.so.1");
    let object = object_with(EMPTY, &["-Wl,--no-as-needed", path.to_str().unwrap()]);
    let error = load(&with_object(&object)).unwrap_err();
    assert!(matches!(error, CodeError::ForbiddenLibraries { .. }), "{error}");
}

#[test]
fn missing_entries_and_other_interfaces_are_refused() {
    let error = load(&with_object(&object("META(other, 0, 0, 1) NATIVE(other) {}"))).unwrap_err();
    assert_eq!(error.to_string(), "'/k/0-0-0/k.so' does not define 'oxcl_wg_k'");
    let error = load(&with_object(&object("NATIVE(k) {}"))).unwrap_err();
    assert_eq!(error.to_string(), "'/k/0-0-0/k.so' does not define 'oxcl_meta_k'");
    let error =
        load(&with_object(&object("const struct meta oxcl_meta_k = {77}; NATIVE(k) {}"))).unwrap_err();
    assert_eq!(error, CodeError::AbiVersion { path: "/k/0-0-0/k.so".to_owned(), found: 77 });
}

#[test]
fn printing_through_the_hook_of_later_versions_is_not_yet() {
    let source = "void pocl_flush_printf_buffer(char *, u32); POCL(k) { pocl_flush_printf_buffer(0, 0); }";
    let archive = foreign_archive(Version::V12, vec![foreign_kernel(kernel("k", vec![]), source)]);
    let error = load(&Arc::new(archive)).unwrap_err();
    assert!(matches!(error, CodeError::PrintfNotYet { .. }), "{error}");
}

#[test]
fn damaged_objects_are_errors_and_never_signals() {
    let data = object(EMPTY);
    for length in (0..data.len()).step_by(97) {
        load(&with_object(&data[..length])).unwrap_err();
    }
    for (at, byte, what) in
        [(0, 0, "magic"), (4, 1, "32 bits"), (5, 2, "big endian"), (16, 2, "type"), (18, 3, "CPU")]
    {
        let mut data = data.clone();
        data[at] = byte;
        let error = load(&with_object(&data)).expect_err(what);
        assert!(matches!(error, CodeError::NotLoadable { .. }), "{what}: {error}");
    }
}

#[test]
fn long_names_are_found_under_their_clipped_paths() {
    let name = "k".repeat(100);
    let source = format!("META({name}, 0, 0, 1) NATIVE({name}) {{ BUF(int, 0)[0] = 7; }}");
    let record = our_kernel(kernel(&name, vec![buffer("out")]), false, &format!("{source} REF({name}) {{}}"));
    let code = select(&single(record)).unwrap();
    assert_eq!(answer(&code, [1, 1, 1]), 7);
}

#[test]
fn variants_that_assume_more_than_the_local_size_are_left_alone() {
    let number = |number: i32| object(&format!("POCL(k) {{ BUF(int, 0)[0] = {number}; }}"));
    let generic = PoclSlot::GENERIC;
    let slot = |zero_offset, small_grid| PoclSlot { local_size: [4, 1, 1], zero_offset, small_grid };
    let file = |slot: PoclSlot, data| File { path: slot.path("k"), data };
    let mut record: Kernel = kernel("k", vec![buffer("out")]);
    record.files.push(file(slot(true, true), number(1)));
    record.files.push(file(generic, number(2)));
    let archive = Arc::new(foreign_archive(Version::V11, vec![record.clone()]));
    assert_eq!(answer(&select(&archive).unwrap(), [4, 1, 1]), 2);
    record.files.push(file(slot(false, false), number(3)));
    let archive = Arc::new(foreign_archive(Version::V11, vec![record]));
    assert_eq!(answer(&select(&archive).unwrap(), [4, 1, 1]), 3);
}
