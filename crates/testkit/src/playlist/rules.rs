//! One function per rule. Each gets the new playlist and the history, and writes findings.

mod delta;
mod discontinuity;
mod hints;
mod parts;
mod reload;
mod reports;
mod rewind;
mod targets;
mod time;
mod window;

use super::observation::RuleContext;
use super::rule::Findings;

pub(crate) use parts::rule_12_like_the_others;
pub(crate) use reload::rule_9_status;
pub(crate) use reports::{Neighbour, rule_11_claims, rule_11_reports};
pub(crate) use rewind::rule_r2_same_end;
pub(crate) use window::rule_18_vanished;

/// The rules that need one list and the past of the same rendition.
pub(crate) const OF_THE_LIST: [fn(&RuleContext<'_>, &mut Findings); 21] = [
    targets::rule_1_version,
    targets::rule_2_target_duration,
    targets::rule_3_part_target,
    targets::rule_4_hold_backs,
    parts::rule_5_part_order,
    parts::rule_6_independent,
    parts::rule_7_part_window,
    hints::rule_8_preload_hint,
    reload::rule_9_blocking_reload,
    delta::rule_10_delta_update,
    parts::rule_12_parts_everywhere,
    time::rule_13_program_date_time,
    discontinuity::rule_14_discontinuity,
    discontinuity::rule_15_no_lonely_end,
    window::rule_16_window_length,
    window::rule_18_endlist,
    window::identity_of_the_window,
    window::identity_of_names,
    rewind::rule_r1_no_playlist_type,
    rewind::rule_r3_length,
    rewind::rule_r4_gaps,
];
