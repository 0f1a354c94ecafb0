//! Compiled code that is cached between two loads of a plugin.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use plugins::engine::{
    CallKind, CodeCache, Engine, EngineSource, Instance, InstanceSpec, StartError,
};
use proptest::prelude::*;

use crate::engine_kit::{FakeHost, PATIENT, built_engine, engine, returning, spec};

/// A plugin of two modules, as `service-plugin-py` bundles it.
const BUNDLE: &str = r#"
def _load_bundle(modules, entry_file, entry):
    import importlib.util, linecache, sys
    def compiled(text, file):
        linecache.cache[file] = (len(text), None, [line + "\n" for line in text.split("\n")], file)
        return compile(text, file, "exec", dont_inherit=True)
    class Bundle:
        def find_spec(self, name, path=None, target=None):
            if name in modules:
                return importlib.util.spec_from_loader(name, self, origin=modules[name][0])
        def create_module(self, spec):
            return None
        def exec_module(self, module):
            file, text = modules[module.__name__]
            exec(compiled(text, file), module.__dict__)
    sys.meta_path.insert(0, Bundle())
    return compiled(entry, entry_file)

exec(_load_bundle({
"helper": ("src/helper.py", "def fail():\n    word = 1\n    return word + nothing\n"),
}, "src/plugin.py",
"from service_plugin import plugin\n"
"import helper\n"
"@plugin.on_page_styles\n"
"def run():\n"
"    return helper.fail()\n"
))
"#;
const SLUG: &str = "tried";

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self) -> PathBuf {
        self.file_of(SLUG)
    }

    fn file_of(&self, slug: &str) -> PathBuf {
        self.0.path().join(format!("{slug}.code"))
    }

    fn spec(&self, slug: &str, source: &str) -> InstanceSpec {
        let folder = CodeCache::new(self.0.path().to_owned());
        InstanceSpec {
            slug: slug.into(),
            code: Some(folder.of(slug)),
            ..spec(source, &FakeHost::new(), &Arc::default())
        }
    }

    async fn start(&self, source: &str) -> Instance {
        self.start_as(SLUG, source).await
    }

    async fn start_as(&self, slug: &str, source: &str) -> Instance {
        engine().start(self.spec(slug, source)).await.unwrap().0
    }

    /// The number of texts that a load compiles.
    async fn compiled(&self, source: &str) -> u32 {
        self.start(source).await.compiled()
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        names.collect()
    }
}

async fn styles(instance: &mut Instance) -> Result<String, String> {
    let answer = instance.call(CallKind::Styles, "", PATIENT).await;
    answer.map_err(|error| error.to_string())
}

#[tokio::test]
async fn the_second_load_compiles_nothing() {
    let folder = Folder::new();
    assert_eq!(folder.compiled(BUNDLE).await, 3);
    let written = fs::read(folder.file()).unwrap();
    assert_eq!(folder.compiled(BUNDLE).await, 0);
    assert_eq!(fs::read(folder.file()).unwrap(), written);
    assert_eq!(folder.files(), ["tried.code"]);
}

#[tokio::test]
async fn without_a_place_for_it_every_load_compiles() {
    for _ in 0..2 {
        let spec = spec(BUNDLE, &FakeHost::new(), &Arc::default());
        assert_eq!(engine().start(spec).await.unwrap().0.compiled(), 3);
    }
}

#[tokio::test]
async fn errors_name_the_same_lines_whether_the_code_was_kept_or_not() {
    let folder = Folder::new();
    let mut first = folder.start(BUNDLE).await;
    let mut second = folder.start(BUNDLE).await;
    assert_eq!(second.compiled(), 0);
    let told = styles(&mut second).await.unwrap_err();
    assert_eq!(styles(&mut first).await.unwrap_err(), told);
    assert!(
        told.contains(
            "File \"src/helper.py\", line 3, in fail\n    return word + nothing\n                  ^^^^^^^"
        ),
        "{told}"
    );
    assert!(told.contains("File \"src/plugin.py\", line 5, in run\n    return helper.fail()"));
}

