//! How much processor time and memory the control groups leave to this process. Their sets of processors need no
//! reading: the system takes them off the affinity mask.
//!
//! Control groups are folders, and a limit holds for everything below: the process's own group counts and every one above
//! it. Version 2 has one tree with `cpu.max` ("QUOTA PERIOD" or "max PERIOD", in microseconds) and `memory.max`; version 1
//! a tree for each controller, with files of its own. What cannot be read limits nothing.
//!
//! What a group uses includes pages of files that were read or written once. The system takes those away before it ends a
//! process, so they count as free here; pages of file systems in memory (`tmpfs`) and of swapped memory do not.

use std::path::{Path, PathBuf};

/// Where the system mounts them.
const ROOT: &str = "/sys/fs/cgroup";

/// What a controller limits, and how its files say so.
struct Controller {
    name: &'static str,
    version_2: fn(&Path) -> Option<u64>,
    version_1: fn(&Path) -> Option<u64>,
}

/// How the files of a memory controller are called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    One,
    Two,
}

/// A control group with a limit of memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MemoryGroup {
    folder: PathBuf,
    version: Version,
}

/// What a group may use and does, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MemoryUse {
    pub(crate) limit: u64,
    /// Without what the system takes away before it refuses memory.
    pub(crate) used: u64,
}

impl MemoryGroup {
    /// The groups that limit the memory of this process: its own and those above it.
    pub(crate) fn of_this_process() -> Vec<MemoryGroup> {
        let groups = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        MemoryGroup::all(Path::new(ROOT), &groups)
    }

    /// Those that `groups` names, in the form of `/proc/self/cgroup`, below `root`.
    pub(crate) fn all(root: &Path, groups: &str) -> Vec<MemoryGroup> {
        let mut found = Vec::new();
        for (version, folder) in folders(root, groups, MEMORY.name) {
            let group = MemoryGroup { folder, version };
            if group.limit().is_some() {
                found.push(group);
            }
        }
        found
    }

    fn limit(&self) -> Option<u64> {
        let limit = match self.version {
            Version::One => (MEMORY.version_1)(&self.folder),
            Version::Two => (MEMORY.version_2)(&self.folder),
        };
        limit.filter(|&bytes| bytes < NO_LIMIT)
    }

    /// The limit, and what is used now. `None` where the group is gone, or has no limit any more.
    pub(crate) fn read(&self) -> Option<MemoryUse> {
        let (usage, free) = match self.version {
            // What groups below use counts, and their `total_` lines are sums over those.
            Version::One => {
                ("memory.usage_in_bytes", ["total_inactive_file", "total_active_file"].as_slice())
            }
            Version::Two => {
                ("memory.current", ["inactive_file", "active_file", "slab_reclaimable"].as_slice())
            }
        };
        let limit = self.limit()?;
        let used = number(&self.folder, usage)?;
        let facts = text(&self.folder, "memory.stat").unwrap_or_default();
        let fact = |line: &str| {
            let (name, bytes) = line.split_once(' ')?;
            free.contains(&name).then_some(())?;
            bytes.trim().parse::<u64>().ok()
        };
        let reclaimable: u64 = facts.lines().filter_map(fact).fold(0, u64::saturating_add);
        Some(MemoryUse { limit, used: used.saturating_sub(reclaimable) })
    }
}

/// From here on a limit of version 1 is none: it says so with a number that no machine has.
const NO_LIMIT: u64 = 1 << 60;

/// Processors' worth of time, rounded up.
const CPU: Controller = Controller {
    name: "cpu",
    version_2: |folder| {
        let text = text(folder, "cpu.max")?;
        let mut fields = text.split_whitespace();
        // "max" is no number.
        processors_of(fields.next()?.parse().ok()?, fields.next()?.parse().ok()?)
    },
    // Without a limit the quota is -1.
    version_1: |folder| {
        processors_of(number(folder, "cpu.cfs_quota_us")?, number(folder, "cpu.cfs_period_us")?)
    },
};

/// Bytes. Without a limit version 2 says "max", version 1 a number that no machine has.
const MEMORY: Controller = Controller {
    name: "memory",
    version_2: |folder| number(folder, "memory.max"),
    version_1: |folder| number(folder, "memory.limit_in_bytes"),
};

/// Processors' worth of time that this process may use, rounded up; `None` without a limit.
#[must_use]
pub fn processors() -> Option<usize> {
    limit_of_this(&CPU).map(|most| usize::try_from(most).unwrap_or(usize::MAX))
}

fn limit_of_this(controller: &Controller) -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    limit(Path::new(ROOT), &groups, controller)
}

/// The smallest limit of the groups that `groups` names, in the form of `/proc/self/cgroup`, below `root`.
fn limit(root: &Path, groups: &str, controller: &Controller) -> Option<u64> {
    let read = |(version, folder): (Version, PathBuf)| match version {
        Version::One => (controller.version_1)(&folder),
        Version::Two => (controller.version_2)(&folder),
    };
    folders(root, groups, controller.name).into_iter().filter_map(read).min()
}

/// The folders of the groups that `groups` names, and of those above them, in which a controller may have files.
fn folders(root: &Path, groups: &str, controller: &str) -> Vec<(Version, PathBuf)> {
    let mut found = Vec::new();
    for line in groups.lines() {
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (fields.next(), fields.next()) else { continue };
        let (version, tree) = if controllers.is_empty() {
            // Beside trees of version 1 the one of version 2 has a folder of its own.
            let beside = root.join("unified");
            (Version::Two, Some(if beside.is_dir() { beside } else { root.to_owned() }))
        } else {
            let is_meant = controllers.split(',').any(|name| name == controller);
            // The tree is named for its controllers, and often for the one alone.
            let tree = [controllers, controller].map(|name| root.join(name));
            (Version::One, tree.into_iter().find(|tree| is_meant && tree.is_dir()))
        };
        let Some(tree) = tree else { continue };
        let group = Path::new(group.trim_start_matches('/'));
        // Within a container the tree may begin at the group.
        let plain = group.components().all(|part| matches!(part, std::path::Component::Normal(_)));
        if plain {
            found.extend(group.ancestors().map(|group| (version, tree.join(group))));
        } else {
            found.push((version, tree));
        }
    }
    found
}

