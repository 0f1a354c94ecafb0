//! What may be wrong with an inbound stream, in terms that an operator can act on.

model::sentences! {
    KEYFRAME_INTERVAL = "keyframe-interval",
        "Keyframes arrive every {seconds} s: set {wanted} s in OBS (Output, Keyframe interval).";
    DROPPED_FRAMES = "dropped-frames",
        "{percent} % of the frames of the last minute are missing: lower the bitrate, or the load on the encoder’s machine.";
    JITTER = "jitter",
        "Frames arrive unevenly ({milliseconds} ms): the connection to this server is unsteady.";
    STARVING = "starving",
        "Only {now} kbit/s arrive instead of the usual {usual} kbit/s: the upload is too slow, or something else is using it.";
    MALFORMED = "malformed", "{frames} frames could not be read and were left out.";
    FURTHER_TRACKS = "further-tracks",
        "The encoder sends more than one track ({video} video, {audio} audio extra); the extra ones are left out.";
    HEVC_PICTURE = "hevc-picture",
        "Many browsers play HEVC only where the machine decodes it in hardware, and some not at all: H.264 plays everywhere.";
    MP3_SOUND = "mp3-sound",
        "Chrome and Edge do not play MP3 audio inside a stream: choose AAC in your encoder.";
    NO_AUDIO = "no-audio", "The stream has no audio.";
    NO_VIDEO = "no-video", "The stream has no video.";
}
