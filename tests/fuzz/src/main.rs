//! Fuzzes one dialect with libFuzzer: the laws of streams against inputs that it grows by
//! what they make the program do. `run` beside this builds and starts it.
//!
//! WEIR_DIALECT names the dialect, so every row of the table of dialects is a target and a
//! new one is a target at once. WEIR_FUZZ_FOLDER is where the seeds and the dictionary are
//! put before libFuzzer looks for them.
#![no_main]
#![allow(unsafe_code, reason = "the macros that hand inputs over from C")]

#[path = "../../src/checksums.rs"]
mod checksums;
#[path = "../../src/laws.rs"]
mod laws;
#[allow(
    dead_code,
    reason = "the tests ruin whole streams, this one a bit at a time"
)]
#[path = "../../src/ruin.rs"]
mod ruin;
#[path = "../../src/seeds.rs"]
mod seeds;
mod words;

use std::path::Path;
use std::sync::LazyLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use weir_core::source::DIALECTS;
use weir_core::source::dialect::Dialect;

use ruin::{Dice, ruin};

static DIALECT: LazyLock<&'static Dialect> = LazyLock::new(|| {
    let name = std::env::var("WEIR_DIALECT").unwrap_or_default();
    let known = DIALECTS.iter().find(|dialect| dialect.name == name);
    known.unwrap_or_else(|| {
        let names: Vec<&str> = DIALECTS.iter().map(|dialect| dialect.name).collect();
        eprintln!("WEIR_DIALECT is to be one of: {}", names.join(" "));
        std::process::exit(2)
    })
});

fuzz_target!(
    init: prepare(),
    |bytes: &[u8]| {
        if let Some(law) = laws::broken(&DIALECT, bytes) {
            panic!("{}: {law}", DIALECT.name);
        }
    }
);

// Half of the time as libFuzzer would, half of the time where it would hardly get.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if seed % 2 == 0 {
        return fuzzer_mutate(data, size, max_size);
    }
    let mut dice = Dice::new(u64::from(seed));
    let (_, other) = seeds::SEEDS[dice.below(seeds::SEEDS.len())];
    let mut bytes = data[..size].to_vec();
    ruin(&mut bytes, other, &mut dice);
    let size = bytes.len().min(max_size);
    data[..size].copy_from_slice(&bytes[..size]);
    size
});

fn prepare() {
    // Before all else, so that one that is started without a dialect says which there are.
    let dialect = *DIALECT;
    if let Some(folder) = std::env::var_os("WEIR_FUZZ_FOLDER")
        && let Err(error) = write_seeds(dialect, Path::new(&folder))
    {
        panic!("no seeds in {}: {error}", folder.display());
    }
}

fn write_seeds(dialect: &Dialect, folder: &Path) -> std::io::Result<()> {
    let seeds = seeds::of(dialect.name);
    let corpus = folder.join("corpus");
    std::fs::create_dir_all(&corpus)?;
    std::fs::write(folder.join("dictionary"), words::dictionary(&seeds))?;
    for (number, seed) in seeds.iter().enumerate() {
        std::fs::write(corpus.join(format!("seed-{number}")), seed)?;
    }
    Ok(())
}
