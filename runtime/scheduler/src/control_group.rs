//! How much processor time and memory the control groups leave to this process. Their sets of processors need no
//! reading: the system takes them off the affinity mask.
//!
//! Control groups are folders, and a limit holds for everything below: the process's own group counts and every one above
//! it. Version 2 has one tree with `cpu.max` ("QUOTA PERIOD" or "max PERIOD", in microseconds) and `memory.max`; version 1
//! a tree for each controller, with files of its own. What cannot be read limits nothing.

use std::path::{Path, PathBuf};

/// Where the system mounts them.
const ROOT: &str = "/sys/fs/cgroup";

/// What a controller limits, and how its files say so.
struct Controller {
    name: &'static str,
    version_2: fn(&Path) -> Option<u64>,
    version_1: fn(&Path) -> Option<u64>,
}

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
pub(crate) fn processors() -> Option<usize> {
    limit_of_this(&CPU).map(|most| usize::try_from(most).unwrap_or(usize::MAX))
}

/// Bytes of memory that the control groups leave to this process; `None` without a limit.
#[must_use]
pub fn memory_limit() -> Option<u64> {
    limit_of_this(&MEMORY)
}

fn limit_of_this(controller: &Controller) -> Option<u64> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    limit(Path::new(ROOT), &groups, controller)
}

/// The smallest limit of the groups that `groups` names, in the form of `/proc/self/cgroup`, below `root`.
fn limit(root: &Path, groups: &str, controller: &Controller) -> Option<u64> {
    let lines = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        Some((fields.next()?, fields.next()?))
    });
    lines
        .filter_map(|(controllers, group)| {
            let group = Path::new(group.trim_start_matches('/'));
            if controllers.is_empty() {
                // Beside trees of version 1 the one of version 2 has a folder of its own.
                let beside = root.join("unified");
                let tree = if beside.is_dir() { beside } else { root.to_owned() };
                return smallest(&tree, group, controller.version_2);
            }
            let is_meant = controllers.split(',').any(|name| name == controller.name);
            // The tree is named for its controllers, and often for the one alone.
            let tree = [controllers, controller.name].map(|name| root.join(name));
            let tree = tree.into_iter().find(|tree| tree.is_dir());
            smallest(&tree.filter(|_| is_meant)?, group, controller.version_1)
        })
        .min()
}

/// The smallest limit from a group up to the root of its tree. Within a container the tree may begin at the group.
fn smallest(tree: &Path, group: &Path, read: fn(&Path) -> Option<u64>) -> Option<u64> {
    let plain = group.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let folders: Vec<PathBuf> =
        if plain { group.ancestors().map(|group| tree.join(group)).collect() } else { vec![tree.to_owned()] };
    folders.iter().filter_map(|folder| read(folder)).min()
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

#[cfg(all(test, not(loom)))]
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
}
