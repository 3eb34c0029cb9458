//! How much processor time the control groups leave to this process. Their sets of processors need no reading: the
//! system takes them off the affinity mask.
//!
//! Control groups are folders, and a limit holds for everything below. Version 2 has one tree with `cpu.max` ("QUOTA
//! PERIOD" or "max PERIOD", in microseconds); version 1 a tree for the controller `cpu` with two files. What cannot be
//! read limits nothing.

use std::path::{Path, PathBuf};

/// Where the system mounts them.
const ROOT: &str = "/sys/fs/cgroup";

/// Processors' worth of time that this process may use, rounded up; `None` without a limit.
pub(super) fn processors() -> Option<usize> {
    let groups = std::fs::read_to_string("/proc/self/cgroup").ok()?;
    limit(Path::new(ROOT), &groups)
}

/// The smallest limit of the groups that `groups` names, in the form of `/proc/self/cgroup`, below `root`.
fn limit(root: &Path, groups: &str) -> Option<usize> {
    let lines = groups.lines().filter_map(|line| {
        let mut fields = line.splitn(3, ':').skip(1);
        Some((fields.next()?, fields.next()?))
    });
    lines
        .filter_map(|(controllers, group)| {
            let group = Path::new(group.trim_start_matches('/'));
            if controllers.is_empty() {
                return smallest(root, group, version_2);
            }
            let cpu = controllers.split(',').any(|controller| controller == "cpu");
            // The tree is named for its controllers, and often for the one alone.
            let tree =
                [controllers, "cpu"].map(|name| root.join(name)).into_iter().find(|tree| tree.is_dir());
            smallest(&tree.filter(|_| cpu)?, group, version_1)
        })
        .min()
}

/// The smallest limit from a group up to the root of its tree. Within a container the tree may begin at the group.
fn smallest(tree: &Path, group: &Path, read: fn(&Path) -> Option<(u64, u64)>) -> Option<usize> {
    let plain = group.components().all(|part| matches!(part, std::path::Component::Normal(_)));
    let folders: Vec<PathBuf> =
        if plain { group.ancestors().map(|group| tree.join(group)).collect() } else { vec![tree.to_owned()] };
    let limits = folders.iter().filter_map(|folder| read(folder));
    limits.filter(|(_, period)| *period > 0).map(|(quota, period)| rounded_up(quota, period)).min()
}

fn rounded_up(quota: u64, period: u64) -> usize {
    usize::try_from(quota.div_ceil(period)).unwrap_or(usize::MAX).max(1)
}

/// Quota and period of a group of version 2.
fn version_2(folder: &Path) -> Option<(u64, u64)> {
    let text = std::fs::read_to_string(folder.join("cpu.max")).ok()?;
    let mut fields = text.split_whitespace();
    // "max" is no number.
    Some((fields.next()?.parse().ok()?, fields.next()?.parse().ok()?))
}

/// The same of version 1; without a limit the quota is -1.
fn version_1(folder: &Path) -> Option<(u64, u64)> {
    let number = |name: &str| std::fs::read_to_string(folder.join(name)).ok()?.trim().parse().ok();
    Some((number("cpu.cfs_quota_us")?, number("cpu.cfs_period_us")?))
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
        let own = |root: &Folder| limit(&root.0, "0::/outer/inner\n");
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
        assert_eq!(limit(&root.0.join("outer"), "0::/\n"), Some(3));
        assert_eq!(limit(&root.0.join("outer"), "0::/../elsewhere\n"), Some(3));
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
        assert_eq!(limit(&root.0, groups), None);
        root.write("cpu,cpuacct/box/cpu.cfs_quota_us", "150000\n");
        assert_eq!(limit(&root.0, groups), Some(2));
        assert_eq!(limit(&root.0, "5:memory:/box\n"), None);
    }
}
