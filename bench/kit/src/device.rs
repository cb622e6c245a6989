//! The arithmetic on a GPU.

use std::ffi::{c_char, c_int, c_void, CString};

use blst::blst_fr;
use interlock::kit::{check, fr_mul, DeviceBuffer, DeviceGuard, Stream};

use crate::check::{Engine, Plain};
use crate::inputs::{self, Random};
use crate::operations::blst_out;
use blst::blst_fr_mul;

extern "C" {
    fn kit_device(name: *const c_char, out: *mut c_void, input: *const c_void, n: usize, stream: *mut c_void) -> c_int;
}

/// A GPU.
pub struct Device {
    pub ordinal: usize,
    pub stream: Stream,
    _current: DeviceGuard,
}

impl Device {
    /// The first that this build has code for.
    pub fn first() -> Result<Self, String> {
        let devices = interlock::devices().map_err(|error| error.to_string())?;
        let ordinal = devices.iter().position(|device| device.supported).ok_or("no device is supported")?;
        let guard = DeviceGuard::set(ordinal).map_err(|error| error.to_string())?;
        Ok(Self { ordinal, stream: Stream::new().map_err(|error| error.to_string())?, _current: guard })
    }
}

impl Engine for Device {
    fn run<In: Plain, Out: Plain + Default>(&self, name: &str, input: &[In]) -> Result<Vec<Out>, String> {
        let c_name = CString::new(name).map_err(|error| error.to_string())?;
        let run = || {
            let n = input.len();
            let input = DeviceBuffer::from_host(input, &self.stream)?;
            // All ones, so that a result that is not written is wrong.
            let out = DeviceBuffer::from_host(&vec![[u64::MAX; 2]; size_of::<Out>() * n / 16], &self.stream)?;
            // SAFETY: the operation reads and writes `n` values of the types that operations.rs gives for its name.
            let status =
                unsafe { kit_device(c_name.as_ptr(), out.as_raw(), input.as_raw(), n, self.stream.as_raw().cast()) };
            check("kit_device", status)?;
            let words: Vec<[u64; 2]> = out.to_host(&self.stream)?;
            // SAFETY: any bytes are a value of `Out`, and there are as many as `n` of them take; unaligned reads.
            Ok((0..n).map(|i| unsafe { words.as_ptr().cast::<Out>().add(i).read_unaligned() }).collect())
        };
        run().map_err(|error: interlock::Error| format!("{name}: {error}"))
    }
}

/// The library's launcher of products in Fr, on `n` elements.
pub fn pointwise(device: &Device, n: usize, seed: u64) -> Result<usize, String> {
    let pairs = inputs::pairs::<blst_fr>(n, &mut Random(seed));
    let (a, b): (Vec<_>, Vec<_>) = pairs.iter().map(|pair| (pair.a, pair.b)).unzip();
    let run = || {
        let a = DeviceBuffer::from_host(&a, &device.stream)?;
        let b = DeviceBuffer::from_host(&b, &device.stream)?;
        let mut out = DeviceBuffer::new(n)?;
        fr_mul(&mut out, &a, &b, &device.stream)?;
        out.to_host(&device.stream)
    };
    let products: Vec<blst_fr> = run().map_err(|error: interlock::Error| error.to_string())?;
    for (pair, product) in pairs.iter().zip(&products) {
        if *product != blst_out!(blst_fr, blst_fr_mul(&pair.a, &pair.b)) {
            return Err(format!("interlock_fr_mul of {pair:x?} is {product:x?}"));
        }
    }
    Ok(products.len())
}
