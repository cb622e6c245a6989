//! How circuits would be proved within a device's budget.

use interlock::curve::G1Affine;
use interlock::prove::{plan, Plan, Residence, Sizes, Vectors};
use interlock::{settings, Counts, Error};

use crate::circuits;
use crate::gpus::Gpu;
use crate::host::Host;
use crate::parameters::Found;
use crate::report::{bytes, Report};

/// Budgets that are told of where there is neither a GPU nor a setting, in GiB.
const USUAL: [usize; 3] = [8, 24, 80];
/// What is added to a smallest budget that is recommended, so that it is a round number of MiB.
const MIB: u64 = 1 << 20;

/// Tells of each known circuit, and of each other whose parameters are there.
pub fn examine(report: &mut Report, gpus: &[Gpu], host: &Host, found: &[Found]) {
    // Told with the settings.
    let Ok(multiples) = settings::h_multiples() else { return };
    let budgets: Vec<(String, usize)> = match settings::vram_budget() {
        Err(_) => return,
        Ok(Some(budget)) if gpus.is_empty() => vec![(bytes(budget as u64), budget)],
        Ok(_) if gpus.is_empty() => USUAL.map(|gib| (format!("{gib} GiB, if there were a GPU"), gib << 30)).into(),
        Ok(_) => {
            gpus.iter().map(|gpu| (format!("{} of GPU {}", bytes(gpu.budget as u64), gpu.index), gpu.budget)).collect()
        }
    };
    let least = circuits::ALL.iter().filter_map(|circuit| least_of(&circuit.sizes)).min();
    for (budget_of, budget) in budgets {
        if let Some(least) = least.filter(|least| budget < *least) {
            let least = (least as u64).div_ceil(MIB);
            report.fix(format_args!(
                "{budget_of} of device memory is too little for any circuit: set INTERLOCK_VRAM_BUDGET to {least}M or more"
            ));
        }
        report.section(format_args!("plans within {budget_of}"));
        if multiples {
            report
                .line("multiples of h are kept where a plan says so: others have no room for them, or gain too little");
        }
        for circuit in &circuits::ALL {
            let file = found.iter().find(|file| file.circuit.is_some_and(|known| std::ptr::eq(known, circuit)));
            match file {
                Some(file) => tell(report, file, budget, host, !gpus.is_empty()),
                None => {
                    let planned = plan(&circuit.sizes, budget);
                    let planned =
                        planned.map_or_else(|error| error.to_string(), |plan| described(&plan, &circuit.sizes));
                    report.line(format_args!("{}: {planned}", circuit.name));
                }
            }
        }
        for file in found.iter().filter(|file| file.circuit.is_none()) {
            tell(report, file, budget, host, !gpus.is_empty());
        }
    }
}

/// Tells of parameters that are there and for which the host has too little memory where the CPU proves.
pub fn examine_for_cpu(report: &mut Report, host: &Host, found: &[Found]) {
    for file in found {
        let needed = of_points(&file.counts);
        if needed > host.available {
            report.fix(format_args!(
                "{}: its points take {} of memory where the CPU proves, and {} are available",
                file.name,
                bytes(needed),
                bytes(host.available)
            ));
        }
    }
}

/// Bytes of the points of parameters, those of `ic` with them.
fn of_points(counts: &Counts) -> u64 {
    (counts.bytes() + counts.inputs * size_of::<G1Affine>()) as u64
}

/// The least budget for circuits of these sizes.
fn least_of(sizes: &Sizes) -> Option<usize> {
    match plan(sizes, 0) {
        Err(Error::Budget { least, .. }) => Some(least),
        _ => None,
    }
}

/// The plan for parameters that are there; with `matters`, what stands against it is to be fixed.
fn tell(report: &mut Report, file: &Found, budget: usize, host: &Host, matters: bool) {
    let sizes = Sizes::from(&file.counts);
    let planned = plan(&sizes, budget);
    match &planned {
        Ok(plan) => report.line(format_args!("{}: {}", file.name, described(plan, &sizes))),
        Err(error) => report.line(format_args!("{}: {error}", file.name)),
    }
    if matters {
        if let Some(what) = wrong_with(&planned, host) {
            report.fix(format_args!("{}: {what}", file.name));
        }
    }
}

