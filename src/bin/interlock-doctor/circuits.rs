//! Filecoin's circuits: how their parameter files are called, and how large they are.
//!
//! Names: `parameters.json` of filecoin-proofs 19; which of two files of one sector size is window PoSt's and which winning PoSt's:
//! Curio, extern/cuzk/cuzk-core/src/srs_manager.rs, for 32 GiB, and the lengths of the verifying keys for 64 GiB.
//!
//! Sizes: counted by ffi-tests/rust/circuit-sizes, which synthesises the circuits of filecoin-proofs 19.1. They agree with what is
//! published: 130,278,869 constraints, 328 inputs and 130,169,893 private variables of PoRep (Curio's cuzk), 81,049,499 and 5 of a
//! sector update (rust-fil-proofs, storage-proofs-update/tests/circuit.rs), and files of 44 GiB, 57 GiB, 33 GiB and 184 MiB
//! (Curio, extern/cuzk/cuzk-memory-manager.md).

use interlock::prove::Sizes;

/// One of Filecoin's circuits.
#[derive(Debug)]
pub struct Circuit {
    /// What it is called in the report.
    pub name: &'static str,
    /// The name of its files, without their suffix and what is before the first dash.
    file: &'static str,
    /// Its sizes.
    pub sizes: Sizes,
}

const fn sizes(domain_log2: usize, inputs: usize, aux: usize, a: usize, b: usize) -> Sizes {
    Sizes { domain_log2, inputs, aux, a, b, circuits: 1 }
}

/// All of them.
pub const ALL: [Circuit; 8] = [
    Circuit {
        name: "PoRep 32 GiB",
        file: "stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820",
        sizes: sizes(27, 328, 130_169_893, 129_753_620, 33_112_282),
    },
    Circuit {
        name: "PoRep 64 GiB",
        file: "stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-2-sha256_hasher-96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2",
        sizes: sizes(27, 328, 131_076_643, 130_637_870, 33_386_944),
    },
    Circuit {
        name: "window PoSt 32 GiB",
        file: "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-0-0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc",
        sizes: sizes(27, 25_840, 126_902_376, 96_205_645, 91_925_767),
    },
    Circuit {
        name: "window PoSt 64 GiB",
        file: "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-2-2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def",
        sizes: sizes(27, 25_301, 131_500_200, 99_649_801, 95_413_201),
    },
    Circuit {
        name: "winning PoSt 32 GiB",
        file: "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-0-559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e",
        sizes: sizes(19, 133, 375_210, 284_329, 272_185),
    },
    Circuit {
        name: "winning PoSt 64 GiB",
        file: "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-2-b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c",
        sizes: sizes(19, 133, 396_000, 299_971, 287_695),
    },
    Circuit {
        name: "sector update 32 GiB",
        file: "empty-sector-update-merkletree-poseidon_hasher-8-8-0-3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18",
        sizes: sizes(27, 5, 80_978_488, 80_743_586, 20_983_608),
    },
    Circuit {
        name: "sector update 64 GiB",
        file: "empty-sector-update-merkletree-poseidon_hasher-8-8-2-102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7",
        sizes: sizes(27, 5, 84_931_220, 84_682_730, 22_012_684),
    },
];

/// The circuit of a file of this name without its suffix, whatever the version before the first dash.
pub fn of_file(stem: &str) -> Option<&'static Circuit> {
    let (_version, name) = stem.split_once('-')?;
    ALL.iter().find(|circuit| circuit.file == name)
}

#[cfg(test)]
mod tests {
    use interlock::prove::plan;

    use super::*;

    #[test]
    fn files_are_known_by_name() {
        for circuit in &ALL {
            assert_eq!(of_file(&format!("v28-{}", circuit.file)).unwrap().name, circuit.name);
        }
        assert!(of_file("v28-something").is_none());
        assert!(of_file(ALL[0].file.split_once('-').unwrap().1).is_none());
    }

    #[test]
    fn sizes_make_plans_and_files_of_about_the_published_length() {
        let published = [("PoRep", 44.0), ("window PoSt", 57.0), ("winning PoSt", 0.18), ("sector update", 33.0)];
        for circuit in &ALL {
            plan(&circuit.sizes, 16 << 30).unwrap();
            let Sizes { domain_log2, inputs, aux, a, b, .. } = circuit.sizes;
            let bytes = (inputs + (1 << domain_log2) - 1 + aux + a + b) * 96 + b * 192;
            let (_, gib) = published.iter().find(|(kind, _)| circuit.name.starts_with(kind)).unwrap();
            assert!((bytes as f64 / f64::from(1 << 30) / gib - 1.0).abs() < 0.05, "{}: {bytes}", circuit.name);
        }
    }
}
