//! Replays fuzz corpora in normal test runs: the committed files and seeded mutations, on the stable compiler.

use std::path::PathBuf;

/// Mutated inputs tried for each target.
const MUTATIONS: usize = 5_000;
/// Files a corpus has to have.
const FEWEST_FILES: usize = 30;

/// The folder of a target's corpus.
pub fn corpus_folder(target: &str) -> PathBuf {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    root.join(target)
}

/// Passes the whole corpus of a target and mutations of it to `holds`, which panics if a promise is broken; mutations
/// prefer to insert bytes of `spice`.
///
/// # Panics
/// If the corpus cannot be read or is too small, and whenever `holds` does.
pub fn replay(target: &str, spice: &[u8], holds: impl Fn(&[u8])) {
    let corpus = corpus(target);
    for input in &corpus {
        holds(input);
    }
    let mut random = SeededRng(0x0b0d);
    for _ in 0..MUTATIONS {
        let mut input = corpus[random.below(corpus.len())].clone();
        let other = &corpus[random.below(corpus.len())];
        for _ in 0..=random.below(4) {
            mutate(&mut input, other, spice, &mut random);
        }
        holds(&input);
    }
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = corpus_folder(target);
    let entries =
        std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    assert!(
        files.len() >= FEWEST_FILES,
        "{target} has {} files",
        files.len()
    );
    let read = |file: &PathBuf| {
        std::fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
    };
    files.iter().map(read).collect()
}

/// SplitMix64: the same mutations on every machine, without a dependency.
struct SeededRng(u64);

impl SeededRng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        let bound = bound.max(1) as u64;
        usize::try_from(self.next() % bound).unwrap_or_default()
    }
}

fn mutate(input: &mut Vec<u8>, other: &[u8], spice: &[u8], random: &mut SeededRng) {
    let at = random.below(input.len() + 1);
    match random.below(5) {
        0 if at < input.len() => input[at] ^= 1 << random.below(8),
        1 if at < input.len() => drop(input.remove(at)),
        2 => input.insert(at, spice[random.below(spice.len())]),
        3 => input.truncate(at),
        _ => {
            let from = random.below(other.len() + 1);
            input.splice(at.., other[from..].to_vec());
        }
    }
}
