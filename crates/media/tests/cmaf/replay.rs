//! The fuzz target's corpus on every run, seeded mutations of it, and bytes out of nowhere.

use std::path::PathBuf;

use media::codec::fuzz::parameter_sets;
use proptest::prelude::*;

const MUTATIONS: usize = 5_000;

fn corpus() -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/parameter_sets");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
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
    const SPICE: &[u8] = &[
        0x00, 0x01, 0x03, 0x09, 0x0c, 0x65, 0x67, 0x68, 0x7f, 0x80, 0xe1, 0xff,
    ];
    let at = random.below(input.len() + 1);
    match random.below(5) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => drop(input.remove(at)),
        2 => input.insert(at, SPICE[random.below(SPICE.len())]),
        3 => input.truncate(at),
        _ => {
            let from = random.below(other.len() + 1);
            let tail: Vec<u8> = other[from..].to_vec();
            input.splice(at.., tail);
        }
    }
}

#[test]
fn codec_headers_keep_their_promises_on_the_whole_corpus() {
    let corpus = corpus();
    assert!(corpus.len() >= 30, "{}", corpus.len());
    for input in &corpus {
        parameter_sets(input);
    }
}

#[test]
fn codec_headers_keep_their_promises_on_seeded_mutations_of_the_corpus() {
    let corpus = corpus();
    let mut random = Seeded(0x0b0d);
    for _ in 0..MUTATIONS {
        let mut input = corpus[random.below(corpus.len())].clone();
        let other = &corpus[random.below(corpus.len())];
        for _ in 0..=random.below(4) {
            mutate(&mut input, other, &mut random);
        }
        parameter_sets(&input);
    }
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(input in prop::collection::vec(any::<u8>(), 0..200)) {
        for choice in 0..6 {
            let chosen = [&[choice][..], &input].concat();
            parameter_sets(&chosen);
        }
    }
}
