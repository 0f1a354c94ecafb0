//! Chooses the encoder: the operator's choice, if it works.

use std::time::Duration;

use super::Driver;
use crate::transcoder::encoder::Encoder;
use crate::transcoder::trial::trial;

/// How long hardware may take to show that it works; then the software encodes.
const TRIAL_LIMIT: Duration = Duration::from_secs(15);

impl Driver {
    /// Uses hardware only after a successful trial on this machine.
    pub(super) async fn choose_encoder(&mut self) {
        if self.job.encoder == Encoder::X264 || self.job.plan.rungs.is_empty() {
            return;
        }
        let encoder = self.job.encoder;
        let works = match self.job.memory.tried(encoder) {
            Some(works) => works,
            None => self.try_out(encoder).await,
        };
        if !works {
            self.job.encoder = Encoder::X264;
        }
    }

    async fn try_out(&self, encoder: Encoder) -> bool {
        let memory = &self.job.memory;
        let mut restart_history = memory.restart_history();
        tokio::time::sleep(restart_history.rest(self.now())).await;
        restart_history.begin(self.now());
        memory.keep(restart_history, || self.gone.is_cancelled());
        let tried = trial(&self.job.ffmpeg, encoder, TRIAL_LIMIT).await;
        memory.has_tried(encoder, tried.is_ok());
        if let Err(refusal) = &tried {
            let encoder = encoder.name();
            tracing::warn!(
                encoder,
                "libx264 encodes instead of the chosen encoder: {refusal}"
            );
        }
        tried.is_ok()
    }
}
