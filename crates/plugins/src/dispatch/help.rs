//! The answer to `!help`: the list of commands.

use super::listener::EventListener;
use crate::manifest::ChatCommand;

/// Whether a line asks for the list of commands.
#[must_use]
pub fn is_call_for_help(body: &str) -> bool {
    let asked = body.trim();
    ["!help", "!commands"]
        .iter()
        .any(|call| asked.eq_ignore_ascii_case(call))
}

/// The list as HTML; `None` if there is no command the asker can use.
#[must_use]
pub fn help(listeners: &[EventListener], for_moderator: bool) -> Option<String> {
    let mut plugins: Vec<_> = listeners.iter().collect();
    plugins.sort_by_key(|plugin| (plugin.name().to_lowercase(), plugin.slug.clone()));
    let lists: String = plugins
        .into_iter()
        .filter_map(|plugin| list(plugin, for_moderator))
        .collect();
    (!lists.is_empty()).then(|| format!("<p>Commands you can use here:</p>{lists}"))
}

fn list(plugin: &EventListener, for_moderator: bool) -> Option<String> {
    let mut commands: Vec<_> = plugin.commands().iter().collect();
    commands.retain(|command| for_moderator || !command.mod_only);
    commands.sort_by_key(|command| (&command.name, &command.prefix));
    let entries: String = commands.into_iter().map(entry).collect();
    let name = escaped(plugin.name());
    (!entries.is_empty()).then(|| format!("<p><strong>{name}</strong></p><ul>{entries}</ul>"))
}

fn entry(command: &ChatCommand) -> String {
    let call = escaped(&format!("{}{}", command.prefix, command.name));
    let about = match command.description.as_str() {
        "" => String::new(),
        text => format!(" - {}", escaped(text)),
    };
    let mark = if command.mod_only {
        " <em>(mod)</em>"
    } else {
        ""
    };
    format!("<li><code>{call}</code>{about}{mark}</li>")
}

/// Escapes a plugin's text for our HTML.
fn escaped(text: &str) -> String {
    let mut html = String::with_capacity(text.len());
    for sign in text.chars() {
        match sign {
            '&' => html.push_str("&amp;"),
            '<' => html.push_str("&lt;"),
            '>' => html.push_str("&gt;"),
            '"' => html.push_str("&quot;"),
            '\'' => html.push_str("&#39;"),
            sign if sign.is_control() => html.push(' '),
            sign => html.push(sign),
        }
    }
    html
}

#[cfg(test)]
mod tests {
    use super::super::fake::{command, commanding as listener, named};
    use super::*;

    #[test]
    fn two_words_call_for_help_however_they_are_written() {
        for (line, is_call) in [
            ("!help", true),
            ("  !HELP ", true),
            ("!Commands", true),
            ("!help me", false),
            ("help", false),
        ] {
            assert_eq!(is_call_for_help(line), is_call, "{line}");
        }
    }

    #[test]
    fn commands_are_listed_by_plugin_and_by_name() {
        let mut roll = command("roll");
        roll.description = "Roll <a> die".into();
        let zebra = listener("zebra", vec![roll, command("flip")]);
        let apple = named("apple", "Äpfel & Co", vec![command("pick")]);
        assert_eq!(
            help(&[zebra, apple], false).unwrap(),
            "<p>Commands you can use here:</p>\
             <p><strong>zebra</strong></p><ul><li><code>!flip</code></li>\
             <li><code>!roll</code> - Roll &lt;a&gt; die</li></ul>\
             <p><strong>Äpfel &amp; Co</strong></p><ul><li><code>!pick</code></li></ul>"
        );
    }

    #[test]
    fn commands_for_moderators_are_listed_for_moderators() {
        let mut kick = command("kick");
        kick.mod_only = true;
        let plugins = [listener("tools", vec![kick])];
        assert_eq!(help(&plugins, false), None);
        let told = help(&plugins, true).unwrap();
        assert!(
            told.contains("<li><code>!kick</code> <em>(mod)</em></li>"),
            "{told}"
        );
    }

    #[test]
    fn without_commands_there_is_nothing_to_say() {
        assert_eq!(help(&[listener("quiet", vec![])], true), None);
        assert_eq!(help(&[], true), None);
    }
}
