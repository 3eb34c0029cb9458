//! A whole workload resolves, and every mistake in one is named with its line.

use super::plan::{Action, Argument, Contents};
use super::resolve::resolve;
use std::path::Path;

const GOOD: &str = r#"title = "Smooth"

[programs.filters]
source = "filters.cl"
options = "-DRADIUS=2"

[buffers.scene]
png = "scene.png"
type = "float4"

[buffers.smooth]
like = "scene"

[buffers.noise]
random = 64
seed = 7
type = "float"

[queues.main]
device = "cpu"
order = "out-of-order"

[[commands]]
name = "last"
kernel = "smooth"
global = [8, 8]
local = [4, 4]
args = { src = "scene", dst = "smooth", k = 3, tile = "local:256", noise = "noise" }
bytes = "32 * gx * gy * k"
after = ["first"]

[[commands]]
name = "first"
fill = { buffer = "smooth", value = [0.0, 0.0, 0.0, 1.0] }

[[commands]]
barrier = true

[[commands]]
copy = { from = "smooth", to = "scene", count = 4 }

[[outputs]]
buffer = "smooth"
png = "out/smooth.png"

[[outputs]]
buffer = "smooth"
print = "0..2"

[[expectations]]
buffer = "smooth"
device = "ref"
tolerance = 1e-6
"#;

fn error(text: &str) -> String {
    match resolve(Path::new("w/x.toml"), text) {
        Ok(_) => "no error".to_owned(),
        Err(e) => format!("{e}{}", e.problem.help().map(|h| format!(" / {h}")).unwrap_or_default()),
    }
}

/// The message for the good workload with one text replaced.
fn changed(from: &str, to: &str) -> String {
    assert!(GOOD.contains(from), "{from}");
    error(&GOOD.replacen(from, to, 1))
}

#[test]
fn a_good_workload_resolves() -> Result<(), super::problem::WorkloadError> {
    let plan = resolve(Path::new("w/x.toml"), GOOD)?;
    assert_eq!(plan.title, "Smooth");
    assert_eq!(plan.programs[0].path, Path::new("w/filters.cl"));
    assert_eq!(plan.order, [1, 0, 2, 3]);
    assert_eq!(plan.commands[0].after, [1]);
    // Buffers are sorted by name: noise, scene, smooth.
    assert!(matches!(plan.buffers[2].contents, Contents::Like(1, None)));
    let Action::Kernel(launch) = &plan.commands[0].action else { return Ok(()) };
    assert_eq!((launch.global.as_slice(), launch.kernel.as_str()), (&[8, 8][..], "smooth"));
    assert!(matches!(&launch.args[1], (name, Argument::Value(_)) if name == "k"));
    assert!(matches!(&launch.args[2], (name, Argument::Buffer(0)) if name == "noise"));
    Ok(())
}

#[test]
fn typos_name_the_key_the_line_and_the_nearest() {
    assert_eq!(
        changed("global = [8, 8]", "gloabl = [8, 8]"),
        "cannot use 'w/x.toml', line 26: unknown key `gloabl` / did you mean `global`?"
    );
    assert_eq!(
        changed("[buffers.noise]\nrandom", "[buffers.noise]\nrandmo"),
        "cannot use 'w/x.toml', line 15: unknown key `randmo` / did you mean `random`?"
    );
    assert_eq!(
        changed("[programs.filters]", "[program.filters]"),
        "cannot use 'w/x.toml', line 3: unknown key `program` / did you mean `programs`?"
    );
    assert_eq!(
        changed("count = 4", "cuont = 4"),
        "cannot use 'w/x.toml', line 40: unknown key `cuont` / did you mean `count`?"
    );
    assert_eq!(
        changed("after = [\"first\"]", "after = [\"frist\"]"),
        "cannot use 'w/x.toml', line 30: there is no command called `frist` / did you mean `first`?"
    );
    assert_eq!(
        changed("src = \"scene\"", "src = \"scnee\""),
        "cannot use 'w/x.toml', line 28: there is no buffer called `scnee` / did you mean `scene`?"
    );
    assert_eq!(
        changed("\"out-of-order\"", "\"out of order\""),
        "cannot use 'w/x.toml', line 21: `out of order` is no order of a queue / did you mean `out-of-order`?"
    );
    assert_eq!(
        changed("\"cpu\"", "\"gpu\""),
        "cannot use 'w/x.toml', line 20: `gpu` is no device / did you mean `cpu`?"
    );
    assert_eq!(
        changed("type = \"float4\"", "type = \"flaot4\""),
        "cannot use 'w/x.toml', line 9: `flaot4` is no OpenCL scalar or vector type / did you mean `float4`?"
    );
}

