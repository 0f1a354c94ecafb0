//! Whether the sound is to blame where an encoder fails, and is left out for the sake of the pictures.
//!
//! One program encodes both. Sound that it cannot decode would cost every picture as long as the stream lasts.

/// Runs that the sound may spoil before pictures are encoded without it.
const MAX_SPOILT: u32 = 2;

/// What a failed run says about the sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It was the sound.
    Sound,
    /// It may have been the sound.
    Anything,
    /// It was something else.
    Other,
}

/// What is known against the sound of a broadcast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Blame {
    spoilt: u32,
    /// It was the sound at least once, for certain.
    is_certain: bool,
    /// Without the sound it went no better, so what may have been the sound was not.
    is_cleared: bool,
}

impl Blame {
    pub(super) fn leaves_out_sound(self) -> bool {
        self.spoilt >= MAX_SPOILT
    }

    /// A run has failed.
    pub(super) fn note(&mut self, fault: Fault) {
        if self.leaves_out_sound() {
            if fault == Fault::Anything && !self.is_certain {
                *self = Self {
                    is_cleared: true,
                    ..Self::default()
                };
            }
            return;
        }
        let is_spoilt = match fault {
            Fault::Sound => true,
            Fault::Anything => !self.is_cleared,
            Fault::Other => false,
        };
        self.spoilt += u32::from(is_spoilt);
        self.is_certain |= fault == Fault::Sound;
    }

    /// A run with or without it has gone well for long.
    pub(super) fn forget(&mut self) {
        if !self.leaves_out_sound() {
            *self = Self::default();
        }
    }
}
