//! The `Range` header as players use it: a single byte range.

/// What a request wants of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteRange {
    Whole,
    /// Both ends inclusive.
    Part {
        first: u64,
        last: u64,
    },
    /// It begins behind the end of the file.
    Impossible,
}

/// Parses the header for a file of `total` bytes. An invalid header counts as absent (RFC 9110 §14.2).
pub fn byte_range(header: Option<&str>, total: u64) -> ByteRange {
    let Some(set) = header.and_then(|text| text.trim().strip_prefix("bytes=")) else {
        return ByteRange::Whole;
    };
    let Some((first, last)) = set.trim().split_once('-') else {
        return ByteRange::Whole;
    };
    let number = |text: &str| {
        (!text.is_empty() && text.bytes().all(|b| b.is_ascii_digit()))
            .then(|| text.parse::<u64>().unwrap_or(u64::MAX))
    };
    let end = total.saturating_sub(1);
    let (first, last) = match (number(first), number(last)) {
        (Some(first), Some(last)) if first <= last => (first, last.min(end)),
        (Some(first), None) if last.is_empty() => (first, end),
        (None, Some(0)) if first.is_empty() => return ByteRange::Impossible,
        (None, Some(suffix)) if first.is_empty() => (total.saturating_sub(suffix), end),
        _ => return ByteRange::Whole,
    };
    if first >= total {
        return ByteRange::Impossible;
    }
    ByteRange::Part { first, last }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_as_the_standard_says() {
        let part = |first, last| ByteRange::Part { first, last };
        for (header, expected) in [
            ("bytes=0-99", part(0, 99)),
            ("bytes=10-", part(10, 999)),
            ("bytes=-5", part(995, 999)),
            ("bytes=-5000", part(0, 999)),
            ("bytes=990-5000", part(990, 999)),
            ("bytes=1000-", ByteRange::Impossible),
            ("bytes=-0", ByteRange::Impossible),
            ("bytes=99999999999999999999-", ByteRange::Impossible),
            ("bytes=5-1", ByteRange::Whole),
            ("bytes=a-b", ByteRange::Whole),
            ("bytes=0-1,5-6", ByteRange::Whole),
            ("lines=0-1", ByteRange::Whole),
            ("bytes=", ByteRange::Whole),
        ] {
            assert_eq!(byte_range(Some(header), 1000), expected, "{header}");
        }
        assert_eq!(byte_range(None, 1000), ByteRange::Whole);
    }
}
