//! Servers whose host ends while they work: one whose result is for other processes too finishes its job, keeps the result,
//! and ends; every other one ends at once.

#![cfg(feature = "compiler")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use oxcl_binary::pipe::{Action, Hello, Job, Kernels, Kind, Quality, Text, read_frame, write_frame};
use oxcl_runtime::{Cache, CacheKey};

const PATIENCE: Duration = Duration::from_secs(60);

/// A kernel that takes the compiler a while: a product of matrices whose loops are written out.
fn job() -> Job {
    let rows: String = (0..24)
        .cycle()
        .take(72)
        .map(|row| {
            format!("for (int i = 0; i < 16; i++) c[{row}] += a[i * n + x] * b[i * {row} + y] * c[i];\n")
        })
        .collect();
    let text = format!(
        "kernel void product(global float *a, global float *b, int n) {{ int x = get_global_id(0), y = get_local_id(0);
         float c[24]; for (int i = 0; i < 24; i++) c[i] = i;
         {rows} for (int i = 0; i < 24; i++) a[x * i] = c[i]; }}"
    );
    Job {
        action: Action::Build,
        directory: String::new(),
        sources: vec![Text { name: "program.cl".into(), text }],
        il: Vec::new(),
        headers: Vec::new(),
        inputs: Vec::new(),
        options: String::new(),
        cpu: true,
        reference: false,
        cpus: Vec::new(),
        local_sizes: Vec::new(),
        known: Vec::new(),
        version: 0,
        kernels: Kernels::One("product".into()),
        quality: Quality::Full,
        width: 0,
        machines: Vec::new(),
    }
}

/// What waits for a server.
fn waiting() -> [Job; 2] {
    let text = "kernel void one(global int *x) { *x = 1; } kernel void other(global int *x) { *x = 2; }";
    let sources = vec![Text { name: "small.cl".into(), text: text.into() }];
    ["one", "other"].map(|kernel| Job {
        sources: sources.clone(),
        kernels: Kernels::One(kernel.into()),
        ..job()
    })
}

struct Served {
    host: Child,
    server: Child,
    input: UnixStream,
    output: ChildStdout,
    key: CacheKey,
    identity: [u8; 32],
}

/// A server for a process that sleeps, and that keeps results in `folder`.
fn served(folder: &Path) -> Served {
    let host = Command::new("sleep").arg("100").spawn().unwrap();
    // Our side stays open: what ends is the host.
    let (input, theirs) = UnixStream::pair().unwrap();
    let mut server = Command::new(env!("CARGO_BIN_EXE_oxcl"))
        .args(["serve", &format!("--host={}", host.id())])
        .arg(format!("--cache={}", folder.display()))
        .arg(format!("--waiting={}", folder.join("waiting").display()))
        .stdin(OwnedFd::from(theirs))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut output = server.stdout.take().unwrap();
    let hello = read_frame(&mut output).unwrap();
    let identity = Hello::decode(&hello.payload).unwrap().identity;
    let key = CacheKey::of(&job(), &identity);
    Served { host, server, input, output, key, identity }
}

/// The same, at work on the job, which is for the cache if it `keeps` it.
fn at_work(folder: &Path, keeps: bool) -> Served {
    let mut served = served(folder);
    if keeps {
        write_frame(&mut served.input, Kind::Keep, &[]).unwrap();
    }
    write_frame(&mut served.input, Kind::Job, &job().encode()).unwrap();
    assert_eq!(read_frame(&mut served.output).unwrap().kind, Kind::Begun);
    served
}

impl Served {
    fn end_host(&mut self) {
        self.host.kill().unwrap();
        self.host.wait().unwrap();
    }

    fn wait_for_end(&mut self) -> Duration {
        let begin = Instant::now();
        while self.server.try_wait().unwrap().is_none() {
            assert!(begin.elapsed() < PATIENCE, "the server does not end");
            thread::sleep(Duration::from_millis(2));
        }
        begin.elapsed()
    }
}

#[test]
fn what_others_want_is_finished_and_kept() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path(), 1 << 30);
    let mut served = at_work(folder.path(), true);
    // As the host that is no more had claimed it.
    let claim = folder.path().join("claims").join(served.key.name());
    fs::create_dir_all(claim.parent().unwrap()).unwrap();
    let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
    let host = served.host.id();
    let stat = fs::read_to_string(format!("/proc/{host}/stat")).unwrap();
    let begin = stat.rsplit_once(')').unwrap().1.split_whitespace().nth(19).unwrap();
    std::os::unix::fs::symlink(format!("{host} {begin} {}", boot.trim()), &claim).unwrap();
    assert!(cache.find(&served.key).is_none());
    served.end_host();
    let mut owner = String::new();
    while cache.find(&served.key).is_none() {
        if let Ok(text) = fs::read_link(&claim) {
            owner = text.to_str().unwrap().to_owned();
        }
        assert!(
            served.server.try_wait().unwrap().is_none() || cache.find(&served.key).is_some(),
            "nothing was kept"
        );
    }
    served.wait_for_end();
    assert!(owner.starts_with(&format!("{} ", served.server.id())), "the claim is {owner}'s");
    assert!(claim.symlink_metadata().is_err());
    let kept = cache.find(&served.key).unwrap();
    assert!(kept.quality == Quality::Full && kept.processor > Duration::ZERO);
}

#[test]
fn what_is_listed_is_made_too_unless_somebody_else_does() {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(folder.path(), 1 << 30);
    let [one, other] = waiting();
    let mut list = Vec::new();
    for job in [&one, &other, &one] {
        write_frame(&mut list, Kind::Job, &job.encode()).unwrap();
    }
    // The last is cut off, as by a host that was killed.
    list.truncate(list.len() - 9);
    fs::write(folder.path().join("waiting"), list).unwrap();
    let mut served = at_work(folder.path(), true);
    let [one, other] = [one, other].map(|job| CacheKey::of(&job, &served.identity));
    let claimed = cache.claim_at_once(&one).unwrap();
    assert!(cache.claim_at_once(&one).is_none());
    served.end_host();
    served.wait_for_end();
    assert!(cache.find(&served.key).is_some() && cache.find(&other).is_some());
    assert!(cache.find(&one).is_none(), "it is somebody else's");
    drop(claimed);
    assert_eq!(fs::read_dir(folder.path().join("claims")).unwrap().count(), 0);
}

#[test]
fn a_server_without_work_does_what_is_listed() {
    let folder = tempfile::tempdir().unwrap();
    let mut list = Vec::new();
    for job in waiting() {
        write_frame(&mut list, Kind::Job, &job.encode()).unwrap();
    }
    fs::write(folder.path().join("waiting"), list).unwrap();
    let mut served = served(folder.path());
    served.end_host();
    served.wait_for_end();
    for job in waiting() {
        let key = CacheKey::of(&job, &served.identity);
        assert!(Cache::at(folder.path(), 1 << 30).find(&key).is_some());
    }
}

#[test]
fn what_only_the_host_wanted_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = at_work(folder.path(), false);
    served.end_host();
    assert!(served.wait_for_end() < Duration::from_secs(5));
}

#[test]
fn a_host_that_lives_gets_what_is_kept_too() {
    let folder = tempfile::tempdir().unwrap();
    let mut served = at_work(folder.path(), true);
    assert_eq!(read_frame(&mut served.output).unwrap().kind, Kind::Done);
    assert!(Cache::at(folder.path(), 1 << 30).find(&served.key).is_some());
    // Without work it ends with its host.
    served.end_host();
    assert!(served.wait_for_end() < Duration::from_secs(5));
}
