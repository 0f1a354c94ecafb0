//! Delivery directives: what a player wants in the playlist before it gets a response.

use thiserror::Error;

use super::name::number;

/// Most parameters of a query that are looked at.
const MAX_PARAMETERS: usize = 16;

/// `_HLS_msn`, `_HLS_part` and `_HLS_skip`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DeliveryDirectives {
    /// Respond when this segment,
    pub msn: Option<u64>,
    /// or this part of it, is listed.
    pub part: Option<usize>,
    /// Whether a delta update is enough.
    pub wants_delta: bool,
}

/// Why delivery directives are rejected.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum DirectivesError {
    #[error("_HLS_msn and _HLS_part must be decimal numbers")]
    NotANumber,
    /// A part without its segment.
    #[error("_HLS_part needs _HLS_msn")]
    PartWithoutSegment,
    #[error("_HLS_msn is more than two segments ahead of the playlist")]
    TooFarAhead,
}

impl DeliveryDirectives {
    /// Parses a query string; unknown parameters are ignored, also those in a second query that some clients append.
    pub fn parse(query: &str) -> Result<Self, DirectivesError> {
        let mut directives = Self::default();
        let query = query.split('?').next().unwrap_or_default();
        for pair in query.split('&').take(MAX_PARAMETERS) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            match name {
                "_HLS_msn" => {
                    directives.msn = Some(number(value).ok_or(DirectivesError::NotANumber)?)
                }
                "_HLS_part" => {
                    let part = number(value).and_then(|part| usize::try_from(part).ok());
                    directives.part = Some(part.ok_or(DirectivesError::NotANumber)?);
                }
                "_HLS_skip" => directives.wants_delta = matches!(value, "YES" | "v2"),
                _ => {}
            }
        }
        if directives.part.is_some() && directives.msn.is_none() {
            return Err(DirectivesError::PartWithoutSegment);
        }
        Ok(directives)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn directives_are_read() {
        let directives =
            DeliveryDirectives::parse("_HLS_msn=12&_HLS_part=3&_HLS_skip=YES&t=1").unwrap();
        assert_eq!(
            (directives.msn, directives.part, directives.wants_delta),
            (Some(12), Some(3), true)
        );
        assert_eq!(
            DeliveryDirectives::parse("").unwrap(),
            DeliveryDirectives::default()
        );
        let hung_on = DeliveryDirectives::parse("_HLS_msn=12&_HLS_part=3?cachebust=d2ad").unwrap();
        assert_eq!((hung_on.msn, hung_on.part), (Some(12), Some(3)));
        assert!(
            DeliveryDirectives::parse("_HLS_skip=v2")
                .unwrap()
                .wants_delta
        );
        assert!(
            !DeliveryDirectives::parse("_HLS_skip=no")
                .unwrap()
                .wants_delta
        );
    }

    #[test]
    fn a_part_without_its_segment_is_refused() {
        assert_eq!(
            DeliveryDirectives::parse("_HLS_part=3"),
            Err(DirectivesError::PartWithoutSegment)
        );
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for query in [
            "_HLS_msn=",
            "_HLS_msn=-1",
            "_HLS_msn=1e3",
            "_HLS_msn=99999999999999999999",
            "_HLS_msn=1&_HLS_part=x",
        ] {
            assert_eq!(
                DeliveryDirectives::parse(query),
                Err(DirectivesError::NotANumber),
                "{query}"
            );
        }
    }

    proptest! {
        #[test]
        fn any_query_is_read_without_panic(query in "\\PC{0,200}") {
            let _ = DeliveryDirectives::parse(&query);
        }
    }
}