fn processors_of(quota: u64, period: u64) -> Option<u64> {
    (period > 0).then(|| quota.div_ceil(period).max(1))
}

fn text(folder: &Path, name: &str) -> Option<String> {
    std::fs::read_to_string(folder.join(name)).ok()
}

fn number(folder: &Path, name: &str) -> Option<u64> {
    text(folder, name)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A folder that goes with the test.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let folder = std::env::temp_dir().join(format!("oxcl-quota-{name}-{}", std::process::id()));
            std::fs::create_dir_all(&folder).unwrap();
            Folder(folder)
        }

        fn write(&self, file: &str, text: &str) {
            let path = self.0.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn the_smallest_quota_on_the_way_to_the_root_counts() {
        let root = Folder::new("v2");
        let own = |root: &Folder| limit(&root.0, "0::/outer/inner\n", &CPU);
        assert_eq!(own(&root), None);
        root.write("outer/inner/cpu.max", "max 100000\n");
        assert_eq!(own(&root), None);
        root.write("outer/cpu.max", "250000 100000\n");
        assert_eq!(own(&root), Some(3));
        root.write("outer/inner/cpu.max", "50000 100000\n");
        assert_eq!(own(&root), Some(1));
        root.write("outer/inner/cpu.max", "400000 100000\n");
        assert_eq!(own(&root), Some(3));
        // A container sees the root of its own tree.
        assert_eq!(limit(&root.0.join("outer"), "0::/\n", &CPU), Some(3));
        assert_eq!(limit(&root.0.join("outer"), "0::/../elsewhere\n", &CPU), Some(3));
        for text in ["", "1", "a b", "100000 0"] {
            root.write("outer/cpu.max", text);
            root.write("outer/inner/cpu.max", text);
            assert_eq!(own(&root), None, "{text}");
        }
    }

    #[test]
    fn groups_of_version_1_are_read() {
        let root = Folder::new("v1");
        let groups = "5:memory:/box\n4:cpu,cpuacct:/box\n1:name=systemd:/box\nnonsense\n";
        root.write("cpu,cpuacct/box/cpu.cfs_quota_us", "-1\n");
        root.write("cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
        assert_eq!(limit(&root.0, groups, &CPU), None);
        root.write("cpu,cpuacct/box/cpu.cfs_quota_us", "150000\n");
        assert_eq!(limit(&root.0, groups, &CPU), Some(2));
        assert_eq!(limit(&root.0, "5:memory:/box\n", &CPU), None);
    }

    #[test]
    fn memory_is_limited_by_the_groups_own_limit_and_those_above() {
        let root = Folder::new("memory-v2");
        let own = |root: &Folder| limit(&root.0, "0::/outer/inner\n", &MEMORY);
        root.write("outer/memory.max", "max\n");
        assert_eq!(own(&root), None);
        root.write("outer/inner/memory.max", "536870912\n");
        assert_eq!(own(&root), Some(512 << 20));
        root.write("outer/memory.max", "268435456\n");
        assert_eq!(own(&root), Some(256 << 20));
        let root = Folder::new("memory-v1");
        root.write("memory/box/memory.limit_in_bytes", "1073741824\n");
        root.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        assert_eq!(limit(&root.0, "5:memory:/box\n0::/\n", &MEMORY), Some(1 << 30));
    }

    #[test]
    fn pages_of_files_count_as_free_and_each_group_of_the_chain_counts() {
        let root = Folder::new("use-v2");
        root.write("outer/memory.max", "1000000\n");
        root.write("outer/memory.current", "700000\n");
        root.write(
            "outer/memory.stat",
            "anon 1\nfile 500000\nshmem 3\ninactive_file 100000\nactive_file 50000\nslab_reclaimable 1000\n",
        );
        root.write("outer/inner/memory.max", "max\n");
        root.write("outer/inner/memory.current", "5\n");
        let groups = MemoryGroup::all(&root.0, "0::/outer/inner\n");
        let uses: Vec<_> = groups.iter().map(MemoryGroup::read).collect();
        assert_eq!(uses, [Some(MemoryUse { limit: 1_000_000, used: 549_000 })]);
        root.write("outer/inner/memory.max", "800000\n");
        assert_eq!(MemoryGroup::all(&root.0, "0::/outer/inner\n").len(), 2);
        let root = Folder::new("use-v1");
        root.write("memory/box/memory.limit_in_bytes", "1000000\n");
        root.write("memory/box/memory.usage_in_bytes", "900000\n");
        // The first lines are the group's own, the second ones those of all below it too.
        root.write(
            "memory/box/memory.stat",
            "inactive_file 1\nactive_file 1\ntotal_inactive_file 300000\ntotal_active_file 200000\n",
        );
        root.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
        let groups = MemoryGroup::all(&root.0, "5:memory:/box\n0::/\n");
        assert_eq!(groups.len(), 1);
        assert_eq!(groups[0].read(), Some(MemoryUse { limit: 1_000_000, used: 400_000 }));
        std::fs::remove_dir_all(root.0.join("memory/box")).unwrap();
        assert_eq!(groups[0].read(), None);
    }
}
