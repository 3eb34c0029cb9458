//! What the system lets a process have: its own limits, and those of its control group.

use super::{Problem, Report, System};
use std::path::{Path, PathBuf};

/// Threads of a pool, of compilers and of the host beside them: what a program of one CPU starts at most.
const TASKS: u64 = 64;
/// A compiler of a program of middle size takes less; what LLVM maps is more than it uses.
const ADDRESSES: u64 = 4 << 30;
/// With less a compiler of a program of middle size is killed.
const MEMORY: u64 = 512 << 20;
/// Files of a host program with a few compilers.
const FILES: u64 = 64;
/// Larger numbers in control groups of version 1 stand for no limit.
const NO_LIMIT: u64 = 1 << 60;

/// Looks at both.
pub(super) fn examine(system: &System, report: &mut Report) {
    let text = system.text("/proc/self/limits").unwrap_or_default();
    let limit = |name: &str| -> Option<u64> {
        let line = text.lines().find(|line| line.starts_with(name))?;
        // The soft limit; `unlimited` is none.
        line[name.len()..].split_whitespace().next()?.parse().ok()
    };
    let said = |limit: Option<u64>| limit.map_or_else(|| "unlimited".to_owned(), |limit| limit.to_string());
    let (processes, addresses, files) =
        (limit("Max processes"), limit("Max address space"), limit("Max open files"));
    report.fact(
        "limits",
        format!(
            "processes {}, address space {}, open files {}, locked memory {} (nothing is locked)",
            said(processes),
            said(addresses),
            said(files),
            said(limit("Max locked memory")),
        ),
    );
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get) as u64;
    let tasks = TASKS.max(4 * threads);
    if let Some(limit) = processes.filter(|limit| *limit < tasks) {
        report.find(
            Problem::FewProcesses,
            format!("this user may have {limit} processes and threads; {tasks} and more are needed at times"),
            format!("ulimit -u {}", 16 * tasks),
        );
    }
    if let Some(limit) = files.filter(|limit| *limit < FILES) {
        report.find(
            Problem::FewProcesses,
            format!("a process may have {limit} open files; {FILES} and more are needed at times"),
            "ulimit -n 1024",
        );
    }
    if let Some(limit) = addresses.filter(|limit| *limit < ADDRESSES) {
        report.find(
            Problem::FewAddresses,
            format!(
                "a process may have {} MiB of addresses: the library reserves more than it uses, and so does the compiler",
                limit >> 20
            ),
            "ulimit -v unlimited",
        );
    }
    groups(system, report);
}

/// The MiB of memory that there are at most, and whose limit that is: the machine's, or its control group's where that has less.
pub(super) fn memory(system: &System) -> Option<(u64, &'static str)> {
    let text = system.text("/proc/meminfo").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("MemTotal:"));
    let kibibytes: Option<u64> = line.and_then(|line| line.split_whitespace().next()?.parse().ok());
    let machine = kibibytes.map(|kibibytes| (kibibytes >> 10, "the machine has"));
    let [group, _] = smallest(system);
    let group = group.map(|(bytes, _)| (bytes >> 20, "the control group allows"));
    machine.into_iter().chain(group).min()
}

/// The least limits on memory and on tasks, and the files that say so, of the control group that this process is in and of
/// those above.
fn smallest(system: &System) -> [Option<(u64, PathBuf)>; 2] {
    let mut smallest: [Option<(u64, PathBuf)>; 2] = [None, None];
    for (folder, names) in folders(system) {
        for (name, smallest) in names.iter().zip(&mut smallest) {
            let file = folder.join(name);
            let value = system.text(&file).and_then(|text| text.trim().parse::<u64>().ok());
            if let Some(value) = value.filter(|value| *value < NO_LIMIT)
                && smallest.as_ref().is_none_or(|(least, _)| value < *least)
            {
                *smallest = Some((value, file));
            }
        }
    }
    smallest
}

/// Looks at the limits of control groups.
fn groups(system: &System, report: &mut Report) {
    let [memory, tasks] = smallest(system);
    if let Some((bytes, file)) = memory {
        report.fact("control group", format!("{} MiB of memory", bytes >> 20));
        if bytes < MEMORY {
            report.find(
                Problem::SmallGroup,
                format!(
                    "the control group allows {} MiB of memory ({}): compilers of larger programs are killed",
                    bytes >> 20,
                    file.display()
                ),
                format!("echo {MEMORY} | sudo tee {}", file.display()),
            );
        }
    }
    if let Some((count, file)) = tasks
        && count < TASKS
    {
        report.find(
            Problem::SmallGroup,
            format!("the control group allows {count} processes and threads ({})", file.display()),
            format!("echo max | sudo tee {}", file.display()),
        );
    }
}

/// Folders with limits, and what the files of memory and of tasks are called there.
fn folders(system: &System) -> Vec<(PathBuf, [&'static str; 2])> {
    let mut found = Vec::new();
    for line in system.text("/proc/self/cgroup").unwrap_or_default().lines() {
        let parts: Vec<&str> = line.splitn(3, ':').collect();
        let [_, controllers, group] = parts.as_slice() else { continue };
        let (base, names) = match *controllers {
            "" => ("/sys/fs/cgroup".to_owned(), ["memory.max", "pids.max"]),
            "memory" => ("/sys/fs/cgroup/memory".to_owned(), ["memory.limit_in_bytes", "-"]),
            "pids" => ("/sys/fs/cgroup/pids".to_owned(), ["-", "pids.max"]),
            _ => continue,
        };
        let base = Path::new(&base);
        for above in Path::new(group).ancestors() {
            found.push((base.join(above.strip_prefix("/").unwrap_or(above)), names));
        }
    }
    found
}
