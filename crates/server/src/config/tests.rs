use std::collections::BTreeMap;

use model::settings::Layers;
use model::settings::table::{NAME, SERVER_URL, STREAM_KEYS};

use super::sources::known_keys;
use super::*;
use crate::cli::Options;

fn read(options: Options, env: &[(&str, &str)]) -> Result<Config, ConfigError> {
    let env = env
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    Config::read(&ConfigSources::new(options, env)?)
}

fn with_file(text: &str) -> (tempfile::TempDir, Options) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rillcast.toml");
    std::fs::write(&path, text).unwrap();
    (
        folder,
        Options {
            config: Some(path),
            ..Options::default()
        },
    )
}

fn layers(config: &Config) -> Layers {
    Layers::compose(&BTreeMap::new(), &config.settings).0
}

#[test]
fn nothing_given_means_the_documented_defaults() {
    let config = read(Options::default(), &[]).unwrap();
    assert_eq!(config.listen.to_string(), "0.0.0.0:8080");
    assert_eq!(config.rtmp_listen.to_string(), "0.0.0.0:1935");
    assert_eq!(config.data_dir.to_str(), Some("data"));
    assert_eq!(
        config.database.sqlite_path().unwrap().to_str(),
        Some("data/rillcast.db")
    );
    assert!(config.admin_password.is_none() && config.trusted_proxies.is_empty());
}

#[test]
fn flags_win_over_the_environment_and_that_over_the_file() {
    let (_folder, options) =
        with_file("listen = '127.0.0.1:1'\nrtmp_listen = '127.0.0.1:2'\nname = 'file'\n");
    let env = [
        ("RILLCAST_LISTEN", "127.0.0.1:3"),
        ("RILLCAST_NAME", "environment"),
    ];
    let config = read(options.clone(), &env).unwrap();
    assert_eq!((config.listen.port(), config.rtmp_listen.port()), (3, 2));
    assert_eq!(layers(&config).get(&NAME), "environment");
    let flags = Options {
        listen: Some("127.0.0.1:4".into()),
        set: vec!["name=flag".into()],
        ..options
    };
    let config = read(flags, &env).unwrap();
    assert_eq!(config.listen.port(), 4);
    assert_eq!(layers(&config).get(&NAME), "flag");
}

#[test]
fn an_error_names_the_key_the_value_and_the_source() {
    let error =
        |options: Options, env: &[(&str, &str)]| read(options, env).unwrap_err().to_string();
    let text = error(
        Options {
            listen: Some("nowhere".into()),
            ..Options::default()
        },
        &[],
    );
    assert!(
        text.contains("listen") && text.contains("nowhere") && text.contains("--listen"),
        "{text}"
    );
    let text = error(Options::default(), &[("RILLCAST_NSFW", "perhaps")]);
    assert!(
        text.contains("nsfw") && text.contains("perhaps") && text.contains("RILLCAST_NSFW"),
        "{text}"
    );
    let (_folder, options) = with_file("server_url = 'not.valid.url'");
    let text = error(options, &[]);
    assert!(
        text.contains("server_url")
            && text.contains("not.valid.url")
            && text.contains("rillcast.toml"),
        "{text}"
    );
    let text = error(
        Options {
            set: vec!["nonsense".into()],
            ..Options::default()
        },
        &[],
    );
    assert!(text.contains("--set"), "{text}");
}

#[test]
fn an_unknown_key_is_refused_with_a_hint() {
    let (_folder, options) = with_file("lissten = '0.0.0.0:80'");
    let text = read(options, &[]).unwrap_err().to_string();
    assert!(
        text.contains("lissten") && text.contains("did you mean listen?"),
        "{text}"
    );
}

