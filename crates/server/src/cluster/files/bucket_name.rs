//! Which bucket this is: a hidden file in it says so.

use blobs::{BlobError, BlobInfo, Blobs};

use super::ledger::FileLedger;

/// Its name, in a folder of the bucket. Hidden, so it is no shared file.
const NAME: &str = ".bucket";

/// Finds out whether this is the bucket of the ledger. One that is new gets a name.
pub(super) async fn recognise(
    blobs: &Blobs,
    folder: &str,
    listed: &[BlobInfo],
    ledger: &mut FileLedger,
) -> Result<(), BlobError> {
    let key = format!("{folder}/{NAME}");
    if let Some(name) = listed.iter().find(|file| file.key == key) {
        ledger.meet(&name.etag);
        return Ok(());
    }
    let random = access::random_token().expose().to_owned();
    let etag = blobs.put(&key, random.into()).await?;
    ledger.meet(&etag);
    Ok(())
}
