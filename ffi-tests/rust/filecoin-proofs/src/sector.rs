//! A sector of 2 KiB.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use anyhow::Result;
use filecoin_proofs::{
    add_piece, encode_into, generate_empty_sector_update_proof, generate_window_post, generate_winning_post,
    seal_commit_phase1, seal_commit_phase2, seal_pre_commit_phase1, seal_pre_commit_phase2,
    verify_empty_sector_update_proof, verify_seal, verify_window_post, verify_winning_post, Commitment, PieceInfo,
    PoRepConfig, PoStConfig, PoStType, PrivateReplicaInfo, ProverId, PublicReplicaInfo, SealPreCommitOutput,
    SectorShape2KiB, SectorUpdateConfig, Ticket, UnpaddedBytesAmount, SECTOR_SIZE_2_KIB, WINDOW_POST_CHALLENGE_COUNT,
    WINNING_POST_CHALLENGE_COUNT, WINNING_POST_SECTOR_COUNT,
};
use storage_proofs_core::api_version::ApiVersion;
use storage_proofs_core::sector::SectorId;

use crate::steps::Steps;

/// Sectors that a window PoSt of this size proves in one circuit.
const WINDOW_POST_SECTORS: usize = 2;
/// Numbers that a chain would give; each is below the field's order.
const PROVER: ProverId = [5; 32];
const TICKET: Ticket = [6; 32];
const SEED: Ticket = [7; 32];
const RANDOMNESS: [u8; 32] = [8; 32];
const POREP_ID: [u8; 32] = [9; 32];

/// A sealed sector and its files.
pub struct Sector {
    config: PoRepConfig,
    id: SectorId,
    replica: PathBuf,
    cache: PathBuf,
    pieces: Vec<PieceInfo>,
    comm_r: Commitment,
    comm_d: Commitment,
}

impl Sector {
    /// Seals a sector in `folder`, which is made.
    pub fn seal(folder: &Path, steps: &mut Steps) -> Result<Self> {
        let config = PoRepConfig::new_groth16(SECTOR_SIZE_2_KIB, POREP_ID, ApiVersion::V1_2_0);
        let (id, replica, cache) = (SectorId::from(1), folder.join("replica"), folder.join("cache"));
        fs::create_dir_all(&cache)?;
        let staged = folder.join("staged");
        let pieces = vec![piece(&staged, 0)?];
        File::create(&replica)?;
        let phase1 = steps.take("pre-commit 1", || {
            seal_pre_commit_phase1::<_, _, _, SectorShape2KiB>(
                &config, &cache, &staged, &replica, PROVER, id, TICKET, &pieces,
            )
        })?;
        let SealPreCommitOutput { comm_r, comm_d } =
            steps.take("pre-commit 2", || seal_pre_commit_phase2(&config, phase1, &cache, &replica))?;
        Ok(Self { config, id, replica, cache, pieces, comm_r, comm_d })
    }

    /// PoRep.
    pub fn prove_replication(&self, steps: &mut Steps) -> Result<()> {
        let Self { config, id, comm_r, comm_d, .. } = self;
        let pre_commit = SealPreCommitOutput { comm_r: *comm_r, comm_d: *comm_d };
        let phase1 = steps.take("commit 1", || {
            seal_commit_phase1::<_, SectorShape2KiB>(
                config,
                &self.cache,
                &self.replica,
                PROVER,
                *id,
                TICKET,
                SEED,
                pre_commit,
                &self.pieces,
            )
        })?;
        let proof = steps.take("commit 2", || seal_commit_phase2(config, phase1, PROVER, *id))?.proof;
        steps.verify("verifying of PoRep", || {
            verify_seal::<SectorShape2KiB>(config, *comm_r, *comm_d, PROVER, *id, TICKET, SEED, &proof)
        })
    }

    /// Winning PoSt.
    pub fn prove_winning(&self, steps: &mut Steps) -> Result<()> {
        let config = post(PoStType::Winning, WINNING_POST_SECTOR_COUNT, WINNING_POST_CHALLENGE_COUNT);
        let replicas = [(self.id, self.private()?)];
        let proof = steps.take("winning PoSt", || generate_winning_post(&config, &RANDOMNESS, &replicas, PROVER))?;
        let public = [(self.id, PublicReplicaInfo::new(self.comm_r)?)];
        steps.verify("verifying of winning PoSt", || {
            verify_winning_post::<SectorShape2KiB>(&config, &RANDOMNESS, &public, PROVER, &proof)
        })
    }

    /// Window PoSt.
    pub fn prove_window(&self, steps: &mut Steps) -> Result<()> {
        let config = post(PoStType::Window, WINDOW_POST_SECTORS, WINDOW_POST_CHALLENGE_COUNT);
        let replicas = BTreeMap::from([(self.id, self.private()?)]);
        let proof = steps.take("window PoSt", || generate_window_post(&config, &RANDOMNESS, &replicas, PROVER))?;
        let public = BTreeMap::from([(self.id, PublicReplicaInfo::new(self.comm_r)?)]);
        steps.verify("verifying of window PoSt", || {
            verify_window_post::<SectorShape2KiB>(&config, &RANDOMNESS, &public, PROVER, &proof)
        })
    }

    /// New content, put into files in `folder`, which is made, and the proof that it is there.
    pub fn prove_update(&self, folder: &Path, steps: &mut Steps) -> Result<()> {
        let (replica, cache, staged) = (folder.join("replica"), folder.join("cache"), folder.join("staged"));
        fs::create_dir_all(&cache)?;
        let pieces = [piece(&staged, 1)?];
        File::create(&replica)?.set_len(SECTOR_SIZE_2_KIB)?;
        let config = SectorUpdateConfig::from_porep_config(&self.config);
        let encoded = steps.take("encoding of an update", || {
            encode_into::<SectorShape2KiB>(&config, &replica, &cache, &self.replica, &self.cache, &staged, &pieces)
        })?;
        let (comm_r, comm_d) = (encoded.comm_r_new, encoded.comm_d_new);
        let proof = steps.take("sector update", || {
            generate_empty_sector_update_proof::<SectorShape2KiB>(
                &self.config,
                self.comm_r,
                comm_r,
                comm_d,
                &self.replica,
                &self.cache,
                &replica,
                &cache,
            )
        })?;
        steps.verify("verifying of sector update", || {
            verify_empty_sector_update_proof::<SectorShape2KiB>(&self.config, &proof.0, self.comm_r, comm_r, comm_d)
        })
    }

    fn private(&self) -> Result<PrivateReplicaInfo<SectorShape2KiB>> {
        PrivateReplicaInfo::new(self.replica.clone(), self.comm_r, self.cache.clone())
    }
}

/// Writes a piece that fills a sector.
fn piece(staged: &Path, seed: u8) -> Result<PieceInfo> {
    let bytes = UnpaddedBytesAmount(SECTOR_SIZE_2_KIB / 128 * 127);
    let content: Vec<u8> = (0..bytes.0).map(|i| (i as u8).wrapping_mul(31).wrapping_add(seed)).collect();
    let (piece, _) = add_piece(content.as_slice(), File::create(staged)?, bytes, &[])?;
    Ok(piece)
}

fn post(typ: PoStType, sector_count: usize, challenge_count: usize) -> PoStConfig {
    let (sector_size, api_version) = (SECTOR_SIZE_2_KIB.into(), ApiVersion::V1_2_0);
    PoStConfig { sector_size, challenge_count, sector_count, typ, priority: true, api_version }
}
