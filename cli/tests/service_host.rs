//! What a host program must not notice of the compile service, and what the service must survive of its host: signals,
//! children, forks, files, sudden ends. Each host is a process of its own: this test program again, in a role.

#![allow(
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails by panicking and a role says what it saw"
)]

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use oxcl_runtime::{BuildFault, BuildRequest, BuildTarget, CompilerService as _, Service, ServiceOptions};

const SCALE: &str = "kernel void scale(global float *x, float a) { x[get_global_id(0)] *= a; }";
const TWO: &str = "kernel void a(global int *x) { x[0] = 1; } kernel void b(global int *x) { x[0] = 2; }";
/// Which role this process plays.
const ROLE: &str = "OXCL_TEST_ROLE";

fn service() -> Service {
    Service::new(ServiceOptions {
        compiler: Some(PathBuf::from(env!("CARGO_BIN_EXE_oxcl"))),
        cache: None,
        servers: 2,
        timeout: Duration::from_secs(60),
        memory: 4 << 30,
        arguments: Vec::new(),
        ..ServiceOptions::from_environment()
    })
}

fn request(text: &str) -> BuildRequest {
    BuildRequest::new("program.cl", text, BuildTarget::Cpu)
}

/// Starts this program in a role.
fn host(role: &str) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "role", "--nocapture", "--test-threads=1"])
        .env(ROLE, role)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Runs a role to its end and gives what it printed behind its marks.
fn play(role: &str) -> Vec<String> {
    let child = host(role);
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{role}: {text}{errors}");
    text.lines().filter_map(|line| line.split("@@ ").nth(1)).map(str::to_owned).collect()
}

/// The servers of a host, by its process id.
fn servers_of(host: u32) -> Vec<u32> {
    let wanted = format!("--host={host}");
    let processes = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    processes
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .filter(|process: &u32| {
            let line = fs::read(format!("/proc/{process}/cmdline")).unwrap_or_default();
            line.split(|byte| *byte == 0).any(|word| word == wanted.as_bytes())
        })
        .collect()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !holds() {
        assert!(begin.elapsed() < Duration::from_secs(20), "{what}");
        thread::sleep(Duration::from_millis(5));
    }
}

/// Not a test of its own: what a host does.
#[test]
fn role() {
    match std::env::var(ROLE).as_deref() {
        Ok("quiet") => quiet(),
        Ok("forks") => forks(),
        Ok("waits") => waits(),
        Ok("adopts") => adopts(),
        Ok(other) => panic!("no role {other}"),
        Err(_) => {}
    }
}

static SIGNALS: AtomicU32 = AtomicU32::new(0);

extern "C" fn count_signal(_: libc::c_int) {
    // Relaxed: a count that is read when everything is over.
    SIGNALS.fetch_add(1, Ordering::Relaxed);
}

/// Whether the system ends the process first where memory runs out. Who starts it says so when it runs already, on a busy
/// machine some time after that.
fn is_ended_first(process: u32) -> bool {
    let patience = Instant::now() + Duration::from_secs(20);
    while Instant::now() < patience {
        if fs::read_to_string(format!("/proc/{process}/oom_score_adj")).unwrap().trim() == "1000" {
            return true;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    false
}

/// Builds well and badly, with servers that die, and looks what it has noticed of it.
fn quiet() {
    let handler = count_signal as extern "C" fn(libc::c_int) as *const () as libc::sighandler_t;
    for signal in [libc::SIGCHLD, libc::SIGPIPE] {
        // SAFETY: the handler may run at any time: it only counts.
        unsafe { libc::signal(signal, handler) };
    }
    // A file of the host's that programs which it starts would get.
    let (reader, writer) = std::io::pipe().unwrap();
    for end in [reader.as_raw_fd(), writer.as_raw_fd()] {
        // SAFETY: a valid descriptor and a flag.
        unsafe { libc::fcntl(end, libc::F_SETFD, 0) };
    }
    let service = service();
    service.build(&request(TWO)).unwrap();
    service.build(&request("kernel void bad(global int *x) { x = y; }")).unwrap_err();
    let servers = servers_of(std::process::id());
    assert_eq!(servers.len(), 2, "{servers:?}");
    let theirs = |server: u32| {
        let files = fs::read_dir(format!("/proc/{server}/fd")).unwrap().filter_map(Result::ok);
        files.filter_map(|file| fs::read_link(file.path()).ok()).collect::<Vec<_>>()
    };
    let pipe = fs::read_link(format!("/proc/self/fd/{}", writer.as_raw_fd())).unwrap();
    for &server in &servers {
        assert!(!theirs(server).contains(&pipe), "a server has a file of the host's");
        // Where memory runs out it is ended before the host.
        assert!(is_ended_first(server), "server {server} is ended no sooner than others");
        // SAFETY: numbers only.
        unsafe { libc::kill(server.cast_signed(), libc::SIGKILL) };
    }
    until("servers end", || servers.iter().all(|server| !Path::new(&format!("/proc/{server}")).exists()));
    // They died while they waited: nobody asked them anything, so nothing is lost.
    service.build(&request(SCALE)).unwrap();
    for file in fs::read_dir("/proc/self/fd").unwrap().filter_map(Result::ok) {
        let Ok(target) = fs::read_link(file.path()) else { continue };
        let target = target.to_string_lossy().into_owned();
        if target.starts_with("socket:") || target.contains("pidfd") || target.contains("memfd:oxcl") {
            let number: i32 = file.file_name().to_str().unwrap().parse().unwrap();
            // SAFETY: a number; a descriptor that is closed meanwhile gives an error.
            let flags = unsafe { libc::fcntl(number, libc::F_GETFD) };
            assert!(flags & libc::FD_CLOEXEC != 0, "{target} stays open in other programs");
        }
    }
    // SAFETY: no place for a status is needed.
    let waited = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
    assert_eq!((waited, std::io::Error::last_os_error().raw_os_error()), (-1, Some(libc::ECHILD)));
    drop(service);
    until("servers end with their service", || servers_of(std::process::id()).is_empty());
    println!("@@ {} signals", SIGNALS.load(Ordering::Relaxed));
}

/// Forks, and builds on both sides.
fn forks() {
    let service = service();
    service.build(&request(SCALE)).unwrap();
    let before = servers_of(std::process::id());
    // Another thread holds the pool's lock most of the time.
    let (other, stop) = (service.clone(), AtomicBool::new(false));
    thread::scope(|scope| {
        scope.spawn(|| {
            // Relaxed: the loop only has to end some time.
            while !stop.load(Ordering::Relaxed) {
                std::hint::black_box(other.idle_processes());
            }
        });
        for _ in 0..3 {
            // SAFETY: the child uses what this test is about, and leaves by `_exit`.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let built = service.build(&request(SCALE)).is_ok();
                let own = servers_of(std::process::id()).len();
                // SAFETY: a number.
                unsafe { libc::_exit(if built && own == 1 { 0 } else { 1 }) };
            }
            let mut status = 0;
            // SAFETY: a child of ours, and a place for its status.
            unsafe { libc::waitpid(child, &raw mut status, 0) };
            assert_eq!(status, 0, "the child's build");
            until("the child's servers end", || servers_of(child.cast_unsigned()).is_empty());
        }
        // Relaxed: as above.
        stop.store(true, Ordering::Relaxed);
    });
    assert_eq!(servers_of(std::process::id()), before, "the parent's servers are as they were");
    service.build(&request(SCALE)).unwrap();
    println!("@@ forked");
}

/// Builds, says so, and waits to be killed.
fn waits() {
    let service = service();
    service.build(&request(TWO)).unwrap();
    println!("@@ ready");
    let mut rest = Vec::new();
    let _ = std::io::stdin().read_to_end(&mut rest);
}

/// A host that orphans come to, like the first process of a container: it must not fill with dead servers.
fn adopts() {
    // SAFETY: numbers only.
    unsafe { libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) };
    for _ in 0..3 {
        let service = service();
        service.build(&request(SCALE)).unwrap();
        drop(service);
        // SAFETY: no place for a status is needed.
        let waited = unsafe { libc::waitpid(-1, std::ptr::null_mut(), libc::WNOHANG) };
        assert_eq!(waited, -1, "a dead server is left to the host");
    }
    println!("@@ adopted");
}

