//! Decides whether the sound causes an encoder's failures and is dropped for the sake of the pictures.
//!
//! One process encodes both. Sound that it cannot decode would otherwise cost every picture for the whole stream.

/// Runs that the sound may spoil before pictures are encoded without it.
const MAX_SPOILT: u32 = 2;

/// What a failed run says about the sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// The sound was the cause.
    Sound,
    /// The sound may have been the cause.
    Anything,
    /// Something else was the cause.
    Other,
}

/// The evidence against the sound of a broadcast.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Blame {
    spoilt: u32,
    /// The sound was certainly the cause at least once.
    is_certain: bool,
    /// Runs without the sound did no better, so uncertain failures were not its fault.
    is_cleared: bool,
}

impl Blame {
    pub(super) fn leaves_out_sound(self) -> bool {
        self.spoilt >= MAX_SPOILT
    }

    /// Records a failed run.
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

    /// Resets after a long successful run, with or without sound.
    pub(super) fn forget(&mut self) {
        if !self.leaves_out_sound() {
            *self = Self::default();
        }
    }
}
