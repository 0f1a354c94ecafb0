//! A page with one message, in the look of the viewer page: for errors, and for browsers without a connection.

use crate::html::escaped;
use crate::language::Language;

/// A message and a way on.
pub(crate) struct MessagePage<'a> {
    pub(crate) language: Language,
    /// The server's name.
    pub(crate) name: &'a str,
    /// Links to style sheets.
    pub(crate) styles: &'a str,
    /// The address of the logo, which is the icon of the page too: the offline page may load nothing else.
    pub(crate) logo: &'a str,
    pub(crate) title: &'static str,
    pub(crate) explanation: &'static str,
    /// What the link to the viewer page says.
    pub(crate) link: &'static str,
}

impl MessagePage<'_> {
    pub(crate) fn render(&self) -> String {
        let Self {
            styles,
            title,
            explanation,
            link,
            ..
        } = self;
        let (lang, name, logo) = (self.language.tag(), escaped(self.name), escaped(self.logo));
        format!(
            "<!doctype html>\n<html lang=\"{lang}\">\n<head>\n<meta charset=\"utf-8\">\n\
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
