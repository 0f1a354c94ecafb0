//! The colours that a system shows around the installed page.

use model::settings::Layers;
use model::settings::table::APPEARANCE;

/// The variable behind the top of the page.
const HEADER: &str = "theme-color-background-header";
/// Its value in light and in dark, as the style sheet has it.
const BUILT_IN: (&str, &str) = ("#fbfdfc", "#0d1c20");

/// The colours of the page's top, in light and in dark. Only colours in hexadecimal are understood: systems read
/// nothing else for certain.
pub(crate) fn colors(settings: &Layers) -> (String, String) {
    let variables = settings.get(&APPEARANCE).iter();
    let mut values = variables.filter(|(name, _)| name.trim_start_matches('-') == HEADER);
    let chosen = values.next().and_then(|(_, value)| read(value));
    let (light, dark) = chosen.unwrap_or(BUILT_IN);
    (light.to_owned(), dark.to_owned())
}

/// Reads `#123456`, or a pair in `light-dark(…, …)`.
fn read(value: &str) -> Option<(&str, &str)> {
    let value = value.trim();
    let pair = value.strip_prefix("light-dark(");
    let (light, dark) = match pair.and_then(|rest| rest.strip_suffix(')')) {
        Some(pair) => pair.split_once(',')?,
        None => (value, value),
    };
    let (light, dark) = (light.trim(), dark.trim());
    (is_hex(light) && is_hex(dark)).then_some((light, dark))
}

fn is_hex(color: &str) -> bool {
    let digits = color.strip_prefix('#').unwrap_or_default();
    matches!(digits.len(), 3 | 6) && digits.chars().all(|digit| digit.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_colours_that_every_system_understands_are_taken() {
        assert_eq!(read("#123abc"), Some(("#123abc", "#123abc")));
        assert_eq!(read(" light-dark( #fff, #000 ) "), Some(("#fff", "#000")));
        for other in [
            "red",
            "",
            "#12",
            "#ggg",
            "light-dark(#fff)",
            "light-dark(#fff, red)",
            "rgb(1 2 3)",
        ] {
            assert_eq!(read(other), None, "{other}");
        }
    }
}
