//! What an uploaded picture may be, and why another is refused.

/// Limit (operators): size of an uploaded emoji; a larger one is refused.
pub const MAX_UPLOAD_BYTES: usize = 2 << 20;
/// Longest side of a picture that is decoded; a larger one is refused by its header.
pub const MAX_PICTURE_SIDE: u32 = 4096;
/// Memory for the decoded pixels; a picture that needs more is refused by its header.
pub const MAX_DECODED_BYTES: u64 = 64 << 20;
/// Longest side of an animation, and of any GIF; a larger one is refused by its header.
pub(super) const MAX_ANIMATED_SIDE: u32 = 512;
/// Frames of an animation; one with more is refused.
pub const MAX_FRAMES: usize = 200;
/// Longest side of what is kept; a larger picture is scaled down.
pub(super) const MAX_KEPT_SIDE: u32 = 256;

/// Why an upload cannot be an emoji; the texts are for the operator.
#[derive(Debug, thiserror::Error)]
pub enum PictureError {
    /// More than [`MAX_UPLOAD_BYTES`].
    #[error("the picture is larger than {} MiB", MAX_UPLOAD_BYTES >> 20)]
    Heavy,
    #[error("the picture is empty")]
    Empty,
    /// SVG, HTML and other documents.
    #[error(
        "this is an SVG, HTML or XML document, which can run scripts; upload a PNG, JPEG, GIF or WebP picture"
    )]
    Document,
    #[error("this is not a PNG, JPEG, GIF or WebP picture")]
    UnknownFormat,
    /// A picture that is also a valid file of another kind.
    #[error(
        "the picture has a web page, a script or an archive hidden inside; save it again in an image editor"
    )]
    Stowaway,
    /// A side is longer than [`MAX_PICTURE_SIDE`], or decoding needs more than [`MAX_DECODED_BYTES`].
    #[error(
        "the picture is {width} x {height} pixels, which is too large to decode; an emoji needs no more than {MAX_KEPT_SIDE} x {MAX_KEPT_SIDE}"
    )]
    TooManyPixels {
        /// By the picture's header.
        width: u32,
        /// By the picture's header.
        height: u32,
    },
    #[error(
        "the animation or GIF is {width} x {height} pixels; {MAX_ANIMATED_SIDE} x {MAX_ANIMATED_SIDE} is the most, still pictures may be larger as PNG"
    )]
    LargeAnimation {
        /// By the picture's header.
        width: u32,
        /// By the picture's header.
        height: u32,
    },
    #[error("the animation has more than {MAX_FRAMES} frames")]
    TooManyFrames,
    /// An animation that is too large even at the smallest size.
    #[error("the animation would take more than 1 MiB; use fewer frames or colours")]
    HeavyAnimation,
    #[error("the picture is damaged or cut off")]
    Damaged,
}
