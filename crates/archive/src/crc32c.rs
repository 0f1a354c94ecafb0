//! CRC-32C, the checksum of what is written.

/// Eight tables, so that eight bytes are done at once.
static TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            let is_odd = rest & 1 == 1;
            rest >>= 1;
            if is_odd {
                rest ^= 0x82f6_3b78;
            }
            bit += 1;
        }
        tables[0][byte] = rest;
        byte += 1;
    }
    let mut table = 1;
    while table < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[table - 1][byte];
            tables[table][byte] = (before >> 8) ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        table += 1;
    }
    tables
}

/// The checksum of these bytes.
pub(crate) fn crc32c(bytes: &[u8]) -> u32 {
    let mut rest = u32::MAX;
    let (words, tail) = bytes.as_chunks::<8>();
    for word in words {
        let [a, b, c, d, e, f, g, h] = *word;
        let first = rest ^ u32::from_le_bytes([a, b, c, d]);
        let [a, b, c, d] = first.to_le_bytes();
        rest = TABLES[7][usize::from(a)]
            ^ TABLES[6][usize::from(b)]
            ^ TABLES[5][usize::from(c)]
            ^ TABLES[4][usize::from(d)]
            ^ TABLES[3][usize::from(e)]
            ^ TABLES[2][usize::from(f)]
            ^ TABLES[1][usize::from(g)]
            ^ TABLES[0][usize::from(h)];
    }
    for byte in tail {
        let [low, ..] = rest.to_le_bytes();
        rest = (rest >> 8) ^ TABLES[0][usize::from(low ^ byte)];
    }
    !rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_checksum_is_the_one_of_rfc_3720() {
        assert_eq!(crc32c(b""), 0);
        assert_eq!(crc32c(b"123456789"), 0xe306_9283);
        assert_eq!(crc32c(&[0; 32]), 0x8a91_36aa);
        assert_eq!(crc32c(&[0xff; 32]), 0x62a8_ab43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(crc32c(&ascending), 0x46dd_794e);
    }
}
