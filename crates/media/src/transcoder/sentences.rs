//! Why qualities are not made, in terms that an operator can act on. What ffmpeg complained about stays in its own words.

model::sentences! {
    NOT_STARTED = "ffmpeg-not-started",
        "ffmpeg cannot be started ({why}). Install it, or say where it is.";
    REFUSED = "encoder-refused", "It does not work here: {complaint}";
    TRIAL_SLOW = "encoder-too-slow",
        "It did not encode one second of a test picture within {seconds} seconds.";
    NOT_MEASURED = "measure-failed",
        "ffmpeg cannot encode these qualities here: {complaint}";
    MEASURED_SLOW = "measure-too-slow",
        "This machine did not encode {length} seconds within {seconds} seconds, which is far too slow. Remove a quality, or lower its size, frame rate or CPU level.";
    NO_PICTURE = "quality-without-picture", "this stream has no video";
    SAME_AS = "quality-same-as",
        "for this stream it is the same as quality {number}; remove one of them";
    ONE_TOO_MANY = "quality-one-too-many",
        "at most {most} qualities are encoded at once; remove others above it";
    GAVE_UP = "ffmpeg-gave-up", "ffmpeg gave up: {complaint}";
    BAD_OUTPUT = "ffmpeg-bad-output", "What ffmpeg wrote cannot be used: {reason}";
    SILENT = "ffmpeg-silent", "ffmpeg does not answer.";
    NO_SOUND = "ffmpeg-no-sound",
        "ffmpeg cannot encode the sound it is given. Set another audio codec in your encoder, such as AAC.";
    BAD_SOUND = "ffmpeg-bad-sound", "The sound that ffmpeg wrote cannot be used: {reason}";
    TOO_SLOW = "ffmpeg-too-slow",
        "This machine is too slow for these qualities. Remove one, or lower its size, frame rate or CPU level.";
}
