//! Images and samplers on the command line and in workloads: pictures in, pictures out, and what is refused.

mod common;

use common::{Sandbox, words};

/// Turns red and blue around, makes a picture of another size, and asks for sizes.
const KERNELS: &str = "
kernel void swap(read_only image2d_t in, write_only image2d_t out) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, at).zyxw);
}
kernel void resize(read_only image2d_t in, write_only image2d_t out, sampler_t s) {
  int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, s, (convert_float2(at) + 0.5f) / convert_float2(get_image_dim(out))));
}
kernel void size(read_only image2d_t in, global int *out) {
  out[0] = get_image_width(in);
  out[1] = get_image_channel_data_type(in);
}
kernel void volume(read_only image3d_t in, global int *out) { out[0] = get_image_width(in); }
";

fn sandbox() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("k.cl", KERNELS);
    // Four by two pixels, as bytes and then as a picture.
    sandbox.write("pixels.bin", (0..32).map(|n| n * 8).collect::<Vec<u8>>());
    sandbox.write("copy.cl", "kernel void copy(global uchar4 *p) { p[0] = p[0]; }");
    let ran = sandbox.run(&words("run copy.cl copy -q -g 1 -a p=@pixels.bin -s p=in.png:4x2"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    sandbox
}

#[test]
fn pictures_go_in_and_come_out() {
    let sandbox = sandbox();
    for device in ["cpu", "discrete"] {
        let line = format!(
            "run k.cl swap -q -g 4,2 -a in=image:in.png -a out=image:4x2 --device {device} -s out=out.png"
        );
        let ran = sandbox.run(&words(&line));
        assert_eq!((ran.code, ran.out.as_str()), (Some(0), ""), "{}", ran.err);
        let ran = sandbox.run(&words("run copy.cl copy -q -g 1 -a p=@out.png -p p[0..2]"));
        assert_eq!(ran.out, "p[0..2]: (16,8,0,24) (48,40,32,56)\n", "{}", ran.err);
    }
    // A file alone is a picture too, and pixels have the type that is said.
    let ran = sandbox.run(&words("run k.cl size -q -g 1 -a in=@in.png -a out=zeros:int:2 -p out"));
    assert_eq!(ran.out, "out[0..2]: 4 4306\n", "{}", ran.err);
    let ran = sandbox.run(&words("run k.cl size -q -g 1 -a in=image:in.png:half4 -a out=zeros:int:2 -p out"));
    assert_eq!(ran.out, "out[0..2]: 4 4317\n", "{}", ran.err);
}

#[test]
fn samplers_are_words() {
    let sandbox = sandbox();
    let with = |words_of: &str| {
        let line = format!(
            "run k.cl resize -q -g 1,1 -a in=image:in.png -a out=image:1x1 -a s=sampler:{words_of} -p out"
        );
        sandbox.run(&words(&line))
    };
    assert_eq!(with("normalised+clamp_to_edge+linear").out, "out[0..1]: (112,120,128,136)\n");
    assert_eq!(with("normalised+clamp_to_edge+nearest").out, "out[0..1]: (192,200,208,216)\n");
    let wrong = with("soft");
    assert!(
        wrong.code == Some(2) && wrong.err.contains("`soft` in `sampler:soft` says nothing of a sampler"),
        "{wrong:?}"
    );
}

#[test]
fn what_does_not_fit_is_refused_before_anything_runs() {
    let sandbox = sandbox();
    for (arguments, what) in [
        ("size -a in=zeros:uchar4:8 -a out=zeros:int:2", "nothing says how wide and high the image is"),
        ("size -a in=image:4x2:uchar3 -a out=zeros:int:2", "uchar3 elements are no pixels of an image"),
        ("size -a in=image:4x2:double -a out=zeros:int:2", "double elements are no pixels of an image"),
        ("size -a in=sampler:clamp -a out=zeros:int:2", "it takes an image"),
        ("size -a in=image:20000x1 -a out=zeros:int:2", "20000x1"),
        ("size -a in=image:in.png -a out=sampler:clamp", "it takes no sampler"),
        ("volume -a in=image:4x2 -a out=zeros:int:2", "image array and volume parameters cannot be set"),
    ] {
        let ran = sandbox.run(&words(&format!("run k.cl {arguments} -g 1")));
        assert!(ran.code == Some(2) && ran.err.contains(what), "{arguments}: {ran:?}");
    }
}

#[test]
fn processors_refuse_images_by_name() {
    let sandbox = sandbox();
    let machine = concat!(env!("CARGO_MANIFEST_DIR"), "/../compiler/tta/machines/three_bus.adf");
    let ran = sandbox.run(&words(&format!("compile k.cl --device cpu,ttasim:{machine} -o k.poclbin")));
    let said = "images on transport-triggered processors are not supported yet";
    assert!(ran.code != Some(0) && ran.err.contains("OX0224") && ran.err.contains(said), "{ran:?}");
}

#[test]
fn workloads_take_buffers_as_images() {
    let sandbox = sandbox();
    sandbox.write(
        "w.toml",
        "[programs.k]\nsource = \"k.cl\"\n\
         [buffers.in]\npng = \"in.png\"\ntype = \"uchar4\"\n\
         [buffers.small]\nblank = [2, 1]\ntype = \"uchar4\"\n\
         [[commands]]\nkernel = \"resize\"\nglobal = [2, 1]\n\
         args = { in = \"in\", out = \"small\", s = \"sampler:normalised+clamp_to_edge+linear\" }\n\
         [[outputs]]\nbuffer = \"small\"\nprint = \"..\"\n\
         [[expectations]]\nbuffer = \"small\"\ndevice = \"ref\"\n",
    );
    let ran = sandbox.run(&words("run -q w.toml"));
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert!(ran.out.contains("(80,88,96,104) (144,152,160,168)"), "{}", ran.out);
}

/// What a bench says of each of these, where each of `keys` is above zero.
fn figures(sandbox: &Sandbox, bench: &str, names: &[&str], keys: &[&str]) -> Vec<serde_json::Value> {
    let ran = sandbox.run(&words(bench));
    assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    let lines: Vec<serde_json::Value> =
        ran.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let found: Vec<&str> = lines.iter().map(|line| line["bench"].as_str().unwrap()).collect();
    assert_eq!(found, names);
    let is_positive = |line: &serde_json::Value| keys.iter().all(|key| line[key].as_f64().unwrap() > 0.0);
    assert!(lines.iter().all(is_positive), "{}", ran.out);
    lines
}

#[test]
fn a_bench_of_images_compares_its_results_with_a_scalar_reference() {
    let sandbox = Sandbox::new();
    let bench = "bench images --side 64 --runs 1 --workers 2 --at-once --json";
    let names = ["convolution", "resize", "gather", "volume", "format"];
    let lines = figures(&sandbox, bench, &names, &["image_us", "image_speedup_at_once"]);
    assert!(lines.iter().all(|line| line["ok"] == true));
    assert_eq!(sandbox.run(&words("bench images --side 60")).code, Some(2));
}

#[test]
fn a_bench_of_the_machine_says_what_several_threads_do_beside_one() {
    let bench = "bench machine --runs 1 --workers 2 --json";
    figures(&Sandbox::new(), bench, &["arithmetic", "memory"], &["us", "us_alone", "speedup"]);
}

#[test]
fn a_bench_of_scaling_compares_what_one_worker_and_several_leave() {
    let sandbox = Sandbox::new();
    let bench = "bench scaling --rounds 1 --workers 2 --only options --only bodies --json";
    let keys = ["us", "us_alone", "us_at_once", "best_us", "speedup", "speedup_at_once", "of_machine"];
    let lines = figures(&sandbox, bench, &["options", "bodies"], &keys);
    assert!(lines.iter().all(|line| line["ok"] == true));
    let ran = sandbox.run(&words("bench scaling --only body"));
    assert!(ran.code == Some(2) && ran.err.contains("bodies"), "{ran:?}");
}