#[test]
fn a_broken_file_is_refused_with_its_line() {
    let (_folder, options) = with_file("name = 'x'\nlisten = \n");
    let text = read(options, &[]).unwrap_err().to_string();
    assert!(text.contains("line 2"), "{text}");
    let gone = Options {
        config: Some("/nonexistent/x.toml".into()),
        ..Options::default()
    };
    assert!(
        read(gone, &[])
            .unwrap_err()
            .to_string()
            .contains("/nonexistent/x.toml")
    );
}

#[test]
fn secrets_never_stand_in_an_error() {
    let env = [
        ("RILLCAST_STREAM_KEY", "hunter/2"),
        ("RILLCAST_STREAM_KEYS", "[{\"key\":\"hunter/2\"}]"),
    ];
    for one in env {
        let text = read(Options::default(), &[one]).unwrap_err().to_string();
        assert!(!text.contains("hunter"), "{text}");
    }
    let text = format!(
        "{:?}",
        read(
            Options::default(),
            &[("RILLCAST_ADMIN_PASSWORD", "hunter22")]
        )
        .unwrap()
    );
    assert!(!text.contains("hunter22"));
}

#[test]
fn short_forms_set_the_settings_they_stand_for() {
    let options = Options {
        server_url: Some("https://live.example.org/".into()),
        stream_key: Some("my-stream-key".into()),
        ..Options::default()
    };
    let layers = layers(&read(options, &[]).unwrap());
    assert_eq!(layers.get(&SERVER_URL), "https://live.example.org");
    assert_eq!(layers.get(&STREAM_KEYS)[0].key, "my-stream-key");
    assert!(layers.current(&STREAM_KEYS).source.is_outside());
}

#[test]
fn a_certificate_needs_its_key() {
    let options = Options {
        tls_cert: Some("cert.pem".into()),
        ..Options::default()
    };
    assert!(
        read(options, &[])
            .unwrap_err()
            .to_string()
            .contains("tls_key")
    );
}

#[test]
fn a_misspelt_variable_is_mentioned_and_nothing_more() {
    let config = read(Options::default(), &[("RILLCAST_LISTENN", "x")]).unwrap();
    assert!(config.remarks[0].contains("RILLCAST_LISTENN"));
}

#[test]
fn addresses_and_networks_have_short_forms() {
    let config = read(
        Options::default(),
        &[
            ("RILLCAST_LISTEN", ":9000"),
            ("RILLCAST_TRUSTED_PROXIES", "127.0.0.1, 10.0.0.0/8"),
        ],
    );
    let config = config.unwrap();
    assert_eq!(config.listen.to_string(), "0.0.0.0:9000");
    assert_eq!(config.trusted_proxies.len(), 2);
    assert!(
        read(
            Options::default(),
            &[("RILLCAST_TRUSTED_PROXIES", "everyone")]
        )
        .is_err()
    );
}

proptest::proptest! {
    #![proptest_config(proptest::test_runner::Config { failure_persistence: None, ..Default::default() })]

    #[test]
    fn no_value_in_the_environment_can_do_more_than_be_refused_by_name(
        index in 0..known_keys().count(),
        value in "\\PC{0,60}",
    ) {
        let key = known_keys().nth(index).unwrap();
        let name = format!("RILLCAST_{}", key.to_uppercase());
        if let Err(error) = read(Options::default(), &[(&name, &value)]) {
            let text = error.to_string();
            proptest::prop_assert!(text.contains(key) && text.contains(&name), "{}", text);
            proptest::prop_assert!(!text.contains('\n'), "{}", text);
        }
    }

    #[test]
    fn no_configuration_file_can_do_more_than_be_refused(text in "[a-z_\\[\\]{}='\"0-9.\n #-]{0,120}") {
        let (_folder, options) = with_file(&text);
        if let Err(error) = read(options, &[]) {
            proptest::prop_assert!(error.to_string().contains("rillcast.toml"), "{}", error);
        }
    }
}

