//! How the tables describe a setting.

use super::super::setting::{Applies, Meta, SettingFormat, SettingKind};

pub(super) const fn meta(
    key: &'static str,
    path: &'static str,
    pointer: &'static str,
    kind: SettingKind,
    doc: &'static str,
) -> Meta {
    Meta {
        key,
        path,
        pointer,
        kind,
        applies: Applies::Now,
        is_secret: false,
        is_shown: true,
        max_chars: None,
        form: SettingFormat::Usual,
        doc,
    }
}

pub(super) const fn next_stream(meta: Meta) -> Meta {
    Meta {
        applies: Applies::NextStream,
        ..meta
    }
}

/// Kept for programs that set it, and without effect here.
pub(super) const fn idle(meta: Meta) -> Meta {
    Meta {
        applies: Applies::NotYet,
        is_shown: false,
        ..meta
    }
}

/// For other programs, not for the admin pages.
pub(super) const fn unseen(meta: Meta) -> Meta {
    Meta {
        is_shown: false,
        ..meta
    }
}

pub(super) const fn of_form(form: SettingFormat, meta: Meta) -> Meta {
    Meta { form, ..meta }
}

pub(super) const fn max_chars(max: usize, meta: Meta) -> Meta {
    Meta {
        max_chars: Some(max),
        ..meta
    }
}
