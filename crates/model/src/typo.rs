//! Suggests the name that a typo was meant to be.

/// Letters that may be wrong in a name. With more of them it is taken for another one.
const MAX_WRONG_LETTERS: usize = 3;

/// Letters of a given name that are looked at: anybody may give a long one.
const MAX_GIVEN_LETTERS: usize = 100;

/// The known name closest to the given one, if it is close enough.
#[must_use]
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let all = known.into_iter();
    let near = all.map(|known| (distance(given, known), known)).min();
    near.filter(|(distance, _)| *distance <= MAX_WRONG_LETTERS)
        .map(|(_, known)| known)
}

/// How many letters differ (Levenshtein).
fn distance(given: &str, known: &str) -> usize {
    let known: Vec<char> = known.chars().collect();
    let mut row: Vec<usize> = (0..=known.len()).collect();
    for (i, letter) in given.chars().take(MAX_GIVEN_LETTERS).enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in known.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != *other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(row[j + 1] + 1);
        }
    }
    row[known.len()]
}