fn wrong_with(planned: &Result<Plan, Error>, host: &Host) -> Option<String> {
    match planned {
        Err(Error::Budget { least, .. }) => Some(format!(
            "does not fit into the device memory for proofs: set INTERLOCK_VRAM_BUDGET to {}M or more, or free as much",
            (*least as u64).div_ceil(MIB)
        )),
        Err(error) => Some(error.to_string()),
        Ok(plan) if locked(plan) > host.available => Some(format!(
            "takes {} of page-locked host memory, and {} are available: allow more device memory, or free host memory",
            bytes(locked(plan)),
            bytes(host.available)
        )),
        Ok(_) => None,
    }
}

/// Bytes of page-locked host memory.
fn locked(plan: &Plan) -> u64 {
    (plan.host_parameter_bytes + plan.host_vector_bytes) as u64
}

fn described(plan: &Plan, sizes: &Sizes) -> String {
    let parameters = match plan.parameters {
        Residence::Resident => "parameters on the device",
        Residence::Streamed => "parameters on the host",
    };
    let vectors = match plan.vectors {
        Vectors::None => "vectors on the host",
        Vectors::One => "all vectors but one on the host",
        Vectors::Two | Vectors::Three => "vectors on the device",
    };
    let device = bytes(plan.most_bytes() as u64);
    let host = match locked(plan) {
        0 => String::new(),
        locked => format!(", {} page-locked on the host", bytes(locked)),
    };
    let multiples = match plan.h_multiples_bytes(sizes) {
        0 => String::new(),
        multiples => format!(", {} of these multiples of h", bytes(multiples as u64)),
    };
    format!("{parameters}, {vectors}; {device} on the device{multiples}{host}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn planned(budget: usize) -> Result<Plan, Error> {
        plan(&circuits::ALL[0].sizes, budget)
    }

    #[test]
    fn what_does_not_fit_says_what_would() {
        let told = wrong_with(&planned(1 << 20), &Host { available: u64::MAX }).unwrap();
        let megabytes: usize = told.split("BUDGET to ").nth(1).unwrap().split('M').next().unwrap().parse().unwrap();
        assert!(planned(megabytes << 20).is_ok());
    }

    #[test]
    fn multiples_are_told_of() {
        let counts = Counts { inputs: 328, h: (1 << 24) - 1, l: 16_268_000, a: 16_219_000, b: 4_132_000 };
        let sizes = Sizes::from(&counts);
        let mut resident = plan(&sizes, 64 << 30).unwrap();
        assert_eq!(resident.h_multiples_bytes(&sizes), 0);
        resident.parameter_bytes += 11 * 96 * counts.h;
        assert!(described(&resident, &sizes).contains("on the device, 16.5 GiB of these multiples of h"));
        assert_eq!(plan(&sizes, 4 << 30).unwrap().h_multiples_bytes(&sizes), 0);
    }

    #[test]
    fn the_cpu_has_parameters_in_memory() {
        let counts = Counts { inputs: 2, h: 3, l: 1, a: 2, b: 1 };
        assert_eq!(of_points(&counts), 96 * 9 + 192);
        let found = [Found { name: "small".to_owned(), circuit: None, counts }];
        let mut report = Report::default();
        examine_for_cpu(&mut report, &Host { available: 1056 }, &found);
        assert!(!report.has_something_to_fix());
        examine_for_cpu(&mut report, &Host { available: 1055 }, &found);
        assert!(report.to_string().contains("small: its points take 1.0 KiB"), "{report}");
    }

    #[test]
    fn host_memory_counts_where_parameters_are_streamed() {
        let poor = Host { available: 8 << 30 };
        assert!(wrong_with(&planned(16 << 30), &poor).unwrap().contains("page-locked"));
        assert_eq!(wrong_with(&planned(100 << 30), &poor), None);
        assert_eq!(wrong_with(&planned(16 << 30), &Host { available: 64 << 30 }), None);
    }
}
