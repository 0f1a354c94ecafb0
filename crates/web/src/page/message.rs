//! A page with one message, in the look of the viewer page: for errors, and for browsers without a connection.

use crate::html::escaped;
use crate::language::{Language, Notice, Texts};

/// A message and a way on.
pub(crate) struct MessagePage<'a> {
    pub(crate) language: Language,
    /// The server's name.
    pub(crate) name: &'a str,
    /// Links to style sheets.
    pub(crate) styles: &'a str,
    /// The address of the logo, which is the icon of the page too: the offline page may load nothing else.
    pub(crate) logo: &'a str,
    /// What it says, in this language.
    pub(crate) notice: &'static Notice,
}

impl MessagePage<'_> {
    pub(crate) fn render(&self) -> String {
        let styles = self.styles;
        let (name, logo) = (escaped(self.name), escaped(self.logo));
        let Texts { tag, direction, .. } = self.language.texts();
        let Notice {
            title,
            explanation,
            link,
        } = self.notice;
        format!(
            "<!doctype html>\n<html lang=\"{tag}\" dir=\"{direction}\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n\
             <meta name=\"robots\" content=\"noindex\">\n\
             <title>{title} · {name}</title>\n\
             <link rel=\"icon\" href=\"{logo}\">\n{styles}\n</head>\n<body>\n\
             <main class=\"plain-page\">\n\
             <header><img class=\"logo\" src=\"{logo}\" alt=\"\" width=\"72\" height=\"72\">\n\
             <div><p class=\"muted\">{name}</p>\n<h1>{title}</h1></div></header>\n\
             <p>{explanation}</p>\n<p><a class=\"button\" href=\"/\">{link}</a></p>\n\
             </main>\n</body>\n</html>\n"
        )
    }
}