#[tokio::test]
async fn changed_source_is_compiled_anew() {
    let folder = Folder::new();
    folder.start(&returning("return 'old'")).await;
    let changed = returning("return 'new'");
    let mut instance = folder.start(&changed).await;
    assert_eq!(instance.compiled(), 1);
    assert_eq!(styles(&mut instance).await.unwrap(), "new");
    assert_eq!(folder.compiled(&changed).await, 0);
}

/// An engine with the same code and a different hash.
fn other_engine(scratch: &Path) -> Engine {
    let file = scratch.join("other.cwasm");
    let mut code = fs::read(built_engine()).unwrap();
    // After everything that is read.
    code.extend([0; 8]);
    fs::write(&file, code).unwrap();
    Engine::open(&EngineSource::File(file), scratch).unwrap()
}

#[tokio::test]
async fn another_engine_compiles_anew() {
    let folder = Folder::new();
    let source = returning("return 1");
    folder.start(&source).await;
    let other = other_engine(folder.0.path());
    let (instance, _) = other.start(folder.spec(SLUG, &source)).await.unwrap();
    assert_eq!(instance.compiled(), 1);
}

#[tokio::test]
async fn what_was_changed_or_cut_off_is_ignored_and_written_anew() {
    let folder = Folder::new();
    let source = returning("return 'well'");
    folder.start(&source).await;
    let whole = fs::read(folder.file()).unwrap();
    let mut changed = whole.clone();
    *changed.last_mut().unwrap() ^= 1;
    let oversized = vec![b'A'; 5 * 1024 * 1024];
    for wrong in [
        &changed[..],
        &whole[..whole.len() / 2],
        &whole[..10],
        b"",
        b"\xff",
        &oversized,
    ] {
        fs::write(folder.file(), wrong).unwrap();
        let mut instance = folder.start(&source).await;
        assert_eq!(instance.compiled(), 1);
        assert_eq!(styles(&mut instance).await.unwrap(), "well");
        assert_eq!(folder.compiled(&source).await, 0);
    }
}

#[tokio::test]
async fn what_another_plugin_wrote_is_ignored_though_the_source_is_the_same() {
    let folder = Folder::new();
    let source = returning("return 1");
    folder.start_as("other", &source).await;
    fs::copy(folder.file_of("other"), folder.file()).unwrap();
    assert_eq!(folder.compiled(&source).await, 1);
}

#[tokio::test]
async fn a_place_that_cannot_be_written_to_costs_only_the_compiling() {
    let folder = Folder::new();
    fs::create_dir(folder.file()).unwrap();
    let source = returning("return 1");
    for _ in 0..2 {
        assert_eq!(folder.compiled(&source).await, 1);
    }
    assert_eq!(folder.files(), ["tried.code"]);
}

/// A plugin that tampers with its own cached code. The lines run in its module body.
fn forging(lines: &str) -> String {
    let forged = "import marshal, service_plugin._compiler as theirs\n";
    format!("{forged}{lines}\n{}", returning("return 'honest'"))
}

#[tokio::test]
async fn a_plugin_that_forges_its_code_forges_it_for_itself_alone() {
    let folder = Folder::new();
    let source = forging(
        "evil = compile('from service_plugin import plugin\\nplugin.on_page_styles(lambda: \"evil\")', 'plugin.py', 'exec')\n\
         theirs.Compiler.to_keep = lambda self: theirs.binascii.b2a_base64(marshal.dumps((evil, {}))).decode()\n\
         marshal.dumps = lambda value, dumps=marshal.dumps: dumps((evil, {}))\n\
         __builtins__['compile'] = lambda *args, **more: evil",
    );
    folder.start_as("evil", &source).await;
    let mut itself = folder.start_as("evil", &source).await;
    assert_eq!(styles(&mut itself).await.unwrap(), "evil");
    for (slug, source) in [
        ("tried", source.as_str()),
        ("evil", &returning("return 'mine'")),
    ] {
        let mut other = folder.start_as(slug, source).await;
        assert_eq!(other.compiled(), 1, "{slug}");
        assert_ne!(styles(&mut other).await.unwrap(), "evil");
    }
}

