//! What CUDA says of this machine's GPUs.

use std::ffi::{c_int, CStr};

use super::{absence, archs, status, DeviceInfo};
use crate::error::Error;
use crate::sys;

const ARCHS: &str = env!("ARCHS_OF_INTERLOCK");
const PTX: &str = env!("PTX_OF_INTERLOCK");

/// The GPUs in CUDA's order, one of which at least this build has code for.
pub fn devices() -> Result<Vec<DeviceInfo>, Error> {
    let devices = visible_devices()?;
    if !devices.iter().any(|device| device.supported) {
        return Err(Error::NoGpu { why: absence::no_code(&devices, ARCHS) });
    }
    Ok(devices)
}

/// All GPUs in CUDA's order.
pub fn visible_devices() -> Result<Vec<DeviceInfo>, Error> {
    let mut count = 0;
    // SAFETY: one number is written.
    let code = unsafe { sys::cudaGetDeviceCount(&mut count) };
    if code != sys::SUCCESS || count == 0 {
        status::forget_last_error();
        return Err(Error::NoGpu { why: why_none(code) });
    }
    (0..count).map(describe).collect()
}

/// The CUDA version that the driver is for; none without a driver.
pub fn driver_version() -> Option<(u32, u32)> {
    let mut version = 0;
    // SAFETY: one number is written.
    let code = unsafe { sys::cudaDriverGetVersion(&mut version) };
    major_and_minor(code, version)
}

/// The version of the runtime that is linked.
pub fn runtime_version() -> Option<(u32, u32)> {
    let mut version = 0;
    // SAFETY: one number is written.
    let code = unsafe { sys::cudaRuntimeGetVersion(&mut version) };
    major_and_minor(code, version)
}

/// A version as CUDA gives it: 13000 is 13.0, and 0 none.
fn major_and_minor(code: sys::Status, version: c_int) -> Option<(u32, u32)> {
    let version = u32::try_from(version).ok().filter(|version| code == sys::SUCCESS && *version > 0)?;
    Some((version / 1000, version % 1000 / 10))
}

fn why_none(code: sys::Status) -> String {
    match code {
        sys::SUCCESS | sys::ERROR_NO_DEVICE => {
            absence::no_device(std::env::var("CUDA_VISIBLE_DEVICES").ok().as_deref())
        }
        sys::ERROR_INSUFFICIENT_DRIVER => {
            let (mut driver, mut runtime) = (0, 0);
            // SAFETY: each writes one number; where there is no driver its version is left or set to 0.
            unsafe {
                sys::cudaDriverGetVersion(&mut driver);
                sys::cudaRuntimeGetVersion(&mut runtime);
            }
            if driver == 0 {
                absence::no_driver()
            } else {
                absence::old_driver(driver, runtime)
            }
        }
        sys::ERROR_DRIVER_MISMATCH => absence::mismatched_driver(),
        _ => absence::no_start(&status::text(code), code),
    }
}

fn describe(ordinal: c_int) -> Result<DeviceInfo, Error> {
    let mut capability = [0; 2];
    for (value, attribute) in capability.iter_mut().zip(sys::ATTRIBUTE_COMPUTE_CAPABILITY) {
        // SAFETY: one number is written.
        status::check("cudaDeviceGetAttribute", unsafe { sys::cudaDeviceGetAttribute(value, attribute, ordinal) })?;
    }
    let (mut device, mut name, mut memory) = (0, [0; 256], 0);
    // SAFETY: one handle, up to 256 bytes with their NUL, and one number are written.
    unsafe {
        status::check("cuDeviceGet", sys::cuDeviceGet(&mut device, ordinal))?;
        status::check("cuDeviceGetName", sys::cuDeviceGetName(name.as_mut_ptr(), name.len() as c_int, device))?;
        status::check("cuDeviceTotalMem", sys::cuDeviceTotalMem(&mut memory, device))?;
    }
    // SAFETY: the driver ended the name with NUL within the array, which began as all zeros.
    let name = unsafe { CStr::from_ptr(name.as_ptr()) }.to_string_lossy().into_owned();
    let compute_capability = (capability[0].unsigned_abs(), capability[1].unsigned_abs());
    let supported = archs::cover(ARCHS, PTX, compute_capability);
    Ok(DeviceInfo { name, memory: memory as u64, compute_capability, supported })
}