#[test]
fn initial_values_come_by_themselves_or_from_a_file_and_not_beside_the_locking_option() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("password");
    std::fs::write(&file, "from a file\n").unwrap();
    let path = file.to_str().unwrap();
    let config = read(
        Options::default(),
        &[
            ("RILLCAST_INITIAL_ADMIN_PASSWORD_FILE", path),
            ("RILLCAST_INITIAL_STREAM_KEY", "aZ09!@#$^&*"),
        ],
    );
    let initial = config.unwrap().initial;
    let text = |secret: Option<Secret>| secret.unwrap().expose().to_owned();
    assert_eq!(text(initial.admin_password), "from a file");
    assert_eq!(text(initial.stream_key), "aZ09!@#$^&*");

    let refused = |env: &[(&str, &str)]| read(Options::default(), env).unwrap_err().to_string();
    let password = "RILLCAST_INITIAL_ADMIN_PASSWORD";
    let both = refused(&[(password, "long enough"), ("RILLCAST_ADMIN_PASSWORD", "x")]);
    assert!(both.contains("first start only"), "{both}");
    assert!(!both.contains("long enough"), "{both}");
    let key = "RILLCAST_INITIAL_STREAM_KEY";
    let both = refused(&[(key, "long-enough"), ("RILLCAST_STREAM_KEY", "abcdef")]);
    assert!(both.contains("first start only"), "{both}");
    let file_key = "RILLCAST_INITIAL_ADMIN_PASSWORD_FILE";
    assert!(refused(&[(password, "long enough"), (file_key, path)]).contains("one of them"));
    assert!(refused(&[(password, "short")]).contains("at least 8 characters"));
    assert!(refused(&[(key, "a b c d e f")]).contains("each stream key"));
    assert!(refused(&[(file_key, "/nowhere/at/all")]).contains("cannot be read"));
}

#[test]
fn the_key_lies_in_the_data_folder_unless_it_is_said_to_lie_elsewhere() {
    let env = [("RILLCAST_DATA_DIR", "/var/lib/here")];
    let config = read(Options::default(), &env).unwrap();
    assert_eq!(config.secret_key.to_str(), Some("/var/lib/here/secret.key"));
    let options = Options {
        secret_key_file: Some("/run/secrets/key".into()),
        ..Options::default()
    };
    let config = read(options, &env).unwrap();
    assert_eq!(config.secret_key.to_str(), Some("/run/secrets/key"));
}

const SHARED: (&str, &str) = ("RILLCAST_DATABASE_URL", "postgres://u:p@db/rillcast");
const NATS: (&str, &str) = ("RILLCAST_NATS", "nats://u:pass@10.0.0.5:4222");
const CLUSTER: (&str, &str) = ("RILLCAST_CLUSTER", "main");

#[test]
fn a_server_is_alone_unless_it_is_given_a_cluster() {
    assert!(
        read(Options::default(), &[SHARED])
            .unwrap()
            .cluster
            .is_none()
    );
    let config = read(Options::default(), &[SHARED, NATS, CLUSTER]).unwrap();
    let cluster = config.cluster.unwrap();
    assert_eq!(
        (cluster.name.as_str(), cluster.nats.expose()),
        ("main", NATS.1)
    );
    assert_eq!(cluster.roles, NodeRoles::default());
    assert!(!cluster.is_named_in_answers && cluster.nats_credentials.is_none());
    let options = Options {
        cluster: Some("main".into()),
        nats: Some("tls://one.example.com,tls://two.example.com:4443".into()),
        nats_credentials: Some("node.creds".into()),
        node_name: Some("left".into()),
        roles: Some("web".into()),
        node_header: true,
        ..Options::default()
    };
    let cluster = read(options, &[SHARED]).unwrap().cluster.unwrap();
    assert_eq!(cluster.node_name, "left");
    assert!(cluster.roles.has(NodeRole::Web) && !cluster.roles.has(NodeRole::Ingest));
    assert!(cluster.is_named_in_answers);
}

