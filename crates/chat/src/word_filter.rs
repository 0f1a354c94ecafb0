//! Blocked words: our list of profanity, and the operator's own.
//!
//! A word matches as a whole, so `bass` and `Scunthorpe` pass. It is also found in other spellings: in any case, with
//! digits and signs for letters (`sh1t`), with repeated letters, and with its letters spaced or dotted.

mod forms;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use forms::{NormalizedText, forms, normal};

/// Letters of a word or phrase; a longer one is cut, so that looking up stays cheap.
const MOST_LETTERS: usize = 64;
/// Letters a word needs before it is looked for inside letters that were spaced out; shorter ones match as a whole.
const FEWEST_LETTERS_INSIDE: usize = 4;
/// Equal letters in a row that no ordinary word has.
const EXAGGERATION: u16 = 3;

const PROFANITY: &str = include_str!("word_filter/profanity.txt");

/// Finds blocked words. Built once and used for every line; the time grows with the length of the line alone.
#[derive(Debug, Default)]
pub(crate) struct WordFilter {
    words: HashMap<Box<[char]>, Vec<Word>>,
    /// The lengths of the words of each kind: only slices of these lengths are looked up.
    lengths: HashMap<WordBoundary, BTreeSet<usize>>,
}

/// Where a match may be part of a longer word.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum WordBoundary {
    Whole,
    Prefix,
    Suffix,
    Anywhere,
}

const KINDS: [WordBoundary; 4] = [
    WordBoundary::Whole,
    WordBoundary::Prefix,
    WordBoundary::Suffix,
    WordBoundary::Anywhere,
];

#[derive(Debug)]
struct Word {
    ends: WordBoundary,
    /// How often each letter is repeated.
    runs: Vec<u16>,
    /// Whether a letter may be doubled: not in the operator's words, where `god` is not `good`.
    is_stretched: bool,
    /// As it was given, without `*`.
    listed: Box<str>,
}

impl WordFilter {
    /// The operator's words alone: each a word or a phrase, with `*` at an end where it may continue.
    pub(crate) fn new(own: &[String]) -> Self {
        let mut filter = Self::default();
        for word in own {
            filter.add(word, false);
        }
        filter
    }

    /// The operator's words and our list of profanity.
    pub(crate) fn with_profanity(own: &[String]) -> Self {
        let mut filter = Self::new(own);
        for word in PROFANITY.lines() {
            filter.add(word, true);
        }
        filter
    }

    fn add(&mut self, word: &str, is_stretched: bool) {
        let word = word.trim();
        let bare = word.trim_matches('*');
        let mut form = NormalizedText::of_words(bare.chars().map(normal));
        form.truncate(MOST_LETTERS);
        // `c++` would be left as one letter that appears in many sentences.
        let is_one_letter = form.size() == 1 && form.letters[0].is_ascii();
        if form.letters.is_empty() || is_one_letter {
            return;
        }
        let is_unspaced = form.letters.iter().copied().any(is_of_unspaced_script);
        let ends = match (word.starts_with('*'), word.ends_with('*')) {
            _ if is_unspaced => WordBoundary::Anywhere,
            (false, false) => WordBoundary::Whole,
            (false, true) => WordBoundary::Prefix,
            (true, false) => WordBoundary::Suffix,
            (true, true) => WordBoundary::Anywhere,
        };
        let lengths = self.lengths.entry(ends).or_default();
        lengths.insert(form.letters.len());
        let words = self.words.entry(form.letters.into()).or_default();
        words.push(Word {
            ends,
            runs: form.runs,
            is_stretched,
            listed: bare.trim().into(),
        });
    }

    /// Whether the text contains one of the words. Pass only what somebody wrote, without any text around it.
    pub(crate) fn matches(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// The first of the words that is found in the text, as it was given.
    pub(crate) fn find(&self, text: &str) -> Option<&str> {
        if self.words.is_empty() {
            return None;
        }
        let forms = forms(text);
        let word_for_word = forms.words.iter().find_map(|form| self.find_in(form));
        word_for_word
            .or_else(|| forms.joined.iter().find_map(|form| self.find_joined(form)))
            .or_else(|| forms.spaced.iter().find_map(|form| self.find_spaced(form)))
    }

    fn find_in(&self, form: &NormalizedText) -> Option<&str> {
        KINDS.into_iter().find_map(|ends| {
            self.slices(form, ends).find_map(|(start, end)| {
                let may_start = form.is_start(start) || ends.may_go_on_before();
                let may_end = form.is_end(end) || ends.may_go_on_after();
                (may_start && may_end).then_some(())?;
                self.word_at(form, start, end, ends)
            })
        })
    }

    /// Letters around punctuation (`sh-it`): only for long enough words, since `as/s` may mean anything.
    fn find_joined(&self, form: &NormalizedText) -> Option<&str> {
        (form.size() >= FEWEST_LETTERS_INSIDE).then_some(())?;
        self.find_in(form)
    }

    /// Single letters (`s h i t`), where the word boundaries are lost.
    fn find_spaced(&self, form: &NormalizedText) -> Option<&str> {
        let inside = |ends| {
            self.slices(form, ends).find_map(|(start, end)| {
                let is_long = form.runs[start..end]
                    .iter()
                    .map(|run| usize::from(*run))
                    .sum::<usize>()
                    >= FEWEST_LETTERS_INSIDE;
                is_long.then_some(())?;
                self.word_at(form, start, end, ends)
            })
        };
        self.find_in(form)
            .or_else(|| KINDS.into_iter().find_map(inside))
    }

    /// Every slice that has the length of a word of that kind.
    fn slices(
        &self,
        form: &NormalizedText,
        ends: WordBoundary,
    ) -> impl Iterator<Item = (usize, usize)> {
        let size = form.letters.len();
        let lengths = self.lengths.get(&ends).into_iter().flatten();
        lengths.flat_map(move |length| {
            (0..(size + 1).saturating_sub(*length)).map(move |start| (start, start + length))
        })
    }

    /// The word that this slice is, if it is one.
    fn word_at(
        &self,
        form: &NormalizedText,
        start: usize,
        end: usize,
        ends: WordBoundary,
    ) -> Option<&str> {
        let words = self.words.get(&form.letters[start..end])?;
        let runs = &form.runs[start..end];
        let mut words = words.iter().filter(|word| word.ends == ends);
        let word = words.find(|word| word.fits(runs))?;
        Some(&*word.listed)
    }
}

impl WordBoundary {
    fn may_go_on_before(self) -> bool {
        matches!(self, WordBoundary::Suffix | WordBoundary::Anywhere)
    }

    fn may_go_on_after(self) -> bool {
        matches!(self, WordBoundary::Prefix | WordBoundary::Anywhere)
    }
}

impl Word {
    fn fits(&self, typed: &[u16]) -> bool {
        let last = self.runs.len().saturating_sub(1);
        self.runs
            .iter()
            .zip(typed)
            .enumerate()
            .all(|(at, (run, typed))| {
                let goes_on = at == 0 && self.ends.may_go_on_before()
                    || at == last && self.ends.may_go_on_after();
                let is_stretched = self.is_stretched || goes_on || *typed >= EXAGGERATION;
                typed == run || typed > run && is_stretched
            })
    }
}

/// Scripts without spaces between words: their words match anywhere.
fn is_of_unspaced_script(c: char) -> bool {
    matches!(c,
        '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}'
        | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}'
        | '\u{20000}'..='\u{323af}')
}
