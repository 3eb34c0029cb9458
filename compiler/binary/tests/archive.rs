//! The container as a whole: what is written is read back, what is damaged is refused, nothing panics.

use oxcl_binary::archive::slots::{ANY_SIZE, Code, PoclSlot};
use oxcl_binary::archive::{
    AccessQualifier, AddressQualifier, Archive, Arg, ArgKind, BinaryType, File, Kernel, PathFault, Place,
    ReadErrorKind, Version, WorkGroupMeta, WriteError,
};
use oxcl_binary::hash;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};
use proptest::{prop_assert, prop_assert_eq, proptest};

const HASH: &str = "AB/CDEFGHIJKLMNOPABCDEFGHIJKLMNOPABCDEFG";

fn file(path: &str, data: &[u8]) -> File {
    File { path: path.to_owned(), data: data.to_vec() }
}

fn kernel(name: &str) -> Kernel {
    Kernel {
        name: name.to_owned(),
        args: vec![
            Arg {
                name: "out".to_owned(),
                type_name: "float*".to_owned(),
                address: AddressQualifier::Global,
                access: AccessQualifier::None,
                type_qualifier: 2,
                kind: ArgKind::Pointer,
                size: 8,
            },
            Arg {
                name: "k".to_owned(),
                type_name: "int4".to_owned(),
                address: AddressQualifier::Private,
                access: AccessQualifier::None,
                type_qualifier: 0,
                kind: ArgKind::Value,
                size: 16,
            },
        ],
        local_sizes: vec![256, 4],
        reqd_wg_size: [8, 2, 1],
        attributes: "reqd_work_group_size(8,2,1)".to_owned(),
        has_arg_metadata: Kernel::ALL_ARG_METADATA,
        work_group: None,
        sub_groups: None,
        reqd_sub_group_size: None,
        files: Vec::new(),
    }
}

fn archive(version: Version) -> Archive {
    let mut scale = kernel("scale");
    scale.add_object(Code::First, ANY_SIZE, b"generic");
    scale.add_object(Code::First, [8, 2, 1], b"special");
    if version > Version::V9 {
        scale.sub_groups = Some([4, 0]);
        scale.work_group = Some(WorkGroupMeta {
            max_size: 4096,
            preferred_multiple: 8,
            local_mem: 260,
            private_mem: 16,
            spill_mem: 0,
        });
    }
    if version == Version::V12 {
        scale.reqd_sub_group_size = Some(8);
    }
    Archive {
        version,
        device_id: 0x0123_4567_89ab_cdef,
        flush_denorms: true,
        program_scope_bytes: (version > Version::V9).then_some(12),
        binary_type: BinaryType::Executable,
        build_hash: HASH.to_owned(),
        root: vec![vec![file("/oxcl.meta", b"{}")]],
        kernels: vec![scale, kernel("other")],
    }
}

/// Reads a damaged archive and gives the error's text.
fn refused(bytes: &[u8]) -> String {
    Archive::read(bytes).expect_err("the archive is damaged").to_string()
}