#[test]
fn half_a_cluster_is_refused_with_what_is_missing() {
    let refused = |env: &[(&str, &str)]| read(Options::default(), env).unwrap_err().to_string();
    let without_nats = refused(&[SHARED, CLUSTER]);
    assert!(without_nats.contains("cluster") && without_nats.contains("needs nats"));
    let without_database = refused(&[NATS, CLUSTER]);
    assert!(
        without_database.contains("needs database_url"),
        "{without_database}"
    );
    let without_cluster = refused(&[SHARED, NATS]);
    assert!(
        without_cluster.contains("needs cluster"),
        "{without_cluster}"
    );
    assert!(!without_cluster.contains("pass"), "{without_cluster}");
    for part in ["NATS_CREDENTIALS", "NODE_NAME", "ROLES", "S3_BUCKET"] {
        let name = format!("RILLCAST_{part}");
        assert!(refused(&[SHARED, (&name, "web")]).contains("needs cluster"));
    }
}

#[test]
fn half_a_bucket_is_refused_with_what_is_missing() {
    let all = [
        ("RILLCAST_S3_ENDPOINT", "http://10.0.0.6:7070"),
        ("RILLCAST_S3_BUCKET", "rillcast"),
        ("RILLCAST_S3_ACCESS_KEY", "AKIA"),
        ("RILLCAST_S3_SECRET_KEY", "hush-hush"),
    ];
    let with = |bucket: &[(&str, &str)]| {
        let env = [&[SHARED, NATS, CLUSTER][..], bucket].concat();
        read(Options::default(), &env)
    };
    let config = with(&all).unwrap();
    let bucket = config.cluster.unwrap().bucket.unwrap();
    assert_eq!(bucket.endpoint.as_str(), "http://10.0.0.6:7070/");
    assert_eq!(
        (bucket.region.as_str(), bucket.prefix.as_str()),
        ("us-east-1", "")
    );
    assert!(!format!("{bucket:?}").contains("hush"), "{bucket:?}");
    for (left_out, _) in all {
        let rest: Vec<_> = all
            .into_iter()
            .filter(|(name, _)| *name != left_out)
            .collect();
        let error = with(&rest).unwrap_err().to_string();
        let key = left_out
            .trim_start_matches("RILLCAST_")
            .to_ascii_lowercase();
        assert!(error.contains("needs") && error.contains(&key), "{error}");
        assert!(!error.contains("hush"), "{error}");
    }
    let twice = [&all[..], &[("RILLCAST_S3_SECRET_KEY_FILE", "secret")]].concat();
    assert!(
        with(&twice)
            .unwrap_err()
            .to_string()
            .contains("only one of them")
    );
    let strange = [&all[..], &[("RILLCAST_S3_PREFIX", "a b")]].concat();
    assert!(with(&strange).unwrap_err().to_string().contains("one word"));
    assert!(with(&[]).unwrap().cluster.unwrap().bucket.is_none());
}

#[test]
fn a_value_that_no_cluster_can_have_is_refused_with_what_would_be_right() {
    let refused = |name: &str, value: &str| {
        let mut env = vec![SHARED, NATS, CLUSTER];
        env.retain(|(given, _)| *given != name);
        env.push((name, value));
        let error = read(Options::default(), &env).unwrap_err().to_string();
        assert!(error.contains(name), "{error}");
        error
    };
    assert!(
        refused("RILLCAST_ROLES", "web,wrker")
            .contains("\"wrker\" is no role: there are ingest, web and worker")
    );
    assert!(refused("RILLCAST_ROLES", " , ").contains("some of ingest,web,worker"));
    assert!(refused("RILLCAST_CLUSTER", "a.b").contains("letters, digits and hyphens"));
    assert!(refused("RILLCAST_NODE_NAME", "left one").contains("hyphens and underscores"));
    let nats = refused("RILLCAST_NATS", "http://u:pass@nats:4222");
    assert!(
        nats.contains("nats://10.0.0.5:4222") && !nats.contains("pass"),
        "{nats}"
    );
}
