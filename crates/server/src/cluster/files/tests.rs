use std::fs;

use super::*;

/// Machines with one bucket, which is a folder here.
struct TestBucket {
    root: tempfile::TempDir,
}

impl TestBucket {
    fn new() -> Self {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("bucket")).unwrap();
        Self { root }
    }

    fn machine(&self, name: &str) -> TestMachine {
        let data = self.root.path().join(name);
        fs::create_dir_all(&data).unwrap();
        let blobs = Blobs::in_folder(&self.root.path().join("bucket")).unwrap();
        TestMachine {
            files: SharedFiles::over(blobs, &data),
            data,
        }
    }
}

struct TestMachine {
    files: SharedFiles,
    data: PathBuf,
}

impl TestMachine {
    fn write(&self, path: &str, text: &str) {
        let path = self.data.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn read(&self, path: &str) -> Option<String> {
        fs::read_to_string(self.data.join(path)).ok()
    }

    fn remove(&self, path: &str) {
        fs::remove_file(self.data.join(path)).unwrap();
    }

    async fn round(&self) {
        self.files.round().await.unwrap();
    }
}

#[tokio::test]
async fn what_comes_to_one_machine_comes_to_the_others_and_goes_from_all() {
    let world = TestBucket::new();
    let (one, other) = (world.machine("one"), world.machine("other"));
    one.write("emoji/cats/tom.png", "tom");
    one.write("public/about/index.html", "hello");
    one.write("plugins/poll.plugin", "poll");
    one.write("plugin-approved/poll.plugin", "poll");
    one.write("secret.key", "secret");
    one.round().await;
    other.round().await;
    assert_eq!(other.read("emoji/cats/tom.png").as_deref(), Some("tom"));
    assert_eq!(
        other.read("public/about/index.html").as_deref(),
        Some("hello")
    );
    assert_eq!(other.read("plugins/poll.plugin").as_deref(), Some("poll"));
    assert_eq!(
        other.read("plugin-approved/poll.plugin").as_deref(),
        Some("poll")
    );
    assert_eq!(other.read("secret.key"), None);

    other.write("public/about/index.html", "hello again");
    other.remove("emoji/cats/tom.png");
    other.round().await;
    one.round().await;
    assert_eq!(
        one.read("public/about/index.html").as_deref(),
        Some("hello again")
    );
    assert_eq!(one.read("emoji/cats/tom.png"), None);
}

#[tokio::test]
async fn a_machine_remembers_over_a_restart_what_it_had_in_common_with_the_bucket() {
    let world = TestBucket::new();
    let one = world.machine("one");
    one.write("public/a", "a");
    one.round().await;
    let other = world.machine("other");
    other.round().await;
    drop(other);
    one.remove("public/a");
    one.round().await;
    let other = world.machine("other");
    other.round().await;
    assert_eq!(other.read("public/a"), None);
}

#[tokio::test]
async fn a_machine_that_joins_brings_what_it_has_and_takes_what_there_is() {
    let world = TestBucket::new();
    let (one, other) = (world.machine("one"), world.machine("other"));
    one.write("public/both", "of the first");
    one.write("public/one", "1");
    one.round().await;
    other.write("public/both", "of the other");
    other.write("public/other", "2");
    other.round().await;
    one.round().await;
    for machine in [&one, &other] {
        assert_eq!(machine.read("public/both").as_deref(), Some("of the first"));
        assert_eq!(machine.read("public/one").as_deref(), Some("1"));
        assert_eq!(machine.read("public/other").as_deref(), Some("2"));
    }
}

#[tokio::test]
async fn an_emptied_bucket_is_filled_again_and_deletes_nothing() {
    let world = TestBucket::new();
    let one = world.machine("one");
    one.write("public/a", "a");
    one.round().await;
    let bucket = world.root.path().join("bucket");
    fs::remove_dir_all(&bucket).unwrap();
    fs::create_dir(&bucket).unwrap();
    one.round().await;
    assert_eq!(one.read("public/a").as_deref(), Some("a"));
    assert_eq!(fs::read(bucket.join("shared/public/a")).unwrap(), b"a");
}

#[tokio::test]
async fn a_folder_that_is_gone_as_a_whole_is_fetched_again() {
    let world = TestBucket::new();
    let one = world.machine("one");
    one.write("public/a", "a");
    one.round().await;
    fs::remove_dir_all(one.data.join("public")).unwrap();
    one.round().await;
    assert_eq!(one.read("public/a").as_deref(), Some("a"));
}

#[tokio::test]
async fn a_folder_that_is_empty_all_at_once_is_filled_again_and_deletes_nothing() {
    let world = TestBucket::new();
    let (one, other) = (world.machine("one"), world.machine("other"));
    let names: Vec<String> = (0..5).map(|number| format!("public/{number}")).collect();
    for name in &names {
        one.write(name, "x");
    }
    one.round().await;
    other.round().await;
    for name in &names {
        one.remove(name);
    }
    one.round().await;
    other.round().await;
    for name in &names {
        assert_eq!(one.read(name).as_deref(), Some("x"));
        assert_eq!(other.read(name).as_deref(), Some("x"));
    }
}

#[tokio::test]
async fn plugins_that_began_without_what_they_kept_do_not_replace_it() {
    let world = TestBucket::new();
    let (one, other) = (world.machine("one"), world.machine("other"));
    let (old, new) = (
        "plugin-storage/poll/files/old",
        "plugin-storage/poll/files/new",
    );
    one.write(old, "of years");
    one.files.hand_over_storage().await;
    // As after a bucket that was away.
    other.files.storage.lock().await.is_behind = true;
    other.write(old, "empty");
    other.write(new, "new");
    other.files.hand_over_storage().await;
    one.files.take_over_storage().await;
    assert_eq!(one.read(old).as_deref(), Some("of years"));
    assert_eq!(one.read(new).as_deref(), Some("new"));
    other.files.take_over_storage().await;
    assert_eq!(other.read(old).as_deref(), Some("of years"));
    assert!(!other.files.storage.lock().await.is_behind);
}

#[tokio::test]
async fn what_plugins_keep_survives_a_folder_that_is_gone_and_a_bucket_that_was_emptied() {
    let world = TestBucket::new();
    let one = world.machine("one");
    let place = "plugin-storage/poll/files/a";
    one.write(place, "kept");
    one.files.hand_over_storage().await;
    fs::remove_dir_all(one.data.join("plugin-storage")).unwrap();
    one.files.hand_over_storage().await;
    one.files.take_over_storage().await;
    assert_eq!(one.read(place).as_deref(), Some("kept"));
    // Which bucket it is can still be told.
    fs::remove_dir_all(world.root.path().join("bucket/storage/poll")).unwrap();
    one.files.take_over_storage().await;
    assert_eq!(one.read(place).as_deref(), Some("kept"));
}

#[tokio::test]
async fn a_bucket_that_is_away_changes_nothing_here_and_is_caught_up_with() {
    let world = TestBucket::new();
    let (one, other) = (world.machine("one"), world.machine("other"));
    one.write("public/a", "a");
    one.round().await;
    other.round().await;
    let peer = testkit::https::Peer::plain(|_| testkit::https::reply(503, "", ""));
    let client = Client::builder().user_agent("rillcast").build().unwrap();
    let options = BucketOptions {
        endpoint: format!("http://{}", peer.address()).parse().unwrap(),
        bucket: "files".into(),
        region: "us-east-1".into(),
        prefix: String::new(),
        access_key: "key".into(),
        secret_key: model::Secret::new("secret"),
        deadline: blobs::DEADLINE,
    };
    let cut_off = SharedFiles::open(&options, client.clone(), &other.data).unwrap();
    other.write("public/b", "b");
    cut_off.at_start().await;
    cut_off.take_over_storage().await;
    assert!(cut_off.storage.lock().await.is_behind);
    let error = cut_off.round().await.unwrap_err();
    assert!(error.to_string().contains("503"), "{error}");
    assert!(matches!(
        try_bucket(&options, client).await,
        Err(BlobError::Away(_))
    ));
    assert_eq!(other.read("public/a").as_deref(), Some("a"));
    // Off the runtime, as the pages call it.
    let emoji = cut_off.emoji();
    let refused = tokio::task::spawn_blocking(move || emoji.write("a.png", b"x"));
    let refused = refused.await.unwrap().unwrap_err();
    assert!(
        refused.to_string().contains("the bucket does not answer"),
        "{refused}"
    );

    let other = world.machine("other");
    other.round().await;
    one.round().await;
    assert_eq!(one.read("public/b").as_deref(), Some("b"));
}

#[tokio::test]
async fn an_emoji_is_in_the_bucket_before_it_is_in_the_folder() {
    let world = TestBucket::new();
    let (one, other) = (world.machine("one"), world.machine("other"));
    let emoji = one.files.emoji();
    let written = tokio::task::spawn_blocking(move || {
        emoji.write("cats/tom.png", b"tom")?;
        emoji.write("party.png", b"party")?;
        emoji.remove("party.png")
    });
    written.await.unwrap().unwrap();
    assert_eq!(one.read("emoji/cats/tom.png"), None);
    other.round().await;
    assert_eq!(other.read("emoji/cats/tom.png").as_deref(), Some("tom"));
    assert_eq!(other.read("emoji/party.png"), None);
}

#[tokio::test]
async fn what_is_hidden_linked_or_badly_named_stays_on_its_machine() {
    let world = TestBucket::new();
    let (one, other) = (world.machine("one"), world.machine("other"));
    one.write("public/.unfinished", "x");
    one.write("public/a#1", "x");
    one.write("public/good", "x");
    one.write("plugins/poll.unfinished", "x");
    std::os::unix::fs::symlink("/etc/hostname", one.data.join("public/link")).unwrap();
    one.round().await;
    other.round().await;
    let found: Vec<_> = fs::read_dir(other.data.join("public")).unwrap().collect();
    assert_eq!(found.len(), 1);
    assert_eq!(other.read("public/good").as_deref(), Some("x"));
    assert_eq!(other.read("plugins/poll.unfinished"), None);
}

#[tokio::test]
async fn a_bucket_can_be_tried_and_keeps_nothing_of_it() {
    let world = TestBucket::new();
    let one = world.machine("one");
    one.round().await;
    assert!(!one.files.blobs.exists(TRIAL).await.unwrap());
    assert!(one.files.blobs.exists("shared/.bucket").await.unwrap());
}

#[tokio::test]
async fn what_a_plugin_keeps_goes_with_it_to_the_machine_that_runs_it_next() {
    let world = TestBucket::new();
    let (one, other) = (world.machine("one"), world.machine("other"));
    one.files.take_over_storage().await;
    one.write("plugin-storage/poll/files/a/notes.txt", "first");
    one.write("plugin-storage/poll/files/old.txt", "old");
    one.write("plugin-storage/.trial-1/files/x", "x");
    let database = one.data.join("plugin-storage/poll/db/plugin.db");
    fs::create_dir_all(database.parent().unwrap()).unwrap();
    let key = one.data.join("secret.key");
    let open = store::Store::open(&store::DatabaseUrl::Sqlite(database), &key).await;
    let in_use = open.unwrap();
    one.files.hand_over_storage().await;
    in_use.close().await;
    other.write("plugin-storage/poll/db/plugin.db-wal", "of another one");
    other.files.take_over_storage().await;
    let place = "plugin-storage/poll/files/a/notes.txt";
    assert_eq!(other.read(place).as_deref(), Some("first"));
    let copy = fs::read(other.data.join("plugin-storage/poll/db/plugin.db")).unwrap();
    assert!(copy.starts_with(b"SQLite format 3"));
    assert_eq!(other.read("plugin-storage/poll/db/plugin.db-wal"), None);
    assert_eq!(other.read("plugin-storage/.trial-1/files/x"), None);

    other.write(place, "second time");
    other.remove("plugin-storage/poll/files/old.txt");
    other.files.hand_over_storage().await;
    one.files.take_over_storage().await;
    assert_eq!(one.read(place).as_deref(), Some("second time"));
    assert_eq!(one.read("plugin-storage/poll/files/old.txt"), None);
}

#[tokio::test]
async fn while_a_machine_runs_plugins_its_own_files_count() {
    let world = TestBucket::new();
    let (one, other) = (world.machine("one"), world.machine("other"));
    let place = "plugin-storage/poll/files/a";
    one.write(place, "1");
    one.files.hand_over_storage().await;
    other.files.take_over_storage().await;
    other.write(place, "of the one that runs them");
    one.write(place, "of one that was replaced");
    one.files.hand_over_storage().await;
    other.files.hand_over_storage().await;
    assert_eq!(
        other.read(place).as_deref(),
        Some("of the one that runs them")
    );
    one.files.take_over_storage().await;
    assert_eq!(
        one.read(place).as_deref(),
        Some("of the one that runs them")
    );
}
