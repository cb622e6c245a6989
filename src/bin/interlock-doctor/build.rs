//! The build that this program is of.

use interlock::Build;

use crate::report::Report;

/// Tells of it.
pub fn examine(report: &mut Report) {
    let build = Build::this();
    report.section(format_args!(
        "interlock {}, as this program was built (a node may have been built otherwise)",
        build.version
    ));
    match build.cuda {
        Ok(cuda) => {
            let runtime = cuda.runtime.map_or("?".into(), |(major, minor)| format!("{major}.{minor}"));
            report.line(format_args!("with CUDA: nvcc {}, runtime {runtime}", cuda.nvcc));
            let later = if cuda.ptx.is_empty() { "nothing".into() } else { format!("PTX of {}", cuda.ptx) };
            report.line(format_args!("code for the architectures {}, and {later} for later ones", cuda.archs));
        }
        Err(why) => report.line(format_args!("without CUDA: {why}")),
    }
}
