//! Times and checks whole proofs of circuits of any size that have the shape of Filecoin's PoRep.

mod children;
mod circuit;
mod exchange;
mod expected;
mod file;
mod floor;
mod known;
mod options;
mod report;
mod scalar;
mod traced;
mod work;
mod workers;

use std::io;
use std::path::Path;

use interlock::curve::Proof;
use interlock::prove::{plan, prove, Batch};
use interlock::{logging, settings, trace, Locks, Srs};
use interlock_bench_measure::{device_use, timed, Took};

use circuit::{Densities, Made};
use known::{Counts, Logs};
use options::Options;
use report::{Loading, Proofs, Report};
use work::{Mix, Sizes, POREP, TWELVE};
use workers::Work;

fn main() {
    let outcome = Options::parse(std::env::args().skip(1)).and_then(|options| run(&options));
    if let Err(what) = outcome {
        eprintln!("{what}");
        std::process::exit(1);
    }
}

fn run(options: &Options) -> Result<(), String> {
    if options.least {
        return options.sizes.iter().try_for_each(|log2| least_budget(*log2).map(|least| println!("{least}")));
    }
    settings::set_backend(options.backend);
    if let Some(params) = &options.child {
        return children::be_one(options.sizes[0], params, options.sizes[0] <= options.check_up_to);
    }
    logging::set_level(logging::Level::Info);
    if let Some(file) = &options.trace {
        std::env::set_var("INTERLOCK_TRACE", file);
    }
    let mut report = Report::default();
    let done = options.sizes.iter().try_for_each(|log2| {
        let stays = options.compare || options.keep;
        let name = match stays {
            true => log2.to_string(),
            false => format!("interlock-bench-{log2}-{}", std::process::id()),
        };
        let folder = options.folder.join(name);
        let done = size(*log2, &folder, options, &mut report);
        if !stays {
            // What was never made need not go.
            let _ = std::fs::remove_dir_all(&folder);
        }
        done.map_err(|what| format!("2^{log2}: {what}"))
    });
    if options.compare {
        report.print_rows();
    } else {
        print!("{report}");
    }
    done?;
    match (report.wrong(), report.failures()) {
        (0, None) => Ok(()),
        (0, Some(first)) => Err(format!("calls of workers failed, the first so: {first}")),
        (n, _) => Err(format!("{n} proofs are WRONG")),
    }
}

/// The least budget of device memory that a circuit of this size can be proved within.
fn least_budget(log2: u32) -> Result<usize, String> {
    let Counts { ic, h: _, l, a, b } = Counts::of(&Densities::new(Sizes::of(log2)));
    let sizes = interlock::prove::Sizes { domain_log2: log2 as usize, inputs: ic, aux: l, a, b, circuits: 1 };
    match plan(&sizes, 0) {
        Err(interlock::Error::Budget { least, .. }) => Ok(least),
        other => Err(format!("2^{log2}, within no memory: {other:?}")),
    }
}

/// All that is measured at one size.
fn size(log2: u32, folder: &Path, options: &Options, report: &mut Report) -> Result<(), String> {
    let written = |path: &Path, outcome: io::Result<u64>| {
        outcome.map_err(|error| format!("{} cannot be written: {error}", path.display()))
    };
    written(folder, std::fs::create_dir_all(folder).map(|()| 0))?;
    let path = &folder.join("params");
    let logs = Logs::new();
    let densities = Densities::new(Sizes::of(log2));
    let counts = Counts::of(&densities);
    let bytes = file::bytes(&counts);
    if !options.keep || path.metadata().map_or(true, |found| found.len() != bytes) {
        let (done, wrote) = timed(|| file::write(path, &logs, &counts));
        written(path, done)?;
        eprintln!(
            "2^{log2}: parameters of {bytes} bytes written in {:.2} s, {:.1} CPU s",
            wrote.seconds, wrote.cpu_seconds
        );
    }

    let open = || timed(|| Srs::open(path, false));
    let told = |error: interlock::Error| error.to_string();
    let alone = options.compare || options.workers.is_empty();
    if alone {
        // The first time, the system may have to find the memory.
        drop(open().0.map_err(told)?);
    }
    let (srs, load) = open();
    trace::stop();
    let srs = srs.map_err(told)?;
    report.loadings.push(Loading { log2, bytes, took: load, floor: floor::loading(bytes) });

    let mixes: &[&Mix] = if alone { &[&POREP, &TWELVE] } else { &[&POREP] };
    for (number, mix) in mixes.iter().enumerate() {
        let is_first = number == 0;
        let (made, making) = timed(|| Made::new(&densities, mix));
        eprintln!("2^{log2}, {}: circuit made in {:.2} s", mix.name, making.seconds);
        let subject = Subject { made: &made, mix, srs: &srs };
        let (proof, first, wrong) = subject.first(&logs, options.check_up_to)?;
        if alone {
            report.proofs.push(subject.proofs(&proof, is_first.then_some(first), wrong, options.warm)?);
        } else if let Some(wrong) = wrong.filter(|wrong| !wrong.is_empty()) {
            return Err(format!("{} of the first proof are WRONG", wrong.join(", ")));
        }
        if is_first && options.cost {
            report.traced.push((log2, mix.name, traced::cost(|| subject.again(&proof))?));
        }
        if is_first && !options.workers.is_empty() {
            let all = [srs.clone()].into_iter().map(Ok).chain((1..options.parameters).map(|i| copy(path, i)));
            let all = all.collect::<Result<Vec<_>, String>>()?;
            let work =
                Work { made: &made, srs: &all, proof: &proof, circuits: options.circuits, overlap: options.overlap };
            workers(log2, mix, &work, options, report);
        }
        if options.compare {
            let path = folder.join(format!("{}.circuit", mix.name));
            written(&path, exchange::write(&path, &made, &proof))?;
        }
    }
    drop(srs);
    // Theirs is the memory, but for this process's context.
    interlock::release_memory().map_err(told)?;
    for count in &options.children {
        let took = children::measure(log2, path, options, *count)?;
        report.children.push((log2, took));
    }
    Ok(())
}

