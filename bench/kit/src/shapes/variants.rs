//! Random circuit shapes under the least budgets of device memory: as a process has one budget, each is proved by a process of its own.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use interlock::prove::{plan, Plan, Residence, Sizes, Vectors};

use super::circuit::Densities;
use super::plan::Shape;

/// Budgets differ by this at least: a plan rounds them down to it.
const STEP: usize = 64 * 256;
/// From here on the plans of small circuits are the fastest.
const MOST: usize = (1 << 30) / STEP;

/// Proves each of `count` shapes, those of the seeds from `seed` on, under the least budget of every variant there is for it, in so many
/// processes at once, and prints what they say.
///
/// # Errors
/// Which are wrong. What was wrong has been printed by then.
pub fn check(count: usize, seed: u64, processes: usize) -> Result<String, String> {
    let mut tasks = Vec::new();
    for seed in (0..count as u64).map(|i| seed.wrapping_add(i)) {
        tasks.extend(least_budgets(&sizes(&Shape::new(seed))).into_iter().map(|(kind, budget)| (seed, kind, budget)));
    }
    let next = AtomicUsize::new(0);
    let work = || -> Result<Vec<(u64, usize)>, String> {
        let mut wrong = Vec::new();
        while let Some((seed, kind, budget)) = tasks.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (right, said) = prove_within(*seed, *budget)?;
            println!("{seed}: {kind:?} within {budget} bytes\n{said}");
            if !right {
                wrong.push((*seed, *budget));
            }
        }
        Ok(wrong)
    };
    let wrong = thread::scope(|scope| {
        let threads: Vec<_> = (0..processes).map(|_| scope.spawn(work)).collect();
        let joined = threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Err("a panic".to_owned())));
        joined.collect::<Result<Vec<_>, _>>()
    })?;
    let wrong = wrong.concat();
    if !wrong.is_empty() {
        return Err(format!("wrong, or not proved, with these seeds and budgets: {wrong:?}"));
    }
    let mut kinds: Vec<Kind> = Vec::new();
    for (_, kind, _) in &tasks {
        if !kinds.contains(kind) {
            kinds.push(*kind);
        }
    }
    Ok(format!("{count} shapes agree in {} variants, of {} kinds: {kinds:?}", tasks.len(), kinds.len()))
}

/// Whether a process of its own proves the shape of `seed` within `budget` bytes, and what it says.
fn prove_within(seed: u64, budget: usize) -> Result<(bool, String), String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let done = Command::new(program)
        .args(["shapes", "1", &seed.to_string()])
        .env("INTERLOCK_VRAM_BUDGET", budget.to_string())
        .output()
        .map_err(|error| error.to_string())?;
    let said = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    Ok((done.status.success(), said))
}

/// The least budgets of each variant for the circuit of the parameter file at `path`, in words.
///
/// # Errors
/// Why the file cannot be read.
pub fn budgets(path: &Path) -> Result<String, String> {
    let sizes = sizes_in(path).map_err(|error| format!("{}: {error}", path.display()))?;
    Ok(least_budgets(&sizes).iter().map(|(_, budget)| budget.to_string()).collect::<Vec<_>>().join(" "))
}

/// What the counts in a parameter file say.
fn sizes_in(path: &Path) -> io::Result<Sizes> {
    let file = File::open(path)?;
    let (mut counts, mut at) = ([0; 6], 864);
    for (count, point_bytes) in counts.iter_mut().zip([96, 96, 96, 96, 96, 192]) {
        let mut bytes = [0; 4];
        file.read_exact_at(&mut bytes, at)?;
        *count = u32::from_be_bytes(bytes) as usize;
        at += 4 + *count as u64 * point_bytes;
    }
    let [inputs, h, aux, a, b, _] = counts;
    Ok(Sizes { domain_log2: (h + 1).trailing_zeros() as usize, inputs, aux, a, b, circuits: 1 })
}

type Kind = (Residence, Vectors);

fn kind(plan: &Plan) -> Kind {
    (plan.parameters, plan.vectors)
}

fn sizes(shape: &Shape) -> Sizes {
    let counts = Densities::new(shape).counts(shape);
    Sizes {
        domain_log2: shape.log2 as usize,
        inputs: counts.ic,
        aux: counts.l,
        a: counts.a,
        b: counts.b_g1,
        circuits: 1,
    }
}

/// The kinds of plans for these sizes, each with the least budget, from the least of all on.
fn least_budgets(sizes: &Sizes) -> Vec<(Kind, usize)> {
    let of = |steps: usize| plan(sizes, steps * STEP).ok().map(|plan| kind(&plan));
    let (mut found, mut from) = (Vec::new(), 0);
    while from < MOST {
        let here = of(from);
        // More memory is never slower, so that each kind has one range.
        let (mut same, mut other) = (from, MOST);
        while other - same > 1 {
            let middle = same + (other - same) / 2;
            *if of(middle) == here { &mut same } else { &mut other } = middle;
        }
        found.extend(here.map(|here| (here, from * STEP)));
        from = other;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn budgets_are_the_least() {
        for seed in 0..40 {
            let sizes = sizes(&Shape::new(seed));
            let budgets = least_budgets(&sizes);
            for (number, (kind, budget)) in budgets.iter().enumerate() {
                let below = plan(&sizes, budget - STEP).ok().map(|plan| super::kind(&plan));
                assert_eq!(below, number.checked_sub(1).map(|before| budgets[before].0), "{seed}: {kind:?}");
            }
            assert_eq!(budgets.last().map(|(kind, _)| *kind), Some((Residence::Resident, Vectors::Three)), "{seed}");
        }
    }
}
