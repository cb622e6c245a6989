//! What another prover needs for such work, as measured and not run here.

/// Whose numbers these are.
pub const SOURCE: &str = "supraseal-c2 0.1.2 on the same GPU model (NVIDIA H200, 16 CPU cores, CUDA 13.0), warm";

/// A measurement.
pub struct Peer {
    pub log2: u32,
    /// Name of the mix that its circuit had.
    pub mix: &'static str,
    pub seconds: f64,
    /// In what its work differs from ours.
    pub remark: &'static str,
}

const fn twelve(log2: u32, seconds: f64, remark: &'static str) -> Peer {
    Peer { log2, mix: crate::work::TWELVE.name, seconds, remark }
}

const PEERS: [Peer; 6] = [
    Peer { log2: 22, mix: crate::work::POREP.name, seconds: 0.20, remark: "the 2 KiB circuit, 2.69 M constraints" },
    twelve(20, 0.37, "b 35 % dense"),
    twelve(22, 0.87, ""),
    twelve(24, 2.67, ""),
    twelve(26, 15.1, "b 35 % dense"),
    twelve(27, 23.1, "b 35 % dense"),
];

/// Seconds to load parameters from the page cache, by the domain's logarithm.
const LOADING: [(u32, f64); 5] = [(20, 0.5), (22, 0.8), (24, 3.3), (26, 12.0), (27, 23.1)];

/// Its proof of a circuit of this size and mix.
pub fn proof(log2: u32, mix: &str) -> Option<&'static Peer> {
    PEERS.iter().find(|peer| peer.log2 == log2 && peer.mix == mix)
}

/// Its seconds to load parameters of this size.
pub fn loading(log2: u32) -> Option<f64> {
    LOADING.iter().find(|(of, _)| *of == log2).map(|(_, seconds)| *seconds)
}
