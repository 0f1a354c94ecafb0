//! Tables as text (RFC 4180), for people who open them in a spreadsheet.

/// At the beginning of a table: without it Excel takes UTF-8 for the code page of the machine. Other programs skip it;
/// JSON must not have one.
pub(crate) const BYTE_ORDER_MARK: &str = "\u{feff}";

/// One row with its line end.
pub(crate) fn row<Cell: AsRef<str>>(cells: &[Cell]) -> String {
    let mut text = String::new();
    for (number, cell) in cells.iter().enumerate() {
        if number > 0 {
            text.push(',');
        }
        push_cell(&mut text, cell.as_ref());
    }
    text.push_str("\r\n");
    text
}

/// Spreadsheets run a cell that begins like a formula, quoted or not: an apostrophe in front makes it a text. The
/// semicolon separates cells where the comma separates decimals.
fn push_cell(text: &mut String, cell: &str) {
    let begins_like_formula = cell.starts_with(['\t', '\r', '\n'])
        || cell
            .trim_start()
            .starts_with(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    let needs_quotes = begins_like_formula || cell.contains([',', ';', '"', '\r', '\n']);
    if !needs_quotes {
        text.push_str(cell);
        return;
    }
    text.push('"');
    if begins_like_formula {
        text.push('\'');
    }
    text.push_str(&cell.replace('"', "\"\""));
    text.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_quoted_where_it_has_to_be() {
        assert_eq!(row(&["a", "b c", ""]), "a,b c,\r\n");
        assert_eq!(row(&["a,b", "a;b"]), "\"a,b\",\"a;b\"\r\n");
        assert_eq!(row(&["say \"hi\"\nagain"]), "\"say \"\"hi\"\"\nagain\"\r\n");
    }

    #[test]
    fn nothing_that_somebody_wrote_becomes_a_formula() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", " =1", "\r=1", "＝1"] {
            assert_eq!(row(&[text]), format!("\"'{text}\"\r\n"), "{text:?}");
        }
        assert_eq!(
            row(&["=HYPERLINK(\"x\")"]),
            "\"'=HYPERLINK(\"\"x\"\")\"\r\n"
        );
        assert_eq!(row(&["1-1"]), "1-1\r\n");
    }
}
