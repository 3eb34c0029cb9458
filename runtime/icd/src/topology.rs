//! Which CPUs share memory or a cache, as the system tells it below `/sys/devices/system`.
//!
//! In: CPUs. Out: for each kind of domain the groups of CPUs that share one. A kind that the system does not tell of, or
//! tells of for some CPUs only, has no groups.

use std::collections::BTreeSet;
use std::path::Path;

use crate::cl;
use crate::types::Bitfield;

/// Where the system tells of its processors.
pub(crate) const ROOT: &str = "/sys/devices/system";

/// The kinds of domains from the largest to the smallest, which is the order in which devices are cut along them.
pub(crate) const DOMAINS: [Bitfield; 5] = [
    cl::DEVICE_AFFINITY_DOMAIN_NUMA,
    cl::DEVICE_AFFINITY_DOMAIN_L4_CACHE,
    cl::DEVICE_AFFINITY_DOMAIN_L3_CACHE,
    cl::DEVICE_AFFINITY_DOMAIN_L2_CACHE,
    cl::DEVICE_AFFINITY_DOMAIN_L1_CACHE,
];

/// The groups of `cpus` that share a domain of this kind, in the order of their first CPUs; each CPU is in one.
pub(crate) fn groups(root: &Path, domain: Bitfield, cpus: &[usize]) -> Vec<Vec<usize>> {
    let found = match DOMAINS.iter().position(|known| *known == domain) {
        Some(0) => nodes(root),
        // The last one is level 1.
        Some(index) => caches(root, DOMAINS.len() - index, cpus),
        None => Vec::new(),
    };
    let own = |group: Vec<usize>| group.into_iter().filter(|cpu| cpus.contains(cpu)).collect::<Vec<_>>();
    let groups: BTreeSet<Vec<usize>> = found.into_iter().map(own).filter(|group| !group.is_empty()).collect();
    let covered: usize = groups.iter().map(Vec::len).sum();
    let all: BTreeSet<usize> = groups.iter().flatten().copied().collect();
    if covered == cpus.len() && all.len() == covered { groups.into_iter().collect() } else { Vec::new() }
}

/// The CPUs of each NUMA node.
fn nodes(root: &Path) -> Vec<Vec<usize>> {
    let Ok(entries) = std::fs::read_dir(root.join("node")) else { return Vec::new() };
    let is_node = |name: &str| name.strip_prefix("node").is_some_and(|rest| rest.parse::<u32>().is_ok());
    let entries = entries.filter_map(Result::ok);
    let entries = entries.filter(|entry| entry.file_name().to_str().is_some_and(is_node));
    entries.filter_map(|entry| list(&text(&entry.path().join("cpulist"))?)).collect()
}

/// The CPUs that share each CPU's cache of a level, for data.
fn caches(root: &Path, level: usize, cpus: &[usize]) -> Vec<Vec<usize>> {
    let shared = |cpu: &usize| {
        let folder = root.join(format!("cpu/cpu{cpu}/cache"));
        let indices = (0..8).map(|index| folder.join(format!("index{index}")));
        let mut fitting = indices.filter(|index| {
            text(&index.join("level")).is_some_and(|known| known == level.to_string())
                && text(&index.join("type")).is_some_and(|kind| kind != "Instruction")
        });
        list(&text(&fitting.next()?.join("shared_cpu_list"))?)
    };
    cpus.iter().filter_map(shared).collect()
}

fn text(path: &Path) -> Option<String> {
    std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned())
}

/// A list such as `0-3,8,10-11`.
fn list(text: &str) -> Option<Vec<usize>> {
    let mut all = Vec::new();
    for part in text.split(',').filter(|part| !part.is_empty()) {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        let (first, last) = (first.trim().parse::<usize>().ok()?, last.trim().parse::<usize>().ok()?);
        // More CPUs than there can be is no list of CPUs.
        if last > 1 << 16 {
            return None;
        }
        all.extend(first..=last);
    }
    Some(all)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Eight CPUs in two nodes; pairs share an L2, each node an L3.
    fn machine() -> tempfile::TempDir {
        let root = tempfile::tempdir().unwrap();
        for (node, cpus) in [(0, "0-3\n"), (1, "4-7\n")] {
            let folder = root.path().join(format!("node/node{node}"));
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("cpulist"), cpus).unwrap();
        }
        fs::write(root.path().join("node/online"), "0-1\n").unwrap();
        for cpu in 0..8_usize {
            let (pair, node) = (cpu & !1, cpu & !3);
            let shared = [
                (1, "Data", format!("{cpu}")),
                (1, "Instruction", format!("{pair}-{}", pair + 1)),
                (2, "Unified", format!("{pair}-{}", pair + 1)),
                (3, "Unified", format!("{node}-{}", node + 3)),
            ];
            for (index, (level, kind, list)) in shared.iter().enumerate() {
                let folder = root.path().join(format!("cpu/cpu{cpu}/cache/index{index}"));
                fs::create_dir_all(&folder).unwrap();
                fs::write(folder.join("level"), format!("{level}\n")).unwrap();
                fs::write(folder.join("type"), format!("{kind}\n")).unwrap();
                fs::write(folder.join("shared_cpu_list"), format!("{list}\n")).unwrap();
            }
        }
        root
    }

    #[test]
    fn groups_are_what_cpus_share() {
        let machine = machine();
        let all: Vec<usize> = (0..8).collect();
        let of = |domain| groups(machine.path(), domain, &all);
        assert_eq!(of(cl::DEVICE_AFFINITY_DOMAIN_NUMA), [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
        assert_eq!(of(cl::DEVICE_AFFINITY_DOMAIN_L3_CACHE), [vec![0, 1, 2, 3], vec![4, 5, 6, 7]]);
        assert_eq!(of(cl::DEVICE_AFFINITY_DOMAIN_L2_CACHE), [vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7]]);
        assert_eq!(of(cl::DEVICE_AFFINITY_DOMAIN_L1_CACHE).len(), 8);
        assert!(of(cl::DEVICE_AFFINITY_DOMAIN_L4_CACHE).is_empty());
        // A process that may use some of them.
        let some = groups(machine.path(), cl::DEVICE_AFFINITY_DOMAIN_L2_CACHE, &[1, 2, 3, 6]);
        assert_eq!(some, [vec![1], vec![2, 3], vec![6]]);
        // A CPU that nothing is known of.
        assert!(groups(machine.path(), cl::DEVICE_AFFINITY_DOMAIN_L2_CACHE, &[1, 9]).is_empty());
    }

    #[test]
    fn lists() {
        assert_eq!(list("0-2,5,7-8"), Some(vec![0, 1, 2, 5, 7, 8]));
        assert_eq!(list(""), Some(vec![]));
        assert_eq!(list("0-x"), None);
        assert_eq!(list("0-99999999999"), None);
    }
}
