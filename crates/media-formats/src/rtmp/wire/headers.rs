//! The budget for chunk headers.
//!
//! A publisher may split its messages into one-byte chunks, so that every byte costs a header. So headers draw on a
//! budget that payload adds to, and that time adds to for the small messages every stream has.

use std::time::Duration;

use super::ProtocolError;

/// Payload that pays for one header; smaller chunks live on what time gives. ffmpeg's chunks bring 128 bytes.
const PAYLOAD_BYTES_PER_HEADER: usize = 64;
/// Headers given per second whatever they bring; a stream with faster chunks and no payload ends. Two tracks need 150.
const FREE_HEADERS_PER_SECOND: u32 = 2_000;
/// Headers that can be saved up, for bursts after a stall; more savings are lost.
const MAX_SAVED_HEADERS: u32 = 20_000;

/// How many headers a publisher may still send.
#[derive(Debug)]
pub(super) struct HeaderBudget {
    left: u32,
    /// Payload that is not yet enough for a header.
    remainder: usize,
}

impl HeaderBudget {
    pub(super) fn new() -> Self {
        Self {
            left: MAX_SAVED_HEADERS,
            remainder: 0,
        }
    }

    pub(super) fn spend(&mut self) -> Result<(), ProtocolError> {
        self.left = self
            .left
            .checked_sub(1)
            .ok_or(ProtocolError::TooManyHeaders)?;
        Ok(())
    }

    pub(super) fn earn(&mut self, payload: usize) {
        let paid = self.remainder + payload;
        self.remainder = paid % PAYLOAD_BYTES_PER_HEADER;
        self.save(u32::try_from(paid / PAYLOAD_BYTES_PER_HEADER).unwrap_or(u32::MAX));
    }

    pub(super) fn wait(&mut self, elapsed: Duration) {
        let free = elapsed.as_millis() * u128::from(FREE_HEADERS_PER_SECOND) / 1_000;
        self.save(u32::try_from(free).unwrap_or(u32::MAX));
    }

    fn save(&mut self, headers: u32) {
        self.left = self.left.saturating_add(headers).min(MAX_SAVED_HEADERS);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends chunks of `bytes` until the budget is empty, at most `most`.
    fn sent(budget: &mut HeaderBudget, bytes: usize, most: usize) -> usize {
        (0..most)
            .take_while(|_| {
                let is_paid = budget.spend().is_ok();
                budget.earn(bytes);
                is_paid
            })
            .count()
    }

    #[test]
    fn chunks_of_the_smallest_usual_size_pay_for_themselves() {
        assert_eq!(sent(&mut HeaderBudget::new(), 128, 100_000), 100_000);
        assert_eq!(sent(&mut HeaderBudget::new(), 64, 100_000), 100_000);
    }

    #[test]
    fn one_byte_chunks_run_out_of_budget() {
        let sent = sent(&mut HeaderBudget::new(), 1, 100_000);
        assert!((20_000..21_000).contains(&sent), "{sent}");
    }

    #[test]
    fn time_pays_for_small_messages() {
        let mut budget = HeaderBudget::new();
        sent(&mut budget, 0, 100_000);
        assert_eq!(budget.spend(), Err(ProtocolError::TooManyHeaders));
        budget.wait(Duration::from_secs(1));
        assert_eq!(sent(&mut budget, 0, 100_000), 2_000);
        budget.wait(Duration::MAX);
        assert_eq!(sent(&mut budget, 0, 100_000), 20_000);
    }
}
