//! Filecoin's circuits: how their parameter files are called, and how large they are.
//!
//! Names: `parameters.json` of filecoin-proofs 19. Which of two files of one sector size is window PoSt's and which winning PoSt's:
//! Curio, extern/cuzk/cuzk-core/src/srs_manager.rs, for 32 GiB; by the verifying keys' lengths for 64 GiB. Sizes:
//! - PoRep: Curio, extern/cuzk, whose pre-compiled circuit has 130,278,869 constraints, 328 inputs and 130,169,893 private variables,
//!   and whose densities were counted there; 64 GiB: its cuzk-project.md, which gives the same domain and length of the file.
//! - Sector update: 81,049,499 constraints, rust-fil-proofs, storage-proofs-update/tests/circuit.rs.
//! - Window PoSt: about 125 million constraints, cuzk-project.md; 2349 sectors of 10 challenges are the inputs.
//! - How long the files are, 57 GiB, 33 GiB and 184 MiB: cuzk-memory-manager.md. With a variable a constraint, that leaves the
//!   numbers of points in the b query that stand here.
//! - Domains for 64 GiB: no less than those for 32 GiB, whose trees are one layer lower, and 2^27 at most, for which the first phase
//!   of the ceremony was (arielgabizon/perpetualpowersoftau). That of winning PoSt: a file of 184 MiB allows no other.

use interlock::prove::Sizes;

/// One of Filecoin's circuits.
#[derive(Debug)]
pub struct Circuit {
    /// What it is called in the report.
    pub name: &'static str,
    /// The name of its files, without their suffix and what is before the first dash.
    file: &'static str,
    /// log2 of the domain's size.
    pub domain_log2: usize,
    /// Its sizes, as far as they are known without the file.
    pub sizes: Option<Sizes>,
}

const fn sizes(inputs: usize, aux: usize, a: usize, b: usize) -> Option<Sizes> {
    Some(Sizes { domain_log2: 27, inputs, aux, a: inputs + a, b, circuits: 1 })
}

/// All of them.
pub const ALL: [Circuit; 8] = [
    Circuit {
        name: "PoRep 32 GiB",
        file: "stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-0-sha256_hasher-82a357d2f2ca81dc61bb45f4a762807aedee1b0a53fd6c4e77b46a01bfef7820",
        domain_log2: 27,
        sizes: sizes(328, 130_169_893, 129_779_383, 33_063_153),
    },
    Circuit {
        name: "PoRep 64 GiB",
        file: "stacked-proof-of-replication-merkletree-poseidon_hasher-8-8-2-sha256_hasher-96f1b4a04c5c51e4759bbf224bbc2ef5a42c7100f16ec0637123f16a845ddfb2",
        domain_log2: 27,
        sizes: sizes(328, 130_169_893, 129_779_383, 33_063_153),
    },
    Circuit {
        name: "window PoSt 32 GiB",
        file: "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-0-0377ded656c6f524f1618760bffe4e0a1c51d5a70c4509eedae8a27555733edc",
        domain_log2: 27,
        sizes: sizes(25_840, 125_000_000, 125_000_000, 84_400_000),
    },
    Circuit {
        name: "window PoSt 64 GiB",
        file: "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-2-2627e4006b67f99cef990c0a47d5426cb7ab0a0ad58fc1061547bf2d28b09def",
        domain_log2: 27,
        sizes: None,
    },
    Circuit {
        name: "winning PoSt 32 GiB",
        file: "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-0-559e581f022bb4e4ec6e719e563bf0e026ad6de42e56c18714a2c692b1b88d7e",
        domain_log2: 19,
        sizes: None,
    },
    Circuit {
        name: "winning PoSt 64 GiB",
        file: "proof-of-spacetime-fallback-merkletree-poseidon_hasher-8-8-2-b62098629d07946e9028127e70295ed996fe3ed25b0f9f88eb610a0ab4385a3c",
        domain_log2: 19,
        sizes: None,
    },
    Circuit {
        name: "sector update 32 GiB",
        file: "empty-sector-update-merkletree-poseidon_hasher-8-8-0-3b7f44a9362e3985369454947bc94022e118211e49fd672d52bec1cbfd599d18",
        domain_log2: 27,
        sizes: sizes(328, 81_049_499, 81_049_499, 24_300_000),
    },
    Circuit {
        name: "sector update 64 GiB",
        file: "empty-sector-update-merkletree-poseidon_hasher-8-8-2-102e1444a7e9a97ebf1e3d6855dcc77e66c011ea66f936d9b2c508f87f2f83a7",
        domain_log2: 27,
        sizes: None,
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
    fn sizes_make_plans_and_files_of_the_published_length() {
        for (circuit, gib) in ALL.iter().filter(|circuit| circuit.sizes.is_some()).zip([44.1, 44.1, 57.0, 33.0]) {
            let sizes = circuit.sizes.unwrap();
            assert_eq!(sizes.domain_log2, circuit.domain_log2);
            plan(&sizes, 16 << 30).unwrap();
            let points = sizes.inputs + (1 << sizes.domain_log2) - 1 + sizes.aux + sizes.a + sizes.b;
            let bytes = points * 96 + sizes.b * 192;
            assert!((bytes as f64 / f64::from(1 << 30) - gib).abs() < 0.1, "{}: {bytes}", circuit.name);
        }
    }
}
