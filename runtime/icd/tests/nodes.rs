//! Jobs of several ranks, with the system's MPI: host programs in C that know nothing of it, nodes, ranks that are killed, and a
//! program with ranks of its own. `make test-mpi` builds what this needs and runs it.

#![cfg(feature = "mpi")]

use std::io::{BufRead as _, BufReader, Read as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

fn folder() -> PathBuf {
    let test = std::env::current_exe().expect("a test program");
    test.parent().expect("a folder").to_owned()
}

/// The program `oxcl`, which compiles for the library.
fn compiler() -> PathBuf {
    std::env::var_os("OXCL_TEST_COMPILER").map_or_else(node, PathBuf::from)
}

/// The program `oxcl` with its command `node`.
fn node() -> PathBuf {
    let built = folder().join("../oxcl");
    assert!(built.exists(), "{} is not there: make test-mpi", built.display());
    let help = Command::new(&built).args(["node", "--help"]).output().expect("a program");
    assert!(help.status.success(), "{} was built without MPI: make test-mpi", built.display());
    built
}

struct Clients {
    temp: tempfile::TempDir,
}

impl Clients {
    fn new() -> Self {
        let temp = tempfile::tempdir().expect("a folder");
        let library = folder().join("liboxcl.so");
        std::os::unix::fs::symlink(&library, temp.path().join("liboxcl.so.1")).expect("a link");
        Self { temp }
    }

    /// A C program, linked to the library.
    fn compile(&self, compiler: &str, source: &Path) -> PathBuf {
        let out = self.temp.path().join("client");
        let mut command = Command::new(compiler);
        command.args([
            "-std=gnu11",
            "-Wall",
            "-Werror",
            "-Wno-unused",
            "-O1",
            "-ffp-contract=off",
            "-pthread",
            "-o",
        ]);
        command.arg(&out).arg(source).arg(folder().join("liboxcl.so")).arg("-lm");
        let output = command.output().expect("a compiler");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        out
    }

    fn nodes_client(&self) -> PathBuf {
        self.compile("cc", &Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/c/nodes.c"))
    }

    /// A job: the words after `mpirun`. It ends within a time, whatever happens.
    fn job(&self, words: &[&str]) -> Command {
        let mut command = Command::new("timeout");
        command.args(["-k", "5", "100", "mpirun"]).args(words);
        command.env("LD_LIBRARY_PATH", self.temp.path()).env("OXCL_COMPILER", compiler());
        command.env("OXCL_CACHE_DIR", self.temp.path().join("cache")).env("OXCL_NUM_THREADS", "2");
        command
    }

    /// A host program and so many nodes.
    fn with_nodes(&self, client: &Path, word: &str, nodes: u32, node_words: &[&str]) -> Command {
        let (client, program, count) = (client.to_str().unwrap(), node(), nodes.to_string());
        let mut words = vec!["-n", "1", client, word, ":", "-n", &count, program.to_str().unwrap(), "node"];
        words.extend(node_words);
        let mut command = self.job(&words);
        command.env("OXCL_DEVICES", "mpi:*");
        command
    }
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

fn succeeds(command: &mut Command) -> String {
    let output = command.output().expect("mpirun");
    let text = text(&output);
    assert!(output.status.success(), "{}: {text}", output.status);
    text
}

#[test]
fn devices_of_all_nodes_are_in_the_platform() {
    let clients = Clients::new();
    let client = clients.nodes_client();
    let text =
        succeeds(clients.with_nodes(&client, "list", 3, &[]).env("OXCL_DEVICES", "cpu mpi:* mpi:2/cpu"));
    let names: Vec<&str> = text.lines().filter(|line| line.starts_with("device")).collect();
    assert_eq!(names.len(), 5, "{text}");
    for (name, want) in names[1..].iter().zip(["mpi:1/cpu: ", "mpi:2/cpu: ", "mpi:3/cpu: ", "mpi:2/cpu: "]) {
        assert!(name.contains(want), "{text}");
    }
}

#[test]
fn a_host_program_works_on_devices_of_nodes() {
    let clients = Clients::new();
    let client = clients.nodes_client();
    let text = succeeds(clients.with_nodes(&client, "work", 3, &[]).env("OXCL_DEVICES", "cpu mpi:*"));
    assert!(text.contains("worked on 4 devices") && text.contains("said 3"), "{text}");
    let text = succeeds(&mut clients.with_nodes(
        &client,
        "work",
        2,
        &["--device", "discrete:64M", "--device", "cpu"],
    ));
    assert!(text.contains("worked on 4 devices"), "{text}");
}

#[test]
fn nodes_end_with_a_host_that_never_uses_them() {
    let clients = Clients::new();
    let client = clients.nodes_client();
    let begin = Instant::now();
    succeeds(&mut clients.with_nodes(&client, "idle", 2, &[]));
    assert!(begin.elapsed() < Duration::from_secs(60));
}

#[test]
fn nodes_of_another_level_are_refused_with_both_named() {
    let clients = Clients::new();
    let mut command = clients.with_nodes(&node(), "devices", 2, &["--claim-level", "x86-64-v1"]);
    let output = command.output().expect("mpirun");
    let text = text(&output);
    assert!(
        text.contains("rank 1 (") && text.contains("its CPU's level is x86-64-v1, and that of rank 0 ("),
        "{text}"
    );
    assert!(text.contains("OX0509"), "{text}");
}

#[test]
fn programs_without_nodes_say_what_is_missing() {
    let clients = Clients::new();
    let program = node();
    let mut command = clients.job(&["-n", "1", program.to_str().unwrap(), "devices"]);
    let text = text(&command.env("OXCL_DEVICES", "mpi:*").output().expect("mpirun"));
    assert!(text.contains("this is the only rank of its job") && text.contains("OX0509"), "{text}");
}

/// Every workload, on nodes in turn where it names no device, and then on nodes whatever it names; what it expects holds there.
#[test]
fn workloads_run_on_nodes() {
    if std::env::var_os("OXCL_TEST_COMPILER").is_some() {
        return;
    }
    let clients = Clients::new();
    // They write files beside themselves, and name machines by paths from there.
    let repository =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the repository");
    let copy = clients.temp.path().join("testsuite/workloads");
    std::os::unix::fs::symlink(repository.join("compiler"), clients.temp.path().join("compiler"))
        .expect("a link");
    let mut files = Vec::new();
    for entry in std::fs::read_dir(repository.join("testsuite/workloads")).expect("workloads").flatten() {
        let to = copy.join(entry.file_name());
        std::fs::create_dir_all(&to).expect("a folder");
        for file in
            std::fs::read_dir(entry.path()).expect("a folder").flatten().filter(|file| file.path().is_file())
        {
            std::fs::copy(file.path(), to.join(file.file_name())).expect("a file");
            files.push(to.join(file.file_name()));
        }
    }
    files.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    // What others read comes first.
    files.sort_by_key(|path| !path.ends_with("input.toml") && !path.ends_with("scene.toml"));
    let count = files.len();
    for path in files {
        let (program, path) = (node(), path.to_str().unwrap().to_owned());
        let program = program.to_str().unwrap();
        let text = std::fs::read_to_string(&path).expect("a workload");
        let (_, names) = text.split_once("[queues").unwrap_or(("", ""));
        for everywhere in [&[][..], &["--device", "mpi:*"]] {
            let mut words = vec!["-n", "1", program, "--json", "run", &path];
            words.extend(everywhere);
            words.extend([":", "-n", "3", program, "node"]);
            let text = succeeds(&mut clients.job(&words));
            let on_nodes = text.contains("\"device\":\"mpi:*\"");
            assert_eq!(on_nodes, !everywhere.is_empty() || names.is_empty(), "{path}: {text}");
            assert!(text.contains("\"ok\":true"), "{path}: {text}");
        }
    }
    assert!(count >= 6, "{count} workloads");
}

/// The benchmarks of tasks check their results themselves.
#[test]
fn benchmarks_of_tasks_run_on_a_node() {
    let clients = Clients::new();
    let program = node();
    let program = program.to_str().unwrap();
    let words = ["-n", "1", program, "--json", "bench", "tasks", "--device", "mpi:2/cpu", "--workers", "1"];
    let mut words = words.to_vec();
    words.extend(["-n", "100", "--runs", "1", ":", "-n", "3", program, "node"]);
    let text = succeeds(&mut clients.job(&words));
    let mut names: Vec<&str> =
        text.lines().filter_map(|line| line.split_once("\"bench\":\"")?.1.split('"').next()).collect();
    names.sort_unstable();
    names.dedup();
    assert!(names.len() >= 6, "{text}");
}

/// What is measured is also checked, against the same kernels on the host's own device.
#[test]
fn what_nodes_compute_in_the_benchmark_is_what_the_host_computes() {
    let clients = Clients::new();
    let program = node();
    let program = program.to_str().unwrap();
    let small = ["--matrix", "1024", "--bodies", "1024", "--runs", "1"];
    let mut words = vec!["-n", "1", program, "--json", "bench", "nodes"];
    words.extend(small);
    words.extend([":", "-n", "4", program, "node"]);
    let text = succeeds(clients.job(&words).env("OXCL_NUM_THREADS", "1"));
    let figure = |name: &str| {
        let line = text.lines().find(|line| line.contains(&format!("\"bench\":\"{name}"))).unwrap_or(&text);
        let value = line.split_once("\"value\":").and_then(|(_, rest)| rest.split([',', '}']).next());
        value.and_then(|value| value.parse::<f64>().ok()).unwrap_or_else(|| panic!("{name}: {text}"))
    };
    // The host lets the first kernel go, and the chain takes its way without it.
    assert_eq!(figure("commands of a chain"), 1.0, "{text}");
    assert_eq!(figure("ends of commands of a chain"), 0.0, "{text}");
    assert!(figure("bodies, 4 nodes") > 0.0 && figure("product of matrices, 4 nodes") > 0.0);
}

/// Packets of ranks of one machine go as messages where one of them wants that, and some do where rings are as small as can be; and
/// a value that is neither is refused.
#[test]
fn packets_are_heard_in_their_order_whichever_way_they_come() {
    let clients = Clients::new();
    let program = node();
    let program = program.to_str().unwrap();
    let mut words = vec!["-n", "1", program, "bench", "nodes", "--matrix", "1024", "--bodies", "1024"];
    words.extend(["--runs", "1", ":", "-n", "3", program, "node"]);
    // 16 lines for each pair of four ranks.
    for window in ["off", "19"] {
        let text = succeeds(clients.job(&words).env("OXCL_NUM_THREADS", "1").env("OXCL_MPI_WINDOW", window));
        assert!(text.contains("chain on two nodes") && text.contains("bodies, 2 nodes"), "{text}");
    }
    let one =
        ["-n", "1", program, "devices", ":", "-n", "1", "-env", "OXCL_MPI_WINDOW", "off", program, "node"];
    let listed = succeeds(clients.job(&one).env("OXCL_DEVICES", "mpi:*"));
    assert!(listed.contains("mpi:1/cpu"), "{listed}");
    let mut wrong = clients.job(&one[..4]);
    let wrong = wrong.env("OXCL_DEVICES", "mpi:*").env("OXCL_MPI_WINDOW", "some");
    let text = text(&wrong.output().expect("mpirun"));
    assert!(text.contains("OXCL_MPI_WINDOW is 'some'"), "{text}");
}

/// Processes of a job: their numbers, by the rank that their environment says, and what they run.
fn ranks(job: &Path) -> Vec<(u32, u32)> {
    let mut found = Vec::new();
    for process in std::fs::read_dir("/proc").expect("processes").flatten() {
        let Some(number) = process.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else {
            continue;
        };
        let environment = std::fs::read(process.path().join("environ")).unwrap_or_default();
        let has =
            |text: &str| environment.split(|byte| *byte == 0).any(|variable| variable == text.as_bytes());
        if !has(&format!("LD_LIBRARY_PATH={}", job.display())) {
            continue;
        }
        let rank = environment
            .split(|byte| *byte == 0)
            .find_map(|variable| std::str::from_utf8(variable).ok()?.strip_prefix("PMI_RANK=")?.parse().ok());
        found.extend(rank.map(|rank| (rank, number)));
    }
    found
}

/// Ends a job's process by its number.
fn kill(number: u32) {
    let killed = Command::new("kill").args(["-9", &number.to_string()]).status().expect("kill");
    assert!(killed.success());
}

/// Waits for a child for so long.
fn ends_within(child: &mut Child, time: Duration) -> bool {
    let begin = Instant::now();
    while begin.elapsed() < time {
        if child.try_wait().expect("a child").is_some() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    false
}

/// Kills a rank of a job of three nodes after some time of work.
fn killed(clients: &Clients, client: &Path, victim: u32, after: Duration, survives: bool) -> (bool, String) {
    let mut command = clients.with_nodes(client, "long", 3, &[]);
    if survives {
        let mut words: Vec<_> = command.get_args().map(|word| word.to_str().unwrap().to_owned()).collect();
        let at = words.iter().position(|word| word == "mpirun").unwrap() + 1;
        words.insert(at, "-disable-auto-cleanup".to_owned());
        let words: Vec<&str> = words.iter().skip(4).map(String::as_str).collect();
        command = clients.job(&words);
        // UCX would end those that read from the memory of one that has just died.
        command.env("OXCL_DEVICES", "mpi:*").env("UCX_TLS", "posix,sysv,self,tcp");
    }
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("mpirun");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe"));
    let mut line = String::new();
    while !line.starts_with("ready") {
        line.clear();
        let read = lines.read_line(&mut line).expect("text");
        assert!(read > 0, "the job ended before it began");
    }
    std::thread::sleep(after);
    let found = ranks(clients.temp.path());
    // A node is the later of two processes, of which the first waits for it. The host's later ones are compilers.
    let mut of_rank: Vec<u32> =
        found.iter().filter(|(rank, _)| *rank == victim).map(|(_, number)| *number).collect();
    of_rank.sort_unstable();
    let number = if victim == 0 { of_rank.first() } else { of_rank.last() }.expect("the rank");
    kill(*number);
    let ended = ends_within(&mut child, Duration::from_secs(60));
    let mut said = String::new();
    let _ = lines.read_to_string(&mut said);
    (ended, said)
}

#[test]
fn a_node_that_is_killed_takes_down_its_commands_only() {
    let clients = Clients::new();
    let client = clients.nodes_client();
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    let count = number("OXCL_KILLS").unwrap_or(4);
    // In steps, or drawn.
    let mut state = number("OXCL_SEED");
    let mut draw = |below: u64| {
        let state = state.as_mut()?;
        // Steele, Lea and Flood, "Fast splittable pseudorandom number generators" (2014).
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Some((mixed ^ (mixed >> 31)) % below)
    };
    for round in 0..count {
        let victim = u32::try_from(1 + draw(3).unwrap_or(round % 3)).unwrap();
        let after = Duration::from_micros(draw(400_000).unwrap_or(round * 37_000 % 400_000));
        let (ended, said) = killed(&clients, &client, victim, after, true);
        assert!(ended, "rank {victim} after {after:?}: the job hangs: {said}");
        assert!(
            said.contains("lost 1 of 3, chain broken, others went on 20 rounds"),
            "rank {victim} after {after:?}: {said}"
        );
        // A node that is gone before it has a command refuses the next by a return code, which names nobody.
        let names = said.contains(&format!("rank {victim} (")) || !said.contains("told:");
        assert!(names, "rank {victim} after {after:?}: {said}");
        // The starter waits for ranks, and not for the host's compilers, which see that it has ended a moment later.
        let mut left = ranks(clients.temp.path());
        if left.iter().all(|(rank, _)| *rank == 0) && !left.is_empty() {
            std::thread::sleep(Duration::from_millis(500));
            left = ranks(clients.temp.path());
        }
        assert!(left.is_empty(), "rank {victim} after {after:?}: processes are left: {left:?}");
    }
}

#[test]
fn elsewhere_the_job_ends_without_a_hang() {
    let clients = Clients::new();
    let client = clients.nodes_client();
    for victim in [0, 2] {
        let (ended, said) = killed(&clients, &client, victim, Duration::from_millis(50), false);
        assert!(ended, "rank {victim}: {said}");
        std::thread::sleep(Duration::from_secs(1));
        assert!(ranks(clients.temp.path()).is_empty(), "rank {victim}");
    }
}

#[test]
fn ranks_of_ones_own_exchange_halos() {
    let clients = Clients::new();
    let halo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../testsuite/workloads/halo/halo.c");
    let client = clients.compile("mpicc", &halo);
    for (x, y) in [(4, 1), (1, 4), (2, 2)] {
        let (x, y) = (x.to_string(), y.to_string());
        let words = ["-n", "4", client.to_str().unwrap(), "96", "160", "12", &x, &y];
        let text = succeeds(clients.job(&words).env("OXCL_DEVICES", "cpu"));
        assert!(text.contains("as a serial run"), "{text}");
    }
}
