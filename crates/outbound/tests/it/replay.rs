//! The fuzz target's corpus on every run, and seeded mutations of it.

use std::path::PathBuf;

use outbound::fuzzing::guard_holds;

const MUTATIONS: usize = 5_000;

fn corpus() -> Vec<Vec<u8>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/outbound_guard");
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
    const SPICE: &[u8] = b".:/@[]%0x127aZ-_\\?#\xe3\x80\x82\x00\xff";
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
fn the_guard_holds_on_the_whole_corpus() {
    let corpus = corpus();
    assert!(corpus.len() >= 30, "{}", corpus.len());
    for input in &corpus {
        guard_holds(input);
    }
}

#[test]
fn the_guard_holds_on_seeded_mutations_of_the_corpus() {
    let corpus = corpus();
    let mut random = Seeded(0x0b0d);
    for _ in 0..MUTATIONS {
        let mut input = corpus[random.below(corpus.len())].clone();
        let other = &corpus[random.below(corpus.len())];
        for _ in 0..=random.below(4) {
            mutate(&mut input, other, &mut random);
        }
        guard_holds(&input);
    }
}