#[test]
fn the_host_sees_no_signal_no_child_and_no_open_file() {
    assert_eq!(play("quiet"), ["0 signals"]);
}

#[test]
fn a_forked_child_has_servers_of_its_own() {
    assert_eq!(play("forks"), ["forked"]);
}

#[test]
fn a_host_that_adopts_orphans_has_no_dead_ones() {
    assert_eq!(play("adopts"), ["adopted"]);
}

#[test]
fn servers_end_with_a_host_that_is_killed() {
    let mut child = host("waits");
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("@@ ready")));
    assert_eq!(servers_of(child.id()).len(), 2);
    child.kill().unwrap();
    child.wait().unwrap();
    until("servers end with their host", || servers_of(child.id()).is_empty());
}

/// How many builds the next test makes; more by hand.
fn builds() -> u32 {
    std::env::var("OXCL_TEST_BUILDS").ok().and_then(|n| n.parse().ok()).unwrap_or(60)
}

#[test]
fn killing_servers_at_random_loses_single_builds_only() {
    let service = service();
    let wanted = [request(SCALE), request(TWO)];
    let right: Vec<_> = wanted.iter().map(|request| service.build(request).unwrap().archive).collect();
    let begin = Instant::now();
    service.build(&wanted[1]).unwrap();
    let typical = u64::try_from(begin.elapsed().as_micros()).unwrap();
    let (stop, kills) = (AtomicBool::new(false), AtomicU32::new(0));
    let mut failed = 0;
    thread::scope(|scope| {
        scope.spawn(|| {
            let mut random = 0x9e37_79b9_7f4a_7c15_u64;
            // Relaxed: the loop only has to end some time.
            while !stop.load(Ordering::Relaxed) {
                random ^= random << 13;
                random ^= random >> 7;
                random ^= random << 17;
                thread::sleep(Duration::from_micros(random % (8 * typical)));
                let servers = servers_of(std::process::id());
                if let Some(&server) =
                    servers.get(usize::try_from(random >> 40).unwrap() % servers.len().max(1))
                {
                    // SAFETY: numbers only.
                    unsafe { libc::kill(server.cast_signed(), libc::SIGKILL) };
                    // Relaxed: a count that is read when the thread has ended.
                    kills.fetch_add(1, Ordering::Relaxed);
                }
            }
        });
        for count in 0..builds() {
            let which = count as usize % 2;
            match service.build(&wanted[which]) {
                Ok(built) => assert!(built.archive == right[which], "build {count} has other bytes"),
                Err(error) => {
                    assert_eq!(error.fault, BuildFault::Crashed, "{error}");
                    let repro = error.repro.as_deref().expect("a folder");
                    // Of many, the oldest are gone already.
                    let _ = fs::remove_dir_all(repro);
                    failed += 1;
                }
            }
        }
        // Relaxed: as above.
        stop.store(true, Ordering::Relaxed);
    });
    let kills = kills.load(Ordering::Relaxed);
    println!("{} builds, {kills} servers killed, {failed} builds failed", builds());
    assert!(failed <= kills, "{failed} builds failed by {kills} kills");
    for (request, right) in wanted.iter().zip(&right) {
        assert!(service.build(request).unwrap().archive == *right);
    }
}
