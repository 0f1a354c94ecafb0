//! Stories about the store, run on SQLite and on PostgreSQL alike.
#![allow(clippy::unwrap_used, clippy::disallowed_methods)]

mod chat;
mod events;
mod federation;
mod federation_bounds;
mod federation_claim;
mod federation_ends;
mod federation_every_queue;
mod federation_handover;
mod federation_inbox;
mod federation_queue;
mod federation_servers;
mod files;
mod identity;
mod moderation;
mod opening;
mod own_lines;
mod pins;
mod plugins;
mod published;
mod schedule;
mod settings;
mod support;
mod webhooks;
mod writing;

use support::stories;

stories! {
    settings::a_setting_survives_a_restart,
    settings::a_refused_value_changes_nothing,
    settings::a_value_given_outside_is_locked,
    settings::a_secret_setting_is_sealed_at_rest,
    settings::what_another_process_has_written_is_there_after_a_refresh,
    settings::two_writers_of_one_key_leave_memory_and_database_equal,
    events::an_event_is_committed_with_its_cause,
    events::listeners_are_woken_after_the_commit,
    events::a_cursor_never_goes_back,
    events::old_events_are_pruned,
    identity::the_first_password_is_set_once,
    identity::a_new_password_ends_every_session,
    identity::a_session_ends_at_its_time,
    identity::a_session_checked_against_a_replaced_password_is_not_opened,
    identity::a_user_keeps_former_names,
    identity::a_token_is_found_by_the_hash_of_its_secret,
    chat::lines_are_kept_in_the_order_of_their_commits,
    chat::the_newest_lines_that_were_written_are_found_among_all_others,
    chat::a_banned_author_cannot_slip_a_line_in,
    chat::a_ban_hides_every_line_and_an_end_of_it_shows_none,
    chat::a_held_line_is_seen_by_nobody_until_it_is_released_once,
    chat::a_held_line_may_keep_its_id_when_it_is_released,
    chat::a_hidden_line_says_who_hid_it,
    own_lines::an_author_deletes_a_line_for_good_and_moderators_still_see_it,
    pins::one_line_is_pinned_through_restarts_and_is_not_forgotten_with_the_others,
    pins::a_line_that_is_hidden_is_no_longer_pinned_however_it_was_hidden,
    chat::a_name_of_somebody_who_signed_in_is_theirs_alone,
    chat::whoever_registers_and_never_comes_in_is_forgotten,
    chat::nobody_is_called_like_a_moderator_or_the_server,
    opening::a_second_server_on_one_database_is_refused_until_the_first_is_gone,
    chat::an_identity_is_not_attached_without_the_token_of_its_user,
    chat::an_identity_that_is_known_brings_the_token_to_its_owner,
    chat::users_are_listed_in_pages_and_found_by_part_of_their_name,
    chat::what_is_old_is_forgotten_and_so_are_people_who_never_spoke,
    chat::an_address_is_kept_out_once,
    moderation::hidden_lines_are_there_for_moderators_from_a_time_on,
    moderation::a_reason_is_kept_with_the_sanction_and_for_good_in_the_log,
    moderation::who_is_banned_or_timed_out_is_listed_in_pages_until_it_is_over,
    moderation::moderators_read_the_log_in_parts_and_without_addresses,
    moderation::an_invitation_makes_one_person_who_has_signed_in_a_moderator,
    moderation::a_banned_person_accepts_no_invitation_and_uses_none_up,
    moderation::an_invitation_ends_at_its_time_or_when_it_is_taken_back,
    moderation::there_is_an_end_to_open_invitations_and_old_ones_make_room,
    schedule::a_single_stream_is_announced_changed_cancelled_and_deleted,
    schedule::a_deleted_series_leaves_what_was_and_what_is_cancelled,
    schedule::a_cancelled_series_says_so_at_every_date_and_gets_no_more,
    schedule::a_series_is_changed_but_for_dates_that_were_changed_by_themselves,
    schedule::a_deleted_date_stays_away_when_its_series_gets_another_rule,
    schedule::dates_are_laid_out_as_time_goes_by_and_old_ones_forgotten,
    schedule::a_reminder_is_claimed_once_and_anew_when_the_time_is_another,
    schedule::there_is_an_end_to_what_can_be_announced,
    chat::people_and_lines_are_counted,
    files::an_uploaded_file_is_there_until_it_is_deleted,
    plugins::what_was_decided_about_a_plugin_survives_a_restart,
    plugins::a_forgotten_plugin_loses_its_approval_and_keeps_its_data,
    plugins::somebody_a_plugin_vouches_for_is_the_same_user_each_time,
    plugins::a_plugin_makes_sixty_users_a_minute_and_those_it_knows_do_not_count,
    plugins::whom_a_plugin_made_is_listed_newest_first,
    plugins::a_plugins_bot_stays_the_same_user_under_another_name,
    plugins::a_plugin_keeps_values_that_no_other_one_sees,
    plugins::the_quotas_of_values_are_kept_and_a_refusal_changes_nothing,
    published::posts_are_listed_with_what_others_did_and_still_mean,
    published::the_last_word_to_directories_is_known_after_a_restart,
    published::whoever_has_a_missing_inbox_is_looked_at_first,
    published::the_picture_of_a_post_goes_when_it_is_told_to,
    writing::a_failing_unit_leaves_its_neighbours_alone,
    writing::a_panicking_unit_leaves_the_writer_alive,
    writing::every_acknowledged_write_is_there,
    writing::two_processes_never_number_events_out_of_order,
    opening::a_newer_database_is_refused_untouched,
    opening::an_older_database_is_left_alone_by_commands_beside_the_server,
    opening::after_closing_writes_are_refused_and_nothing_is_lost,
    opening::another_secret_key_is_noticed_at_the_start,
    opening::short_statements_are_run_and_not_compiled_first,
    webhooks::a_webhook_is_kept_and_its_secret_is_sealed,
    webhooks::a_notice_is_queued_once_for_each_webhook_that_wants_it,
    webhooks::a_webhook_hears_nothing_from_before_it_was_made_or_switched_on,
    webhooks::a_queue_is_sent_in_order_and_what_stepped_aside_holds_up_nobody,
    webhooks::a_webhook_that_is_back_gets_all_that_waits_at_once,
    webhooks::what_was_learnt_about_an_address_is_forgotten_when_it_is_changed,
    webhooks::more_than_can_wait_drops_the_oldest_where_it_is_seen,
    webhooks::what_waits_too_long_is_given_up_and_what_is_over_is_forgotten,
    federation::a_follow_its_answer_and_its_event_are_committed_together_and_told_once,
    federation::a_held_follow_is_decided_once_and_a_block_stays,
    federation::a_follow_is_undone_by_its_own_author_even_before_it_comes,
    federation::followers_are_listed_newest_first_without_directories,
    federation::followers_are_looked_after_in_turn,
    federation::a_blocked_domain_takes_its_followers_and_deliveries_with_it,
    federation::raw_activities_are_logged_but_neither_all_nor_the_long_ones,
    federation_queue::a_hundred_followers_behind_one_shared_inbox_get_one_delivery,
    federation_queue::a_former_name_signs_what_it_is_to_sign,
    federation_queue::a_delivery_ends_or_comes_back_at_its_time_and_holds_those_behind,
    federation_queue::what_is_late_expires_and_what_is_newer_takes_its_place,
    federation_queue::a_dead_inbox_gets_no_more_than_a_hundred,
    federation_queue::the_operator_sends_again_and_drops,
    federation_claim::what_waits_for_its_next_try_holds_up_only_what_must_not_overtake_it,
    federation_queue::a_host_that_fails_on_seven_days_gets_one_delivery_a_day_until_it_is_back,
    federation_queue::a_host_that_is_back_gets_what_was_held_but_not_before_it_asked_for,
    federation_queue::a_gone_inbox_takes_its_followers_with_it_and_a_gone_host_after_a_day,
    federation_queue::a_deleted_post_leaves_a_gravestone_and_what_was_not_sent_is_not_sent,
    federation_every_queue::every_queue_is_handed_out_in_order_and_within_bounds,
    federation_claim::a_failed_ping_or_profile_does_not_get_the_last_word,
    federation_claim::after_a_crash_nothing_is_lost_and_nothing_doubled,
    federation_claim::ten_thousand_followers_behind_five_hundred_inboxes_make_five_hundred_rows,
    federation_claim::ten_thousand_inboxes_are_queued_and_handed_out_within_the_bounds,
    federation_bounds::a_host_that_takes_no_answers_fills_only_its_own_share,
    federation_bounds::answers_are_bounded_in_all_and_followers_are_counted_apart,
    federation_bounds::there_is_an_end_to_quotes_that_are_allowed,
    federation_bounds::of_those_who_block_us_the_oldest_are_forgotten,
    federation_ends::the_end_of_a_follow_cancels_only_what_was_sent_because_of_it,
    federation_ends::what_was_written_to_one_person_is_forgotten_however_it_ends,
    federation_ends::who_is_heard_of_or_takes_something_is_not_away,
    federation_handover::after_a_hold_the_newest_that_was_never_tried_shows_whether_the_server_is_back,
    federation_handover::what_has_to_come_in_order_is_not_overtaken_by_what_shows_that_a_server_is_back,
    federation_handover::an_answer_that_waits_for_another_keeps_no_post_from_showing_that_a_server_is_back,
    federation_handover::a_server_that_answers_after_a_hold_gets_the_rest_whatever_it_answers,
    federation_handover::a_server_that_has_refused_everything_since_its_last_success_is_found,
    federation_handover::a_new_key_is_handed_to_those_who_may_know_the_old_one,
    federation_inbox::requests_of_one_key_are_handled_in_order_and_survive_a_crash,
    federation_inbox::a_full_inbox_refuses_and_loses_nothing,
    federation_inbox::what_nobody_is_proven_to_have_sent_has_a_small_share_of_the_inbox,
    federation_inbox::what_nobody_holds_is_put_back_and_what_is_held_stays,
    federation_inbox::a_request_that_never_works_is_dropped_and_those_behind_it_go_on,
    federation_inbox::a_like_is_told_once_however_often_it_is_taken_back,
    federation_inbox::posts_and_complaints_are_kept_once_for_a_month,
    federation_inbox::a_stamp_is_given_once_and_stays_revoked,
    federation_inbox::keys_are_kept_replaced_and_forgotten_with_their_owner,
    federation_inbox::a_reader_of_the_log_goes_on_where_its_effects_were_committed,
    federation_inbox::a_picture_of_a_post_stays_as_it_was,
    federation_servers::a_server_is_asked_answers_streams_and_stops,
    federation_servers::servers_are_ordered_and_those_that_agreed_come_first,
    federation_servers::servers_nobody_asked_for_are_kept_apart_and_few,
}
