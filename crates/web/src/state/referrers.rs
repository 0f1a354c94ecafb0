//! Counts where visitors of the page came from, until the numbers are stored: host names, and nothing about anybody.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use store::{MAX_REFERRERS, OTHER_REFERRERS, StreamReferrer};

/// Visits since they were last taken.
#[derive(Debug, Default)]
pub struct Referrers(Mutex<HashMap<String, u32>>);

impl Referrers {
    /// Counts a visit from this host; empty if it is not known.
    pub(crate) fn note(&self, host: String) {
        let mut visits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_full = visits.len() >= MAX_REFERRERS as usize && !visits.contains_key(&host);
        let counted_as = match is_full {
            true => OTHER_REFERRERS.to_owned(),
            false => host,
        };
        let count = visits.entry(counted_as).or_default();
        *count = count.saturating_add(1);
    }

    /// The visits since the last call.
    pub fn take(&self) -> Vec<StreamReferrer> {
        let mut visits = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = std::mem::take(&mut *visits).into_iter();
        taken
            .map(|(host, visits)| StreamReferrer { host, visits })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_counted_by_host_and_forgotten_when_they_are_taken() {
        let referrers = Referrers::default();
        for number in 0..200 {
            referrers.note(format!("{number}.example"));
        }
        referrers.note("0.example".into());
        let taken = referrers.take();
        assert_eq!(taken.len() as i64, MAX_REFERRERS + 1);
        let visits = |host: &str| taken.iter().find(|one| one.host == host).unwrap().visits;
        assert_eq!((visits("0.example"), visits(OTHER_REFERRERS)), (2, 100));
        assert!(referrers.take().is_empty());
    }
}
