//! Creates the folder that the user interface is embedded from, so that `cargo build` works without Node.

fn main() {
    let dist = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../ui/dist");
    println!("cargo::rerun-if-changed={}", dist.display());
    if !dist.join("index.html").is_file() {
        println!("cargo::warning=ui/dist is not built: pages will say so; `make build` builds it");
        if let Err(error) = std::fs::create_dir_all(&dist) {
            println!("cargo::error=cannot create {}: {error}", dist.display());
        }
    }
}
