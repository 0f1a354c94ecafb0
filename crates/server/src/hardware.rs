//! How busy the machine is, read from Linux's `/proc`. Unknown on other systems.

use std::fs;
use std::path::Path;

use web::Hardware;

/// Ticks of all processors since boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CpuTimes {
    busy: u64,
    all: u64,
}

/// The current tick counts.
pub(crate) fn cpu_times() -> Option<CpuTimes> {
    read_stat(&fs::read_to_string("/proc/stat").ok()?)
}

/// How busy the machine is: processors since `before`, memory and disk right now.
pub(crate) fn look(
    before: Option<CpuTimes>,
    now: Option<CpuTimes>,
    folder: &Path,
) -> Option<Hardware> {
    Some(Hardware {
        cpu: busy_percent(before?, now?),
        memory: read_meminfo(&fs::read_to_string("/proc/meminfo").ok()?)?,
        disk: disk_percent(folder)?,
    })
}

/// The first line: `cpu  user nice system idle iowait irq softirq steal guest guest_nice`.
fn read_stat(text: &str) -> Option<CpuTimes> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let ticks: Vec<u64> = line
        .split_whitespace()
        .map_while(|part| part.parse().ok())
        // Guest time is already part of the first two.
        .take(8)
        .collect();
    let idle = ticks.get(3)? + ticks.get(4).copied().unwrap_or(0);
    let all = ticks.iter().sum();
    Some(CpuTimes {
        busy: u64::saturating_sub(all, idle),
        all,
    })
}

fn busy_percent(before: CpuTimes, now: CpuTimes) -> f64 {
    let all = now.all.saturating_sub(before.all);
    let busy = now.busy.saturating_sub(before.busy);
    percent(busy.min(all), all)
}

fn read_meminfo(text: &str) -> Option<f64> {
    let kib = |name: &str| -> Option<u64> {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim_start_matches(':')
            .split_whitespace()
            .next()?
            .parse()
            .ok()
    };
    let total = kib("MemTotal")?;
    Some(percent(total.saturating_sub(kib("MemAvailable")?), total))
}

/// Of the space that a process like ours may use.
fn disk_percent(folder: &Path) -> Option<f64> {
    let disk = rustix::fs::statvfs(folder).ok()?;
    let used = disk.f_blocks.saturating_sub(disk.f_bfree);
    Some(percent(used, used + disk.f_bavail))
}

fn percent(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        return 0.0;
    }
    // A graph shows no more than one decimal.
    (part as f64 * 1000.0 / whole as f64).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processors_are_as_busy_as_the_time_that_was_not_idle() {
        let stat = |user: u64, idle: u64| {
            read_stat(&format!("cpu  {user} 0 0 {idle} 0 0 0 0 0 0\ncpu0 1 2 3\n")).unwrap()
        };
        assert_eq!(busy_percent(stat(100, 100), stat(150, 250)), 25.0);
        assert_eq!(busy_percent(stat(100, 100), stat(100, 100)), 0.0);
        assert_eq!(read_stat("intr 5"), None);
        assert_eq!(read_stat("cpu  1 2"), None);
    }

    #[test]
    fn memory_that_can_be_had_counts_as_free() {
        let text = "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    400 kB\n";
        assert_eq!(read_meminfo(text), Some(60.0));
        assert_eq!(read_meminfo("MemTotal: 1000 kB"), None);
    }

    #[test]
    fn this_machine_can_be_looked_at() {
        let before = cpu_times();
        let seen = look(before, cpu_times(), Path::new("/")).unwrap();
        for value in [seen.cpu, seen.memory, seen.disk] {
            assert!((0.0..=100.0).contains(&value), "{seen:?}");
        }
    }
}
