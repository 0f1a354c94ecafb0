//! A bounded series of the newest samples.

use std::collections::VecDeque;

use jiff::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Point<T> {
    pub(crate) time: Timestamp,
    pub(crate) value: T,
}

/// A ring buffer: when full, it drops its oldest sample.
#[derive(Debug)]
pub(super) struct Series<T> {
    points: VecDeque<Point<T>>,
    capacity: usize,
}

impl<T: Copy> Series<T> {
    pub(super) fn new(capacity: usize) -> Self {
        Self {
            points: VecDeque::new(),
            capacity,
        }
    }

    pub(super) fn push(&mut self, time: Timestamp, value: T) {
        if self.points.len() >= self.capacity {
            self.points.pop_front();
        }
        self.points.push_back(Point { time, value });
    }

    pub(super) fn all(&self) -> Vec<Point<T>> {
        self.points.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_series_loses_its_oldest_sample() {
        let mut series = Series::new(2);
        for second in 1..=3 {
            series.push(Timestamp::from_second(second).unwrap(), second);
        }
        let values: Vec<i64> = series.all().iter().map(|point| point.value).collect();
        assert_eq!(values, [2, 3]);
    }
}