/// The parameters of a copy of the file at `path`.
fn copy(path: &Path, number: usize) -> Result<Srs, String> {
    let to = path.with_extension(number.to_string());
    std::fs::copy(path, &to).map_err(|error| format!("{}: {error}", to.display()))?;
    Srs::open(&to, false).map_err(|error| error.to_string())
}

/// So many workers at once, and then so many. What they took is printed at once, unless it is to be rows.
fn workers(log2: u32, mix: &Mix, work: &Work<'_>, options: &Options, report: &mut Report) {
    if !options.compare {
        println!("{}", report::WORKERS);
    }
    for workers in &options.workers {
        let together = workers::measure(*workers, work, options.calls);
        if !options.compare {
            println!("{}", report::line_of(log2, mix.name, &together));
        }
        report.workers.push((log2, mix.name, together));
    }
}

/// A circuit with its parameters.
struct Subject<'m> {
    made: &'m Made<'m>,
    mix: &'m Mix,
    srs: &'m Srs,
}

impl Subject<'_> {
    fn log2(&self) -> u32 {
        self.made.densities.sizes.log2
    }

    /// The first proof, what it took, and which of its points are wrong if it was checked.
    fn first(&self, logs: &Logs, check_up_to: u32) -> Result<(Proof, Took, Option<Vec<&'static str>>), String> {
        let (proof, first) = timed(|| prove_once(self.made, self.srs));
        let proof = proof?;
        let mut wrong = None;
        if self.log2() <= check_up_to {
            let (expected, took) = timed(|| expected::proof(self.made, logs));
            wrong = Some(differences(&proof, &expected?));
            eprintln!("2^{}, {}: checked in {:.2} s", self.log2(), self.mix.name, took.seconds);
        }
        Ok((proof, first, wrong))
    }

    /// Another proof, which must be the same.
    fn again(&self, proof: &Proof) -> Result<(), String> {
        match prove_once(self.made, self.srs)? == *proof {
            true => Ok(()),
            false => Err("two proofs of one circuit differ".to_owned()),
        }
    }

    /// The proofs after the first.
    fn proofs(
        &self,
        proof: &Proof,
        first: Option<Took>,
        wrong: Option<Vec<&'static str>>,
        count: usize,
    ) -> Result<Proofs, String> {
        let (log2, mix) = (self.log2(), self.mix.name);
        let mut warm = Vec::new();
        for _ in 0..count {
            let (again, took) = timed(|| self.again(proof));
            again?;
            eprintln!("2^{log2}, {mix}: {:.4} s, {:.3} CPU s", took.seconds, took.cpu_seconds);
            warm.push(took);
        }
        let device = device_use(|| self.again(proof))?;
        Ok(Proofs { log2, mix, first, warm, device, wrong, floor: floor::proof(self.made) })
    }
}

fn prove_once(made: &Made<'_>, srs: &Srs) -> Result<Proof, String> {
    let evaluations = [made.evaluations()];
    let proofs = prove(Batch {
        evaluations: &evaluations,
        witnesses: vec![made.witness()],
        blindings: vec![made.blinding],
        srs: srs.parameters().clone(),
        locks: Locks::shared(),
        device: None,
    });
    proofs.map(|proofs| proofs[0]).map_err(|error| error.to_string())
}

/// Names of the points that are wrong.
fn differences(found: &Proof, expected: &Proof) -> Vec<&'static str> {
    let same = [("A", found.a == expected.a), ("B", found.b == expected.b), ("C", found.c == expected.c)];
    same.into_iter().filter(|(_, same)| !same).map(|(name, _)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use interlock::curve::FR_ONE;

    #[test]
    fn proofs_are_as_expected_and_others_are_noticed() {
        settings::set_backend(settings::BackendChoice::Cpu);
        let logs = Logs::new();
        let densities = Densities::new(Sizes::of(9));
        let path = std::env::temp_dir().join(format!("interlock-bench-test-{}.params", std::process::id()));
        file::write(&path, &logs, &Counts::of(&densities)).unwrap();
        let srs = Srs::open(&path, false).unwrap();
        std::fs::remove_file(&path).unwrap();

        let mut made = Made::new(&densities, &POREP);
        let expected = expected::proof(&made, &logs).unwrap();
        let wrong = |made: &Made<'_>| differences(&prove_once(made, &srs).unwrap(), &expected);
        assert!(wrong(&made).is_empty());

        let in_both =
            (0..made.aux.len()).find(|i| (densities.a_aux[i / 64] & densities.b_aux[i / 64]) >> (i % 64) & 1 == 1);
        let i = in_both.unwrap();
        let value = made.aux[i];
        made.aux[i] = scalar::add(&value, &FR_ONE);
        assert_eq!(wrong(&made), ["A", "B", "C"]);
        made.aux[i] = value;
        made.c[17] = scalar::add(&made.c[17], &FR_ONE);
        assert_eq!(wrong(&made), ["C"]);
    }
}