#[test]
fn contradictions_are_refused() {
    assert_eq!(
        changed("seed = 7", "range = 7"),
        "cannot use 'w/x.toml', line 14: buffer `noise` needs exactly one of npy, png, raw, random, range, zeros, \
         blank, values, like, and has random and range"
    );
    assert_eq!(
        changed("kernel = \"smooth\"\n", ""),
        "cannot use 'w/x.toml', line 23: command `last` needs exactly one of kernel, copy, fill, barrier, and has none"
    );
    assert_eq!(
        changed("fill = {", "global = 8\nfill = {"),
        "cannot use 'w/x.toml', line 34: `global` does not go with a command that launches no kernel"
    );
    assert_eq!(
        changed("local = [4, 4]", "local = [4]"),
        "cannot use 'w/x.toml', line 27: `local` has 1 dimensions, and `global` has 2"
    );
    assert!(changed("global = [8, 8]", "global = [8, 0]").contains("line 26: `global` is a whole number"));
    assert!(changed("global = [8, 8]\n", "").contains("line 23: command `last` needs `global`"));
    assert!(
        changed("name = \"first\"", "name = \"last\"").contains("line 24: two commands are called `last`")
    );
    assert!(
        changed("tolerance = 1e-6", "tolerance = -1.0")
            .contains("line 53: `tolerance` is a number from 0 on")
    );
    assert!(
        changed("print = \"0..2\"", "print = \"2..0\"").contains("line 48: `2..0` is no range of elements")
    );
    assert!(changed("* k\"", "* q\"").contains("line 29: `bytes`: nothing is called `q`"));
    assert!(
        changed("random = 64", "random = 999999999999").contains("line 15: buffer `noise` would take more")
    );
}

#[test]
fn cycles_and_unused_things_are_refused() {
    assert_eq!(
        changed("name = \"first\"\n", "name = \"first\"\nafter = [\"last\"]\n"),
        "cannot use 'w/x.toml', line 23: commands wait for one another: last -> first -> last / in an in-order queue a \
         command also waits for the one before it in the file"
    );
    assert!(changed("out-of-order", "in-order").contains("wait for one another: last -> first -> last"));
    assert!(
        changed(", noise = \"noise\"", "")
            .starts_with("cannot use 'w/x.toml', line 14: the buffer `noise` is used by no command")
    );
    assert!(
        changed("[queues.main]", "[queues.other]\n[queues.main]").contains("command `last` needs `queue`")
    );
    assert!(
        changed("[buffers.smooth]\nlike = \"scene\"", "[buffers.smooth]\nlike = \"smooth\"")
            .contains("line 11: buffers are like one another: smooth -> smooth")
    );
    assert!(error("").contains("the workload needs `[[commands]]`"));
}

#[test]
fn broken_toml_has_a_line() {
    assert!(error("title = \"x\"\n[buffers\n").starts_with("cannot use 'w/x.toml', line 2: "));
    assert!(
        changed("random = 64", "random = \"64\"").starts_with("cannot use 'w/x.toml', line 15: invalid type")
    );
}
