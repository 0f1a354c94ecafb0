//! Batches deliveries into one statement: hundreds a second are not processed one by one.

use sqlx::Any;
use sqlx::any::AnyArguments;
use sqlx::query::Query;

/// Deliveries one statement names. Statements are static, so a smaller handful is filled up with a delivery it has
/// already.
pub(super) const HANDFUL: usize = 32;

/// A statement with a batch's ids between `$before` and `$after`; its own parameters start at `$33`.
macro_rules! handful {
    ($before:literal, $after:literal) => {
        concat!(
            $before,
            "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, ",
            "$17, $18, $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32",
            $after
        )
    };
}
pub(super) use handful;

/// Splits ids into batches.
pub(super) fn chunks(ids: &[i64]) -> impl Iterator<Item = [i64; HANDFUL]> + '_ {
    ids.chunks(HANDFUL).map(|some| {
        let mut full = [some[0]; HANDFUL];
        full[..some.len()].copy_from_slice(some);
        full
    })
}

/// The ids come first.
pub(super) fn bind<'q>(
    mut query: Query<'q, Any, AnyArguments>,
    some: &[i64; HANDFUL],
) -> Query<'q, Any, AnyArguments> {
    for id in some {
        query = query.bind(*id);
    }
    query
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_is_in_exactly_one_handful_but_for_those_that_fill_up_the_last() {
        let ids: Vec<i64> = (1..=70).collect();
        let mut seen: Vec<i64> = chunks(&ids).flatten().collect();
        assert_eq!(seen.len(), 3 * HANDFUL);
        seen.dedup();
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, ids);
        assert_eq!(chunks(&[]).count(), 0);
    }
}
