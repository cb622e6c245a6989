//! Counts the circuits of sectors of 32 and 64 GiB, as filecoin-proofs synthesises them: constraints, variables, and points of the
//! queries.

mod count;

use anyhow::{bail, Result};
use bellpepper_core::Circuit;
use blstrs::Scalar;
use filecoin_proofs::constants::DefaultPieceHasher;
use filecoin_proofs::parameters::{public_params, window_post_public_params, winning_post_public_params};
use filecoin_proofs::{
    MerkleTreeTrait, PoRepConfig, PoStConfig, PoStType, SectorShape2KiB, SectorShape32GiB, SectorShape64GiB,
    TreeRHasher, SECTOR_SIZE_2_KIB, SECTOR_SIZE_32_GIB, SECTOR_SIZE_64_GIB, WINDOW_POST_CHALLENGE_COUNT,
    WINDOW_POST_SECTOR_COUNT, WINNING_POST_CHALLENGE_COUNT, WINNING_POST_SECTOR_COUNT,
};
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::compound_proof::CompoundProof;
use storage_proofs_porep::stacked::{StackedCircuit, StackedCompound, StackedDrg};
use storage_proofs_post::fallback::{FallbackPoSt, FallbackPoStCircuit, FallbackPoStCompound};
use storage_proofs_update::circuit::EmptySectorUpdateCircuit;
use storage_proofs_update::compound::EmptySectorUpdateCompound;
use storage_proofs_update::{EmptySectorUpdate, PublicParams};

use count::Count;

const USAGE: &str = "usage: circuit-sizes porep|winning|window|update 2KiB|32GiB|64GiB";

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, size] = arguments.as_slice() else { bail!(USAGE) };
    let counted = match size.as_str() {
        "2KiB" => count::<SectorShape2KiB>(kind, SECTOR_SIZE_2_KIB)?,
        "32GiB" => count::<SectorShape32GiB>(kind, SECTOR_SIZE_32_GIB)?,
        "64GiB" => count::<SectorShape64GiB>(kind, SECTOR_SIZE_64_GIB)?,
        _ => bail!(USAGE),
    };
    let [log2, constraints, inputs, aux, a, b] = counted.sizes();
    println!(
        "{kind} {size}: domain 2^{log2}, {constraints} constraints, {inputs} inputs, {aux} aux, {a} in a, {b} in b"
    );
    Ok(())
}

fn count<Tree: 'static + MerkleTreeTrait<Hasher = TreeRHasher>>(kind: &str, size: u64) -> Result<Count> {
    match kind {
        "porep" => {
            let params = public_params::<Tree>(&PoRepConfig::new_groth16(size, [9; 32], ApiVersion::V1_2_0))?;
            synthesised(<StackedCompound<Tree, DefaultPieceHasher> as CompoundProof<
                StackedDrg<'_, Tree, DefaultPieceHasher>,
                StackedCircuit<Tree, DefaultPieceHasher>,
            >>::blank_circuit(&params))
        }
        "winning" => {
            let (sectors, challenges) = (WINNING_POST_SECTOR_COUNT, WINNING_POST_CHALLENGE_COUNT);
            let params = winning_post_public_params::<Tree>(&post(size, PoStType::Winning, sectors, challenges))?;
            synthesised(<FallbackPoStCompound<Tree> as CompoundProof<
                FallbackPoSt<'_, Tree>,
                FallbackPoStCircuit<Tree>,
            >>::blank_circuit(&params))
        }
        "window" => {
            let sectors = WINDOW_POST_SECTOR_COUNT.read().expect("nobody writes it")[&size];
            let config = post(size, PoStType::Window, sectors, WINDOW_POST_CHALLENGE_COUNT);
            let params = window_post_public_params::<Tree>(&config)?;
            synthesised(<FallbackPoStCompound<Tree> as CompoundProof<
                FallbackPoSt<'_, Tree>,
                FallbackPoStCircuit<Tree>,
            >>::blank_circuit(&params))
        }
        "update" => synthesised(<EmptySectorUpdateCompound<Tree> as CompoundProof<
            EmptySectorUpdate<Tree>,
            EmptySectorUpdateCircuit<Tree>,
        >>::blank_circuit(&PublicParams::from_sector_size(size))),
        _ => bail!(USAGE),
    }
}

fn synthesised(circuit: impl Circuit<Scalar>) -> Result<Count> {
    let mut count = Count::begin();
    circuit.synthesize(&mut count)?;
    Ok(count)
}

fn post(size: u64, typ: PoStType, sector_count: usize, challenge_count: usize) -> PoStConfig {
    PoStConfig {
        sector_size: size.into(),
        challenge_count,
        sector_count,
        typ,
        priority: true,
        api_version: ApiVersion::V1_2_0,
    }
}
