//! The corpora of the fuzz targets on every run, and seeded mutations of them.

use media::fuzzing;

use crate::corpus::folder;

const MUTATIONS: usize = 5_000;

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let entries = std::fs::read_dir(folder(target)).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(files.len() >= 30, "{target} has {} files", files.len());
    files
        .iter()
        .map(|file| std::fs::read(file).unwrap())
        .collect()
}

/// SplitMix64: the same mutations on every machine, with nothing to install.
struct Seeded(u64);

impl Seeded {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        usize::try_from(self.next() % bound.max(1) as u64).unwrap()
    }
}

fn mutate(input: &mut Vec<u8>, other: &[u8], random: &mut Seeded) {
    const SPICE: &[u8] = b"\x00\x01\x02\x03\x09\x11\x17\x7f\x80\xaf\xc3\xc6\xff";
    let at = random.below(input.len() + 1);
    match random.below(5) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => drop(input.remove(at)),
        2 => input.insert(at, SPICE[random.below(SPICE.len())]),
        3 => input.truncate(at),
        _ => {
            let from = random.below(other.len() + 1);
            input.splice(at.., other[from..].to_vec());
        }
    }
}

fn replay(target: &str, holds: fn(&[u8])) {
    let corpus = corpus(target);
    for input in &corpus {
        holds(input);
    }
    let mut random = Seeded(0x0b0d);
    for _ in 0..MUTATIONS {
        let mut input = corpus[random.below(corpus.len())].clone();
        let other = &corpus[random.below(corpus.len())];
        for _ in 0..=random.below(4) {
            mutate(&mut input, other, &mut random);
        }
        holds(&input);
    }
}

#[test]
fn chunks_hold_on_the_corpus_and_its_mutations() {
    replay("rtmp_chunk", fuzzing::chunk);
}

#[test]
fn amf0_holds_on_the_corpus_and_its_mutations() {
    replay("amf0", fuzzing::amf0);
}

#[test]
fn flv_tags_hold_on_the_corpus_and_their_mutations() {
    replay("flv_tag", fuzzing::flv_tag);
}
