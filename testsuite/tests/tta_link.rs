//! What a flush costs on a simulated processor: the units of ten kernels are linked and loaded once, nothing is scheduled outside
//! of the compiler, and launching known kernels again costs neither. `--release -- --nocapture` prints how long it took.

#![allow(clippy::print_stderr, reason = "a release run says how long it took")]

use oxcl_compiler::{Devices, Emit, Request, SourceFile, compile};
use oxcl_runtime::{ArgValue, Buffer, Context, Device, NdRange, Program, QueueProperties};
use oxcl_tta::{adf, schedule};
use std::fmt::Write as _;
use std::path::Path;

/// Kernels `k0` to `k9`, each of which does something else; some reach run-time routines.
fn source() -> String {
    let bodies = [
        "a[i] + 3",
        "a[i] * 5",
        "a[i] / 7",
        "a[i] % 9",
        "a[i] << (i & 7)",
        "rotate(a[i], 5u)",
        "(uint)((float)a[i] * 1.5f)",
        "(uint)((ulong)a[i] * a[i] >> 7)",
        "max(a[i], 9u)",
        "popcount(a[i]) + a[i]",
    ];
    bodies.iter().enumerate().fold(String::new(), |mut text, (number, body)| {
        let _ = writeln!(
            text,
            "kernel void k{number}(global uint *a) {{ size_t i = get_global_id(0); a[i] = {body}; }}"
        );
        text
    })
}

fn expected() -> Vec<u32> {
    (0..16_u32)
        .map(|i| {
            let mut a = i + 1000;
            a += 3;
            a *= 5;
            a /= 7;
            a %= 9;
            a <<= i & 7;
            a = a.rotate_left(5);
            a += a / 2;
            a = ((u64::from(a) * u64::from(a)) >> 7) as u32;
            a = a.max(9);
            a.count_ones() + a
        })
        .collect()
}

#[test]
fn ten_units_are_one_link_and_known_kernels_cost_nothing() {
    for name in ["three_bus", "wide_float"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../compiler/tta/machines/{name}.adf"));
        let mut request = Request::new(vec![SourceFile { name: "ten.cl".into(), text: source() }]);
        request.devices = Devices { cpu: false, reference: false };
        request.machines = vec![adf::read(&std::fs::read_to_string(&path).unwrap()).unwrap().machine];
        let bytes = compile(&request, Emit::Archive, None).unwrap_or_else(|error| panic!("{error}")).bytes;
        let scheduled = schedule::count();
        assert!(scheduled > 10, "the compiler schedules");
        let program = Program::from_archive(&bytes).unwrap();
        let device = Device::by_name(&format!("ttasim:{}", path.display())).unwrap();
        let context = Context::shared().unwrap();
        let queue = context.queue(&device, QueueProperties::default()).unwrap();
        let core = device.processor_core().unwrap();
        assert_eq!(core.links(), [0], "without kernels there is nothing to link");
        let range = NdRange::new(&[16]).unwrap();
        let words: Vec<u8> = (1000..1016_u32).flat_map(u32::to_le_bytes).collect();
        for round in 0..5 {
            let data = Buffer::from_bytes(&words).unwrap();
            let gate = context.user_event().unwrap();
            let mut waits = vec![gate.event().clone()];
            for number in 0..10 {
                let kernel = program.kernel(&format!("k{number}")).unwrap();
                waits = vec![queue.kernel(&kernel, &range, &[ArgValue::Buffer(&data)], &waits).unwrap()];
            }
            assert!(gate.complete());
            queue.finish().unwrap();
            let found: Vec<u32> =
                data.to_vec().chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect();
            assert_eq!(found, expected(), "round {round}");
            assert_eq!(core.links(), [1], "round {round}");
        }
        assert_eq!(schedule::count(), scheduled, "what archives hold is scheduled");
        let times = core.link_times();
        assert_eq!((times.count, times.total), (1, times.last));
        eprintln!("{name}: ten units linked and loaded in {:.3} ms", times.last.as_secs_f64() * 1e3);
    }
}
