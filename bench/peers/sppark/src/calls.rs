//! What cuda/peer.cu offers.

use blst::{blst_p1, blst_p1_affine};

use crate::field::Fr;

extern "C" {
    fn peer_msm(
        out: *mut blst_p1,
        tile: *const blst_p1_affine,
        tile_len: usize,
        n: usize,
        scalars: *mut Fr,
        seconds: *mut f64,
        runs: usize,
    ) -> sppark::Error;
    fn peer_h(log2: u32, values: *mut Fr, h: *mut Fr, seconds: *mut f64, runs: usize) -> sppark::Error;
}

/// The MSM of scalars that are made on the device and of the points of `tile` over and over.
pub struct Msm {
    pub scalars: Vec<Fr>,
    pub sum: blst_p1,
    /// Of each run, wall clock from the call to the point on the host.
    pub seconds: Vec<f64>,
}

/// Runs the MSM of 2^`log2` terms `runs` times; `tile` has a power of two of points, 2^`log2` at most.
///
/// # Errors
/// What sppark says.
pub fn msm(log2: u32, tile: &[blst_p1_affine], runs: usize) -> Result<Msm, String> {
    assert!(tile.len().is_power_of_two() && tile.len() <= 1 << log2, "a tile of {} points for 2^{log2}", tile.len());
    let mut done = Msm { scalars: vec![Fr::default(); 1 << log2], sum: blst_p1::default(), seconds: vec![0.0; runs] };
    let Msm { scalars, sum, seconds } = &mut done;
    // SAFETY: sppark's points and scalars have blst's layouts; as many are read and written as the vectors hold.
    let error = unsafe {
        let n = scalars.len();
        peer_msm(sum, tile.as_ptr(), tile.len(), n, scalars.as_mut_ptr(), seconds.as_mut_ptr(), runs)
    };
    checked(error).map(|()| done)
}

/// Seconds of `runs` runs of the seven transforms for h over 2^`log2` points that are in device memory.
///
/// # Errors
/// What sppark says.
pub fn h_times(log2: u32, runs: usize) -> Result<Vec<f64>, String> {
    let mut seconds = vec![0.0; runs];
    // SAFETY: as many times are written as there is room for; no values are asked for.
    let error = unsafe { peer_h(log2, std::ptr::null_mut(), std::ptr::null_mut(), seconds.as_mut_ptr(), runs) };
    checked(error).map(|()| seconds)
}

/// The values of a, b and c over the domain of 2^`log2` points, and h's coefficients.
///
/// # Errors
/// What sppark says.
pub fn h(log2: u32) -> Result<([Vec<Fr>; 3], Vec<Fr>), String> {
    let m = 1 << log2;
    let (mut values, mut h) = (vec![Fr::default(); 3 * m], vec![Fr::default(); m]);
    // SAFETY: three vectors of m are written to the first, one to the second, and no time.
    let error = unsafe { peer_h(log2, values.as_mut_ptr(), h.as_mut_ptr(), std::ptr::null_mut(), 0) };
    checked(error)?;
    let c = values.split_off(2 * m);
    let b = values.split_off(m);
    Ok(([values, b, c], h))
}

fn checked(error: sppark::Error) -> Result<(), String> {
    if error.code == 0 {
        Ok(())
    } else {
        Err(format!("sppark: {error}, code {}", error.code))
    }
}
