//! The memory that this process may still take.

use std::fs;
use std::path::Path;

/// Bytes that this process may still take: what the machine has free, what each control group that
/// the process is in has left (containers and batch jobs are limited so), and what the process's own
/// limits (`ulimit -v`, `ulimit -d`) leave; the least of them. None where the system does not tell:
/// only Linux does.
pub(in crate::data) fn available_memory() -> Option<u64> {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let groups = left_to_groups(&read("/proc/self/cgroup"), Path::new("/sys/fs/cgroup"));
    let process = left_to_process(&read("/proc/self/limits"), &read("/proc/self/status"));
    let machine = value(&read("/proc/meminfo"), "MemAvailable:").map(from_kibibytes);
    [machine, groups, process].into_iter().flatten().min()
}

/// The memory that the limits of address space and of data leave, by `limits` and `status` of the process.
fn left_to_process(limits: &str, status: &str) -> Option<u64> {
    let left = |limit: &str, taken: &str| {
        let taken = value(status, taken).map(from_kibibytes)?;
        Some(value(limits, limit)?.saturating_sub(taken))
    };
    let [space, data] = [left("Max address space", "VmSize:"), left("Max data size", "VmData:")];
    space.into_iter().chain(data).min()
}

/// The memory that the control groups of `listing` (as `/proc/self/cgroup`) leave, which are mounted at
/// `mount`.
fn left_to_groups(listing: &str, mount: &Path) -> Option<u64> {
    let of_line = |line: &str| {
        let [_, controllers, path] = line.splitn(3, ':').collect::<Vec<_>>().try_into().ok()?;
        let version = match controllers {
            "" => &VERSION_2,
            _ if controllers.split(',').any(|name| name == "memory") => &VERSION_1,
            _ => return None,
        };
        let root = mount.join(version.folder);
        let group = root.join(path.trim_start_matches('/'));
        // A limit of a group binds the groups in it. A container may see its own group as the root.
        let groups = group.ancestors().take_while(|group| group.starts_with(&root));
        groups.filter_map(|group| version.left_to(group)).min()
    };
    listing.lines().filter_map(of_line).min()
}

/// The names of the files of a version of control groups.
struct Version {
    folder: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// In `memory.stat`: pages of files, which the system gives up when memory is short.
    cached: [&'static str; 2],
}

const VERSION_1: Version = Version {
    folder: "memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cached: ["total_inactive_file", "total_active_file"],
};

const VERSION_2: Version = Version {
    folder: "",
    limit: "memory.max",
    usage: "memory.current",
    cached: ["inactive_file", "active_file"],
};

impl Version {
    /// The memory that a group's own limit leaves. None without a limit.
    fn left_to(&self, group: &Path) -> Option<u64> {
        let read = |name| fs::read_to_string(group.join(name)).ok();
        let [limit, usage] = [self.limit, self.usage].map(|name| read(name)?.trim().parse().ok());
        let (limit, usage): (u64, u64) = (limit?, usage?);
        let stat = read("memory.stat").unwrap_or_default();
        let cached: u64 = self.cached.into_iter().filter_map(|name| value(&stat, name)).sum();
        Some(limit.saturating_sub(usage.saturating_sub(cached)))
    }
}

/// The first number after `name` at the start of a line.
fn value(text: &str, name: &str) -> Option<u64> {
    let mut found = text.lines().filter_map(|line| line.strip_prefix(name));
    let rest = found.find(|rest| name.ends_with(':') || rest.starts_with(' '))?;
    rest.split_whitespace().next()?.parse().ok()
}

fn from_kibibytes(count: u64) -> u64 {
    count.saturating_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limits_of_a_process_leave_what_it_has_not_taken() {
        let status = "Name:\tfinch\nVmSize:\t    1024 kB\nVmData:\t     512 kB\n";
        let limits = |space: &str, data: &str| {
            let line = |name, soft| format!("{name:<26}{soft:<21}unlimited            bytes\n");
            let text = line("Max address space", space) + &line("Max data size", data);
            left_to_process(&text, status)
        };
        assert_eq!(limits("unlimited", "unlimited"), None);
        assert_eq!(limits("3145728", "unlimited"), Some(2 << 20));
        assert_eq!(limits("3145728", "1048576"), Some(512 << 10));
        assert_eq!(limits("1024", "unlimited"), Some(0));
    }

    #[test]
    fn the_tightest_control_group_decides_and_pages_of_files_are_free() {
        let mount = tempfile::tempdir().unwrap();
        let group = |path: &str, files: &[(&str, &str)]| {
            let folder = mount.path().join(path);
            fs::create_dir_all(&folder).unwrap();
            files.iter().for_each(|(name, text)| fs::write(folder.join(name), text).unwrap());
        };
        let left = |listing: &str| left_to_groups(listing, mount.path());
        group("job/step", &[("memory.max", "max\n"), ("memory.current", "700\n")]);
        assert_eq!(left("0::/job/step\n"), None);
        let stat = "anon 200\nfile 600\ninactive_file 400\nactive_file 100\ninactive_file_x 7\n";
        group("job", &[("memory.max", "1000\n"), ("memory.current", "800"), ("memory.stat", stat)]);
        assert_eq!(left("0::/job/step\n"), Some(700));
        // Where only the own group is mounted, it is the root.
        assert_eq!(left("0::/elsewhere/job\n"), None);
        let files = [("memory.limit_in_bytes", "900\n"), ("memory.usage_in_bytes", "300\n")];
        group("memory", &files);
        assert_eq!(left("4:cpu,memory:/elsewhere/job\n3:cpu:/job\n"), Some(600));
        assert_eq!(left("4:memory:/\n0::/job\n"), Some(600));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_tells() {
        let available = available_memory().unwrap();
        assert!((1 << 20..1 << 50).contains(&available), "{available}");
    }
}
