#!/usr/bin/env bash
# Makes the short streams that the tests push: e2e/clips/NAME.flv, and beside each NAME.json, which says what is in it.
#
#   scripts/make-clips.sh           all of them
#   scripts/make-clips.sh NAME …    only these
#
# The clips are committed, so tests neither encode nor depend on an encoder's version. Run this to change a clip.
# One thread and no dates: two runs of one ffmpeg give the same bytes. Needs ffmpeg with libx264 and libmp3lame.
#
# Nearly all are 8 s long: that is 240 frames at 30 fps and exactly 375 frames of AAC at 48 kHz, so that
# `ffmpeg -stream_loop -1` goes from the end to the beginning without a gap or a step back in either track.
set -euo pipefail
cd "$(dirname "$0")/.."

OUT=e2e/clips
# Seconds of a clip, and the AAC frames of 1,024 samples in them at 48 kHz.
LENGTH=8
FRAMES=375

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

encode() { ffmpeg -nostdin -v error -y -filter_threads 1 "$@"; }

# picture SOURCE KILOBITS GOP_FRAMES [OPTION…]: H.264 with a key frame every GOP_FRAMES and nowhere else.
picture() {
  local source=$1 kilobits=$2 gop=$3
  shift 3
  encode -f lavfi -i "$source" -t "$LENGTH" -pix_fmt yuv420p \
    -c:v libx264 -threads 1 -preset slow -profile:v high -g "$gop" -keyint_min "$gop" -sc_threshold 0 -bf 0 \
    -b:v "${kilobits}k" -maxrate "${kilobits}k" -bufsize "$((kilobits * 2))k" "$@" \
    -flags:v +bitexact -fflags +bitexact -f mp4 "$scratch/picture.mp4"
}

# sound SOURCE KILOBITS: AAC whose end fits its beginning. An encoder starts with a frame of its own making;
# of three rounds the middle one has neither a start nor an end.
sound() {
  local source=$1 kilobits=$2
  encode -f lavfi -i "$source" -af "atrim=end_sample=$((FRAMES * 1024 * 3))" \
    -c:a aac -threads 1 -b:a "${kilobits}k" -flags:a +bitexact -f adts "$scratch/rounds.aac"
  python3 scripts/clips.py cut "$scratch/rounds.aac" "$scratch/sound.aac" "$((FRAMES + 1))" "$FRAMES"
}

# mux NAME TRACK…: the tracks as one FLV, and its description.
mux() {
  local name=$1 inputs=() maps=() track
  shift
  for track in "$@"; do
    maps+=(-map "$((${#maps[@]} / 2)):0")
    inputs+=(-i "$scratch/$track")
  done
  encode "${inputs[@]}" "${maps[@]}" -c copy -map_metadata -1 -fflags +bitexact -f flv "$OUT/$name.flv"
  python3 scripts/clips.py describe "$OUT/$name.flv" >"$OUT/$name.json"
  echo "$OUT/$name.flv: $(stat -c %s "$OUT/$name.flv") bytes"
}

# Moving numbers, so that a wrong order of frames can be seen; and a tone that beeps once a second.
PATTERN=testsrc2=size=320x180:rate=30
TONE=sine=frequency=330:beep_factor=2:sample_rate=48000

# What an ordinary encoder sends.
clip_plain() {
  picture "$PATTERN" 80 60
  sound "$TONE" 32
  mux plain picture.mp4 sound.aac
}

# Frames that are shown in another order than they are sent.
clip_bframes() {
  picture "$PATTERN" 80 60 -bf 3 -b_strategy 0 -x264-params b-pyramid=normal
  sound "$TONE" 32
  mux bframes picture.mp4 sound.aac
}

clip_audio-only() {
  sound "$TONE" 48
  mux audio-only sound.aac
}

clip_video-only() {
  picture "$PATTERN" 80 60
  mux video-only picture.mp4
}

# A microphone that is off: all audio frames have one size, which makes RTMP leave out its headers.
clip_silent-mic() {
  picture "color=c=0x0d3b43:size=320x180:rate=30" 40 60
  sound "anullsrc=sample_rate=48000:channel_layout=stereo" 32
  mux silent-mic picture.mp4 sound.aac
}

# A key frame every 10 s, as some encoders do when nobody tells them. 16 s, so that there are two.
clip_gop10() {
  local LENGTH=16 FRAMES=750
  picture "$PATTERN" 44 300
  sound "$TONE" 16
  mux gop10 picture.mp4 sound.aac
}

# The sound of old encoders. FLV has no MP3 at 48 kHz, so its tracks do not end together and the loop has a seam.
clip_mp3() {
  picture "$PATTERN" 80 60
  encode -f lavfi -i "sine=frequency=330:beep_factor=2:sample_rate=44100" -t "$LENGTH" \
    -c:a libmp3lame -b:a 32k -write_xing 0 -fflags +bitexact -f mp3 "$scratch/sound.mp3"
  mux mp3 picture.mp4 sound.mp3
}

clip_25fps() {
  picture "testsrc2=size=320x180:rate=25" 80 50
  sound "$TONE" 32
  mux 25fps picture.mp4 sound.aac
}

# A pair for a change of the picture in mid-stream: the same but for the size.
clip_360p() {
  picture "testsrc2=size=640x360:rate=30" 90 60
  sound "$TONE" 32
  mux 360p picture.mp4 sound.aac
}

clip_1080p() {
  picture "smptehdbars=size=1920x1080:rate=30" 90 60
  sound "$TONE" 32
  mux 1080p picture.mp4 sound.aac
}

# What existing suites for servers like this one push.
clip_720p60() {
  picture "smptehdbars=size=1280x720:rate=60" 90 120
  sound "$TONE" 32
  mux 720p60 picture.mp4 sound.aac
}

all=(plain bframes audio-only video-only silent-mic gop10 mp3 25fps 360p 1080p 720p60)
mkdir -p "$OUT"
for name in "${@:-"${all[@]}"}"; do
  if ! declare -F "clip_$name" >/dev/null; then
    echo "there is no clip $name; there are: ${all[*]}" >&2
    exit 2
  fi
  "clip_$name"
done