#[tokio::test]
async fn code_that_ends_the_instance_is_forgotten_and_the_plugin_starts() {
    let folder = Folder::new();
    // A code object with garbage instructions, behind a module body that works the first time.
    let source = forging(
        "bad = (lambda: 0).__code__.replace(co_code=bytes([255, 255] * 64), co_stacksize=1, co_consts=())\n\
         theirs.Compiler.to_keep = lambda self: theirs.binascii.b2a_base64(marshal.dumps((bad, {}))).decode()",
    );
    folder.start(&source).await;
    let mut instance = folder.start(&source).await;
    assert_eq!(instance.compiled(), 1);
    assert_eq!(styles(&mut instance).await.unwrap(), "honest");
}

#[tokio::test]
async fn code_that_fails_is_forgotten() {
    let folder = Folder::new();
    let source = forging(
        "bad = compile('1 / 0', 'plugin.py', 'exec')\n\
         theirs.Compiler.to_keep = lambda self: theirs.binascii.b2a_base64(marshal.dumps((bad, {}))).decode()",
    );
    folder.start(&source).await;
    let failed = engine().start(folder.spec(SLUG, &source)).await;
    assert!(matches!(failed, Err(StartError::Plugin(_))));
    assert!(!folder.file().exists());
    assert_eq!(folder.compiled(&source).await, 1);
}

#[tokio::test]
async fn a_plugin_that_gives_too_much_to_keep_starts_and_nothing_is_kept() {
    let folder = Folder::new();
    let source = forging("theirs.Compiler.to_keep = lambda self: 'A' * (5 << 20)");
    for _ in 0..2 {
        assert_eq!(folder.compiled(&source).await, 1);
    }
    assert!(folder.files().is_empty());
}

#[tokio::test]
async fn code_of_plugins_that_are_gone_is_deleted() {
    let folder = Folder::new();
    let source = returning("return 1");
    for slug in ["stays", "goes"] {
        folder.start_as(slug, &source).await;
    }
    fs::write(folder.0.path().join("goes.code-7"), "half of it").unwrap();
    let kept = CodeCache::new(folder.0.path().to_owned());
    kept.retain(["stays".to_owned()].into()).await;
    assert_eq!(folder.files(), ["stays.code"]);
    CodeCache::new(Path::new("/nowhere").into())
        .retain([].into())
        .await;
}

/// Whether a plugin starts with this garbage in its cache, under a valid seal.
async fn starts_with(folder: &Folder, garbage: &[u8]) -> bool {
    let source = forging(&format!(
        "theirs.Compiler.to_keep = lambda self: theirs.binascii.b2a_base64({}).decode()",
        python_bytes(garbage)
    ));
    folder.start(&source).await;
    let mut instance = folder.start(&source).await;
    styles(&mut instance).await.unwrap() == "honest"
}

fn python_bytes(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("\\x{byte:02x}")).collect();
    format!("b'{digits}'")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn garbage_under_a_good_seal_never_breaks_a_load(
        // Type codes of Python's marshal format are more likely to get somewhere than other bytes.
        garbage in prop::collection::vec(
            prop_oneof![any::<u8>(), prop::sample::select(b"c(){<[sitNTF.lugzaArRI>?\xe3\xa9\xdb\xf3\0\x01".to_vec())],
            1..64,
        )
    ) {
        let runtime = tokio::runtime::Runtime::new().unwrap();
        prop_assert!(runtime.block_on(starts_with(&Folder::new(), &garbage)));
    }
}
