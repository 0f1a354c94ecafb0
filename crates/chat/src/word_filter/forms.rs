//! The ways to read a text: as it is, with signs as letters, and with separated letters joined.

/// Words as letters without repetitions, separated by one space.
#[derive(Debug, Default)]
pub(super) struct NormalizedText {
    pub(super) letters: Vec<char>,
    /// How often each letter was repeated.
    pub(super) runs: Vec<u16>,
}

/// All readings of a text.
#[derive(Debug)]
pub(super) struct TextReadings {
    /// Word for word: as typed, and with signs read as letters.
    pub(super) words: Vec<NormalizedText>,
    /// Words with inner punctuation removed.
    pub(super) joined: Vec<NormalizedText>,
    /// Separate letters, joined.
    pub(super) spaced: Vec<NormalizedText>,
}

impl NormalizedText {
    /// Splits into words at everything that is neither letter nor digit.
    pub(super) fn of_words(chars: impl Iterator<Item = Option<char>>) -> Self {
        let mut form = Self::default();
        for c in chars.flatten() {
            form.push(if c.is_alphanumeric() { c } else { ' ' });
        }
        if form.letters.last() == Some(&' ') {
            form.truncate(form.letters.len() - 1);
        }
        form
    }

    fn push(&mut self, c: char) {
        let last = self.letters.last().copied().unwrap_or(' ');
        if c == ' ' && last == ' ' {
            return;
        }
        if c == last {
            if let Some(run) = self.runs.last_mut() {
                *run = run.saturating_add(1);
            }
            return;
        }
        self.letters.push(c);
        self.runs.push(1);
    }

    pub(super) fn truncate(&mut self, most: usize) {
        self.letters.truncate(most);
        self.runs.truncate(most);
    }

    /// Number of letters, repetitions included.
    pub(super) fn size(&self) -> usize {
        self.runs.iter().map(|run| usize::from(*run)).sum()
    }

    pub(super) fn is_start(&self, at: usize) -> bool {
        at == 0 || self.letters[at - 1] == ' '
    }

    pub(super) fn is_end(&self, at: usize) -> bool {
        self.letters.get(at).is_none_or(|c| *c == ' ')
    }
}

/// All readings of a text.
pub(super) fn forms(text: &str) -> TextReadings {
    let text: Vec<char> = text.chars().filter_map(normal).collect();
    let plain = NormalizedText::of_words(text.iter().copied().map(Some));
    let mut forms = TextReadings {
        words: vec![plain],
        joined: Vec::new(),
        spaced: spaced(&text),
    };
    let chunks: Vec<&[char]> = text.split(|c| c.is_whitespace()).collect();
    for one in ['i', 'l'] {
        let chunks = chunks
            .iter()
            .map(|chunk| with_letters_for_signs(chunk, one));
        let mut read = Vec::with_capacity(text.len());
        for chunk in chunks {
            forms.joined.extend(joined(&chunk));
            read.extend(chunk);
            read.push(' ');
        }
        forms
            .words
            .push(NormalizedText::of_words(read.into_iter().map(Some)));
    }
    forms
}

/// A chunk with signs read as letters, if it has any letter: `455` is a number. Trailing marks are punctuation.
fn with_letters_for_signs(chunk: &[char], one: char) -> Vec<char> {
    let is_mark = |c: &char| matches!(c, '!' | '|' | '+');
    let marks = chunk.iter().rev().take_while(|c| is_mark(c)).count();
    let body = &chunk[..chunk.len() - marks];
    if !body.iter().any(|c| c.is_alphabetic()) {
        return chunk.to_vec();
    }
    body.iter().map(|c| letter(*c, one)).collect()
}

/// A chunk without its inner punctuation. Apostrophes belong to words: `who're` is not one word.
fn joined(chunk: &[char]) -> Option<NormalizedText> {
    let is_split = |c: &char| !c.is_alphanumeric();
    let has_apostrophe = chunk.iter().any(|c| matches!(c, '\'' | '’'));
    if has_apostrophe || !chunk.iter().any(is_split) {
        return None;
    }
    let kept = chunk.iter().copied().filter(|c| !is_split(c));
    Some(NormalizedText::of_words(kept.map(Some)))
}

/// Runs of at least three separate letters.
fn spaced(text: &[char]) -> Vec<NormalizedText> {
    const FEWEST: usize = 3;
    let mut rows = Vec::new();
    let mut row: Vec<char> = Vec::new();
    let is_of_word = |c: &char| letter(*c, 'i').is_alphanumeric();
    // Each piece is non-empty, and either part of a word or between words.
    for piece in text.chunk_by(|left, right| is_of_word(left) == is_of_word(right)) {
        match piece {
            [alone] if is_of_word(alone) => row.push(*alone),
            // The parts of an address are not letters of a word.
            [first, ..] if is_of_word(first) || piece.contains(&'/') => {
                rows.push(std::mem::take(&mut row))
            }
            _ => {}
        }
    }
    rows.push(row);
    // More digits and signs than letters make it a row of numbers.
    rows.retain(|row| {
        row.len() >= FEWEST && 2 * row.iter().filter(|c| c.is_alphabetic()).count() >= row.len()
    });
    let read =
        |row: &Vec<char>, one| NormalizedText::of_words(row.iter().map(|c| Some(letter(*c, one))));
    rows.iter()
        .flat_map(|row| ['i', 'l'].map(|one| read(row, one)))
        .collect()
}

/// The letter a digit or sign stands for; `one` is what `1` and its likes are.
fn letter(c: char, one: char) -> char {
    match c {
        '4' | '@' => 'a',
        '8' => 'b',
        '3' | '€' => 'e',
        '6' | '9' => 'g',
        '1' | '!' | '|' => one,
        '0' => 'o',
        '5' | '$' | '§' => 's',
        '7' | '+' => 't',
        '2' => 'z',
        other => other,
    }
}

/// A character in its plainest form, or `None` if it is invisible: lower case, without accents, and look-alikes of
/// Latin letters as Latin.
pub(super) fn normal(c: char) -> Option<char> {
    let lower = c.to_lowercase().next().unwrap_or(c);
    Some(match lower {
        '\u{300}'..='\u{36f}'
        | '\u{ad}'
        | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}' => return None,
        '\u{ff01}'..='\u{ff5e}' => {
            let ascii = u32::from(lower) - 0xff01 + 0x21;
            char::from_u32(ascii).unwrap_or(lower)
        }
        'à'..='å' | 'ā' | 'ă' | 'ą' | 'а' | 'α' => 'a',
        'ç' | 'ć' | 'č' | 'с' => 'c',
        'è'..='ë' | 'ē' | 'ė' | 'ę' | 'ě' | 'е' | 'ё' | 'ε' => 'e',
        'ì'..='ï' | 'ī' | 'į' | 'ı' | 'і' | 'ї' | 'ι' => 'i',
        'к' | 'κ' => 'k',
        'ñ' | 'ń' | 'ň' => 'n',
        'ò'..='ö' | 'ø' | 'ō' | 'ő' | 'о' | 'ο' => 'o',
        'р' | 'ρ' => 'p',
        'ś' | 'š' | 'ş' | 'ѕ' => 's',
        'т' | 'τ' => 't',
        'ù'..='ü' | 'ū' | 'ů' | 'ű' | 'υ' => 'u',
        'х' | 'χ' => 'x',
        'ý' | 'ÿ' | 'у' => 'y',
        other => other,
    })
}