#[test]
fn the_layout_is_that_of_the_format() {
    let mut small = archive(Version::V9);
    small.kernels.clear();
    let bytes = small.write().unwrap();
    let mut expected = b"poclbin\0".to_vec();
    expected.extend(0x0123_4567_89ab_cdef_u64.to_le_bytes());
    expected.extend([9, 0, 0, 0]);
    expected.extend([0, 0, 0, 0]);
    expected.extend([1, 0, 0, 0, 4, 0, 0, 0]);
    expected.extend([1, 0, 0, 0]);
    expected.extend(HASH.as_bytes());
    expected.push(0);
    expected.extend([20, 0, 0, 0, 0, 0, 0, 0]);
    expected.extend([10, 0, 0, 0]);
    expected.extend(b"/oxcl.meta");
    expected.extend([2, 0, 0, 0]);
    expected.extend(b"{}");
    assert_eq!(bytes, expected);

    small.version = Version::V12;
    small.program_scope_bytes = Some(0x55);
    let bytes = small.write().unwrap();
    assert_eq!(bytes[16], 12);
    assert_eq!(bytes[24], 3);
    assert_eq!(bytes[77..85], [0x55, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(bytes[85..], expected[77..]);
}

#[test]
fn the_kernel_record_is_that_of_the_format() {
    let mut one = archive(Version::V12);
    one.kernels.truncate(1);
    one.kernels[0].files.truncate(1);
    let with = one.write().unwrap();
    let kernel = one.kernels.pop().unwrap();
    let without = one.write().unwrap();
    let record = &with[without.len()..];
    let u32_at = |at: usize| u32::from_le_bytes(record[at..at + 4].try_into().unwrap());
    let u64_at = |at: usize| u64::from_le_bytes(record[at..at + 8].try_into().unwrap());
    let files = 4 + "/scale/0-0-0/scale.so".len() + 4 + "generic".len();
    let args = 2 * 32 + "out".len() + "float*".len() + "k".len() + "int4".len();
    assert_eq!(u64_at(0), record.len() as u64);
    assert_eq!(u64_at(8), files as u64);
    assert_eq!(u32_at(16), u32::try_from(args).unwrap());
    assert_eq!((u32_at(20), &record[24..29]), (5, &b"scale"[..]));
    assert_eq!((u32_at(29), u32_at(33)), (2, 2));
    assert_eq!((u64_at(37), u64_at(45), u64_at(53)), (8, 2, 1));
    assert_eq!((u64_at(61), u64_at(69)), (256, 4));
    assert_eq!(u32_at(77), u32::try_from(kernel.attributes.len()).unwrap());
    let after = 81 + kernel.attributes.len();
    let fields: Vec<u32> = (0..10).map(|i| u32_at(after + 4 * i)).collect();
    assert_eq!(fields, [31, 14, 4, 0, 4096, 8, 260, 16, 0, 8]);
    let arg = after + 40;
    assert_eq!((u32_at(arg), u32_at(arg + 4), u64_at(arg + 8)), (0x11A3, 0x119B, 2));
    assert_eq!((u32_at(arg + 16), u32_at(arg + 20), u32_at(arg + 24)), (1, 8, 3));
    assert_eq!(record.len(), arg + args + files);
}

#[test]
fn every_version_survives_the_round_trip() {
    for version in Version::ALL {
        let archive = archive(version);
        let bytes = archive.write().unwrap();
        let read = Archive::read(&bytes).unwrap();
        assert_eq!(read, archive);
        assert_eq!(read.write().unwrap(), bytes);
    }
}

#[test]
fn every_truncation_is_an_error_at_a_place_inside() {
    for version in Version::ALL {
        let bytes = archive(version).write().unwrap();
        for length in 0..bytes.len() {
            let error = Archive::read(&bytes[..length]).expect_err("truncated");
            assert!(error.offset <= length, "{error}");
            assert!(
                matches!(error.kind, ReadErrorKind::Truncated { .. } | ReadErrorKind::ImpossibleCount { .. }),
                "{length}: {error}"
            );
        }
    }
}

#[test]
fn errors_say_where_and_what_was_expected() {
    let bytes = archive(Version::V12).write().unwrap();
    assert_eq!(
        refused(&bytes[..18]),
        "byte 16, in the header: the archive ends inside the container version: 4 bytes expected, 2 left"
    );
    assert_eq!(
        refused(b"\x7fELF\x02\x01\x01\0\0\0\0\0"),
        "byte 0, in the header: not a pocl-binary: it should begin with 'poclbin' and a zero byte"
    );
    let last = Archive::read(&bytes[..bytes.len() - 1]).unwrap_err();
    assert_eq!(last.place, Place::Kernel { index: 1, name: None });

    let mut trailing = bytes.clone();
    trailing.push(0);
    assert_eq!(
        refused(&trailing),
        format!("byte {}, in the end: 1 bytes follow the last record", bytes.len())
    );
}

#[test]
fn damaged_fields_are_refused_where_they_are() {
    let bytes = archive(Version::V12).write().unwrap();
    let with = |at: usize, new: &[u8]| {
        let mut damaged = bytes.clone();
        damaged[at..at + new.len()].copy_from_slice(new);
        refused(&damaged)
    };
    assert!(with(16, &[10]).contains("byte 16, in the header: container version 10 is not known"));
    assert!(with(20, &[0xff; 4]).contains("4294967295 kernel records cannot fit"));
    assert!(with(24, &[7]).contains("the header's flags has bits 0x4, which version 12"));
    assert!(with(28, &[8]).contains("0x8 is not a value of the binary type"));
    assert!(with(32, &[0xff; 4]).contains("4294967295 root entries cannot fit"));
    assert!(with(36, b"../").contains("the build hash is not a directory's name"));
    assert!(with(76, b"x").contains("the build hash is not a directory's name"));
    assert!(with(85, &[0; 8]).contains("in root entry 0: a root entry must hold a file"));
    assert!(with(85, &[0xff; 8]).contains("18446744073709551615 bytes expected"));
    assert!(with(85, &[19]).contains("a file's contents crosses the end of its record"));
    assert!(with(97, b"/../").contains("path '/../l.meta' is not allowed: it has a component"));
    assert!(with(97, b"x").contains("it does not begin with '/'"));
    assert!(with(98, b"\xff").contains("a file's path is not UTF-8 text"));
    assert!(with(98, b"\\").contains("it has a backslash"));

    let record = 85 + 8 + 20;
    assert!(with(record, &[0; 8]).contains("in kernel record 0: "));
    assert!(with(record + 8, &[0; 8]).contains("the record's files should have 0 bytes and has"));
    assert!(with(record + 16, &[1]).contains("the arguments should have 1 bytes and has 78"));
    assert!(with(record + 24, b"a/").contains("'a/ale' cannot be a kernel's name"));
    assert!(with(record + 29, &[0xff; 4]).contains("4294967295 arguments cannot fit"));
    assert!(with(record + 33, &[0xff; 4]).contains("4294967295 automatic locals cannot fit"));
}

#[test]
fn blocks_of_later_versions_are_refused_in_earlier_ones() {
    let bytes = archive(Version::V12).write().unwrap();
    let mut older = bytes.clone();
    older[16] = 11;
    assert!(refused(&older).contains("the kernel's flags has bits 0x8, which version 11"));
    older[16] = 9;
    assert!(refused(&older).contains("the header's flags has bits 0x2, which version 9"));

    let with = |change: fn(&mut Archive), version| {
        let mut archive = archive(version);
        change(&mut archive);
        archive.write().unwrap_err()
    };
    let field = |field, version| WriteError::NotInVersion { field, version };
    assert_eq!(
        with(|a| a.version = Version::V9, Version::V12),
        field("the size of the variables at program scope", Version::V9)
    );
    assert_eq!(
        with(|a| a.kernels[1].sub_groups = Some([1, 1]), Version::V9),
        field("sub-group facts", Version::V9)
    );
    assert_eq!(
        with(|a| a.kernels[1].reqd_sub_group_size = Some(8), Version::V11),
        field("a required sub-group size", Version::V11)
    );
}

#[test]
fn what_the_format_cannot_hold_is_not_written() {
    let with = |change: fn(&mut Archive)| {
        let mut archive = archive(Version::V9);
        change(&mut archive);
        archive.write().unwrap_err().to_string()
    };
    assert_eq!(with(|a| a.root.clear()), "version 9 has exactly one root entry, not 0");
    assert_eq!(with(|a| a.root[0].clear()), "a root entry must hold a file");
    assert_eq!(with(|a| a.build_hash.clear()), "'' cannot be a build hash");
    assert_eq!(with(|a| a.build_hash = "/etc".to_owned()), "'/etc' cannot be a build hash");
    assert_eq!(with(|a| a.kernels[1].name.clear()), "'' cannot be a kernel's name");
    assert_eq!(with(|a| a.kernels[1].name = "scale".to_owned()), "two kernels of the name 'scale'");
    assert_eq!(with(|a| a.kernels[1].attributes.push('\0')), "a kernel's attributes has a NUL");
    assert_eq!(
        with(|a| a.kernels[1].files.push(file("/oxcl.meta", b""))),
        "path '/oxcl.meta' is not allowed: another file has this path"
    );
    let mut archive = archive(Version::V12);
    archive.root[0].push(file("/a/../../b", b""));
    assert_eq!(
        archive.write(),
        Err(WriteError::Path { path: "/a/../../b".to_owned(), fault: PathFault::Relative })
    );
}

#[test]
fn sealing_names_the_contents() {
    let mut archive = archive(Version::V12);
    let bytes = archive.seal().unwrap();
    assert_eq!(Archive::read(&bytes).unwrap(), archive);
    assert_eq!(archive.build_hash.len(), hash::BUILD_HASH_LENGTH);
    assert_eq!(archive.build_hash.as_bytes()[2], b'/');

    let mut zeroed = bytes.clone();
    zeroed[hash::BUILD_HASH_FIELD].fill(0);
    assert_eq!(archive.build_hash, hash::build_hash_text(&zeroed));
    // What the field held before makes no difference, what the archive holds does.
    assert_eq!(archive.seal().unwrap(), bytes);
    archive.kernels[0].files[0].data.push(0);
    let before = archive.build_hash.clone();
    archive.seal().unwrap();
    assert_ne!(archive.build_hash, before);
}

#[test]
fn shared_objects_are_found_where_they_are_stored() {
    let archive = archive(Version::V12);
    let scale = archive.kernel("scale").unwrap();
    let paths: Vec<&str> = scale.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(
        paths,
        [
            "/scale/0-0-0/scale.so",
            "/scale/8-2-1/scale.so",
            "/scale/8-2-1-smallgrid/scale.so",
            "/scale/8-2-1-goffs0/scale.so",
            "/scale/8-2-1-goffs0-smallgrid/scale.so",
        ]
    );
    let data = |file: Option<&File>| file.map(|file| file.data.clone());
    assert_eq!(data(scale.object(Code::First, [8, 2, 1])), Some(b"special".to_vec()));
    assert_eq!(data(scale.object(Code::First, [8, 1, 1])), None);
    assert_eq!(data(scale.best_object(Code::First, [8, 1, 1])), Some(b"generic".to_vec()));
    assert_eq!(data(scale.object(Code::Level("x86-64-v3"), ANY_SIZE)), None);
    let slot = PoclSlot { local_size: [8, 2, 1], zero_offset: true, small_grid: false };
    assert_eq!(data(scale.pocl_object(slot)), Some(b"special".to_vec()));
    assert!(archive.file("/scale/0-0-0/scale.so").is_some());
    assert!(archive.kernel("none").is_none());

    let long = "k".repeat(60);
    let mut kernel = kernel(&long);
    kernel.add_object(Code::Ref, ANY_SIZE, b"");
    kernel.add_object(Code::Level("znver4"), ANY_SIZE, b"");
    let name = hash::clipped_name(&long);
    assert_eq!(kernel.files[0].path, format!("/{name}/oxcl/ref.so"));
    assert_eq!(kernel.files[1].path, format!("/{name}/oxcl/znver4/0-0-0.so"));
    assert!(kernel.object(Code::Ref, [4, 1, 1]).is_some());
}

#[test]
fn long_names_are_whole_in_version_9() {
    let long = "k".repeat(60);
    for version in Version::ALL {
        let mut archive = archive(version);
        let mut kernel = kernel(&long);
        kernel.add_object(Code::First, ANY_SIZE, b"generic");
        kernel.add_object(Code::Ref, ANY_SIZE, b"ref");
        archive.kernels.push(kernel);
        let read = Archive::read(&archive.seal().unwrap()).unwrap();
        let kernel = read.kernel(&long).unwrap();
        let name = if version == Version::V9 { &long } else { &*hash::clipped_name(&long) };
        assert_eq!(kernel.files[0].path, format!("/{name}/0-0-0/{name}.so"));
        assert_eq!(kernel.files[1].path, format!("/{name}/oxcl/ref.so"));
        assert_eq!(kernel.best_object(Code::First, [4, 1, 1]), Some(&kernel.files[0]));
        assert_eq!(kernel.pocl_object(PoclSlot::GENERIC), Some(&kernel.files[0]));
        assert_eq!(kernel.object(Code::Ref, ANY_SIZE), Some(&kernel.files[1]));
    }
}

#[test]
fn sizes_that_pocl_3_takes_for_vectors_of_three_are_left_out() {
    for version in Version::ALL {
        let mut archive = archive(version);
        let sizes = [48, 16, 64];
        for (size, name) in sizes.iter().zip(["structure", "vector3", "other"]) {
            let mut arg = archive.kernels[1].args[1].clone();
            (arg.name, arg.size) = (name.to_owned(), *size);
            archive.kernels[1].args.push(arg);
        }
        archive.seal().unwrap();
        let found: Vec<u32> = archive.kernels[1].args[2..].iter().map(|arg| arg.size).collect();
        assert_eq!(found, if version == Version::V9 { [0, 16, 64] } else { sizes });
    }
}

#[test]
fn relocatable_objects_stand_beside_the_shared_ones() {
    let mut kernel = kernel("k");
    kernel.add_relocatable(ANY_SIZE, b"any");
    kernel.add_relocatable([4, 1, 1], b"four");
    let paths: Vec<&str> = kernel.files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths[..2], ["/k/0-0-0/k.so.o", "/k/4-1-1/k.so.o"]);
    assert_eq!(paths.len(), 5);
    assert_eq!(kernel.object(Code::First, ANY_SIZE), None);
}

#[test]
fn facts_are_read_through_the_archive() {
    let archive = archive(Version::V12);
    assert!(archive.program_meta().unwrap_err().to_string().contains("missing field `schema`"));
    assert_eq!(archive.kernels[0].meta(), Ok(None));
    let mut foreign = archive;
    foreign.root[0][0].path = "/program.bc".to_owned();
    assert_eq!(foreign.program_meta(), Ok(None));
}

fn arb_text() -> impl Strategy<Value = String> {
    prop_oneof!["[a-z_]{0,12}", "[^\0]{0,6}"]
}

fn arb_arg() -> impl Strategy<Value = Arg> {
    let address = prop_oneof![
        Just(AddressQualifier::Global),
        Just(AddressQualifier::Local),
        Just(AddressQualifier::Constant),
        Just(AddressQualifier::Private),
    ];
    let access = prop_oneof![
        Just(AccessQualifier::ReadOnly),
        Just(AccessQualifier::WriteOnly),
        Just(AccessQualifier::ReadWrite),
        Just(AccessQualifier::None),
    ];
    let kind = prop_oneof![
        Just(ArgKind::Value),
        Just(ArgKind::Pointer),
        Just(ArgKind::Image),
        Just(ArgKind::Sampler),
        Just(ArgKind::Pipe),
    ];
    (arb_text(), arb_text(), address, access, any::<u64>(), kind, any::<u32>()).prop_map(
        |(name, type_name, address, access, type_qualifier, kind, size)| Arg {
            name,
            type_name,
            address,
            access,
            type_qualifier,
            kind,
            size,
        },
    )
}

fn arb_files(directory: String) -> impl Strategy<Value = Vec<File>> {
    vec(vec(any::<u8>(), 0..40), 0..4).prop_map(move |contents| {
        let path = |index| format!("{directory}/f{index}");
        let files = contents.into_iter().enumerate();
        files.map(|(index, data)| File { path: path(index), data }).collect()
    })
}

fn arb_kernel(index: usize, version: Version) -> impl Strategy<Value = Kernel> {
    let work_group = any::<Option<[u32; 5]>>().prop_map(move |facts| {
        facts.filter(|_| version > Version::V9).map(|f| WorkGroupMeta {
            max_size: f[0],
            preferred_multiple: f[1],
            local_mem: f[2],
            private_mem: f[3],
            spill_mem: f[4],
        })
    });
    let facts = (work_group, any::<Option<[u32; 2]>>(), any::<Option<u32>>());
    let head = (vec(arb_arg(), 0..4), vec(any::<u64>(), 0..3), any::<[u64; 3]>(), arb_text());
    (head, any::<u32>(), facts, arb_files(format!("/kernel{index}"))).prop_map(
        move |(head, has_arg_metadata, facts, files)| {
            let (args, local_sizes, reqd_wg_size, attributes) = head;
            let (work_group, sub_groups, reqd_sub_group_size) = facts;
            Kernel {
                name: format!("kernel{index}"),
                args,
                local_sizes,
                reqd_wg_size,
                attributes,
                has_arg_metadata,
                work_group,
                sub_groups: sub_groups.filter(|_| version > Version::V9),
                reqd_sub_group_size: reqd_sub_group_size.filter(|_| version > Version::V11),
                files,
            }
        },
    )
}

fn arb_archive() -> impl Strategy<Value = Archive> {
    let versions = prop_oneof![Just(Version::V9), Just(Version::V11), Just(Version::V12)];
    versions.prop_flat_map(|version| {
        let kernels = (0..3).map(|index| arb_kernel(index, version)).collect::<Vec<_>>();
        let binary_type = prop_oneof![
            Just(BinaryType::CompiledObject),
            Just(BinaryType::Library),
            Just(BinaryType::Executable),
        ];
        let root = arb_files("/root".to_owned());
        (any::<(u64, bool, Option<u64>)>(), binary_type, "[A-P]{2}/[A-P]{37}", root, kernels).prop_map(
            move |(head, binary_type, build_hash, mut root, kernels)| {
                let (device_id, flush_denorms, program_scope_bytes) = head;
                root.push(file("/program.bc", b"BC"));
                Archive {
                    version,
                    device_id,
                    flush_denorms,
                    program_scope_bytes: program_scope_bytes.filter(|_| version > Version::V9),
                    binary_type,
                    build_hash,
                    root: vec![root],
                    kernels,
                }
            },
        )
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_back(archive in arb_archive()) {
        let bytes = archive.write().unwrap();
        prop_assert_eq!(Archive::read(&bytes).unwrap(), archive);
    }

    #[test]
    fn damage_never_panics_and_what_is_accepted_writes_the_same_bytes(
        archive in arb_archive(),
        flips in vec((any::<proptest::sample::Index>(), any::<u8>()), 1..6),
        cut in any::<Option<proptest::sample::Index>>(),
    ) {
        let mut bytes = archive.write().unwrap();
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] = value;
        }
        if let Some(cut) = cut {
            bytes.truncate(cut.index(bytes.len()));
        }
        match Archive::read(&bytes) {
            Ok(read) => prop_assert_eq!(read.write().unwrap(), bytes),
            Err(error) => prop_assert!(error.offset <= bytes.len()),
        }
    }

    #[test]
    fn any_bytes_are_read_without_panic(tail in vec(any::<u8>(), 0..200)) {
        let mut bytes = b"poclbin\0".to_vec();
        bytes.extend(tail);
        prop_assert!(Archive::read(&bytes).is_err());
    }
}
