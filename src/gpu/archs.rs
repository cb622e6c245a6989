//! Which GPUs the compiled kernels run on.

/// Whether code for `archs` (`80,90a`), with PTX of `ptx` (`90`, or nothing), runs on a GPU of compute capability `(major, minor)`.
///
/// Machine code runs on its own major version from its minor version on, and with a suffix `a` on exactly its own; PTX runs on
/// everything from its version on.
pub fn cover(archs: &str, ptx: &str, (major, minor): (u32, u32)) -> bool {
    let version = |number: u32| (number / 10, number % 10);
    let machine_code = archs.split(',').any(|name| {
        let number = name.trim_end_matches(['a', 'f']);
        let Ok((its_major, its_minor)) = number.parse().map(version) else { return false };
        its_major == major && if name.ends_with('a') { its_minor == minor } else { its_minor <= minor }
    });
    machine_code || ptx.parse().is_ok_and(|number| version(number) <= (major, minor))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_runs_where_cuda_says() {
        let archs = "75,80,86,90a,120";
        for (capability, runs) in [
            ((7, 0), false),
            ((7, 5), true),
            ((8, 0), true),
            ((8, 9), true),
            ((9, 0), true),
            ((10, 0), false),
            ((12, 1), true),
        ] {
            assert_eq!(cover(archs, "", capability), runs, "{capability:?}");
        }
        assert!(!cover("90a", "", (9, 1)));
        assert!(cover("75", "90", (10, 0)));
        assert!(!cover("75", "90", (8, 9)));
    }
}
