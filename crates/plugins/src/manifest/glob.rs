//! Path patterns of admin pages. They keep strangers out, so an unclear pattern is rejected, never guessed.

/// A pattern: `*` matches any number of characters, including slashes; `?` matches one; `\` escapes the next.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glob {
    text: String,
    tokens: Vec<GlobToken>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum GlobToken {
    Letter(char),
    One,
    Any,
}

impl Glob {
    /// Parses a pattern; the error says why it is invalid.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let mut tokens = Vec::new();
        let mut letters = text.chars();
        while let Some(letter) = letters.next() {
            match letter {
                '*' if tokens.last() == Some(&GlobToken::Any) => {}
                '*' => tokens.push(GlobToken::Any),
                '?' => tokens.push(GlobToken::One),
                '\\' => {
                    let next = letters.next().ok_or("ends with a lone backslash")?;
                    tokens.push(GlobToken::Letter(next));
                }
                '[' | ']' | '{' | '}' => {
                    return Err(
                        "uses brackets or braces, which patterns here do not have: write one page per path",
                    );
                }
                other => tokens.push(GlobToken::Letter(other)),
            }
        }
        Ok(Self {
            text: text.to_owned(),
            tokens,
        })
    }

    /// The original text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Does the whole path match?
    pub fn matches(&self, path: &str) -> bool {
        let path: Vec<char> = path.chars().collect();
        let (mut part, mut at) = (0, 0);
        // Where to continue if the last `*` has to match more.
        let mut retry: Option<(usize, usize)> = None;
        while at < path.len() {
            match self.tokens.get(part) {
                Some(GlobToken::Any) => {
                    retry = Some((part + 1, at));
                    part += 1;
                    continue;
                }
                Some(GlobToken::One) => {
                    part += 1;
                    at += 1;
                    continue;
                }
                Some(GlobToken::Letter(letter)) if *letter == path[at] => {
                    part += 1;
                    at += 1;
                    continue;
                }
                _ => {}
            }
            let Some((after, taken)) = retry else {
                return false;
            };
            retry = Some((after, taken + 1));
            (part, at) = (after, taken + 1);
        }
        self.tokens[part..]
            .iter()
            .all(|part| *part == GlobToken::Any)
    }

    /// Does the path match, or lie below the pattern read as a plain path?
    pub fn covers(&self, path: &str) -> bool {
        let below = path.strip_prefix(self.text.trim_end_matches('/'));
        self.matches(path) || below.is_some_and(|rest| rest.starts_with('/'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(pattern: &str, path: &str) -> bool {
        Glob::parse(pattern).unwrap().covers(path)
    }

    #[test]
    fn a_star_crosses_slashes_and_a_plain_path_covers_what_lies_below_it() {
        assert!(covers("/admin", "/admin"));
        assert!(covers("/admin", "/admin/"));
        assert!(covers("/admin", "/admin/api/x"));
        assert!(!covers("/admin", "/administration"));
        assert!(covers("/admin/*", "/admin/api/x"));
        assert!(covers("/admin/*", "/admin/"));
        assert!(!covers("/admin/*", "/admin"));
        assert!(covers("/*/secret", "/a/b/secret"));
        assert!(!covers("/*/secret", "/a/b/secrets"));
        assert!(covers("/v?/x", "/v1/x"));
        assert!(covers("/", "/anything"));
        assert!(covers(r"/a\*", "/a*"));
        assert!(!covers(r"/a\*", "/ab"));
    }

    #[test]
    fn a_pattern_that_is_not_understood_is_refused() {
        for bad in ["/a[", "/a[bc]", "/{a,b}", "/a\\"] {
            assert!(Glob::parse(bad).is_err(), "{bad}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_pattern_without_stars_fits_itself_alone(path in "/[a-z/]{0,20}", other in "/[a-z/]{0,20}") {
            let glob = Glob::parse(&path).unwrap();
            proptest::prop_assert!(glob.matches(&path));
            proptest::prop_assert_eq!(glob.matches(&other), path == other);
        }

        #[test]
        fn any_pattern_and_path_come_to_an_answer(pattern in "[a*?/\\\\]{0,40}", path in "[a/]{0,60}") {
            if let Ok(glob) = Glob::parse(&pattern) {
                glob.covers(&path);
            }
        }
    }
}
