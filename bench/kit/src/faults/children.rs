//! What needs a process of its own: another budget, a first start, an error that ends all use of the device.

use std::process::{Command, Output};

use interlock::kit::{counts, fail_after, failure_is_due};
use interlock::prove::{plan, Residence, Vectors};
use interlock::settings::{set_backend, BackendChoice};
use interlock::Srs;

use super::injection::calls;
use super::watchdog::step;
use crate::shapes::{Batches, Way};

/// Log2 of the domain of parameters that are streamed.
pub const STREAMED: u32 = 16;
/// An illegal address: nothing goes on in a process after that.
const ILLEGAL_ADDRESS: i32 = 700;

/// The share of a proof's calls, one in so many, by which another's may be fewer.
const MAY_BE_FEWER: usize = 20;

/// This program with other arguments, and what it said.
fn again(arguments: &[&str], budget: Option<usize>) -> Result<Output, String> {
    let told = |error: std::io::Error| format!("this program cannot be started again: {error}");
    let mut command = Command::new(std::env::current_exe().map_err(told)?);
    if let Some(mib) = budget {
        command.env("INTERLOCK_VRAM_BUDGET", format!("{mib}M"));
    }
    command.args(arguments).output().map_err(told)
}

/// Runs a part in a process and prints what it says.
///
/// # Errors
/// That it failed.
pub fn part(arguments: &[&str], budget: Option<usize>) -> Result<(), String> {
    let output = again(arguments, budget)?;
    print!("{}", String::from_utf8_lossy(&output.stdout));
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{}: {}: {}", arguments.join(" "), output.status, last_words(&output)))
}

fn last_words(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    said.lines().last().unwrap_or("it said nothing").to_owned()
}

/// The largest budgets, in MiB, under which parameters over 2^[`STREAMED`] points are streamed and a vector at least is in the device's
/// memory, and under which none is.
///
/// # Errors
/// That there is none.
pub fn streaming_budgets() -> Result<[usize; 2], String> {
    let sizes = Batches::new("sizes", STREAMED, Way::InTurn, &[1])?.sizes();
    let largest = |on_device: bool| {
        let is = |mib: &usize| {
            plan(&sizes, mib << 20).is_ok_and(|plan| {
                plan.parameters == Residence::Streamed && (plan.vectors != Vectors::None) == on_device
            })
        };
        (1..1024).rev().find(is).ok_or_else(|| format!("nothing is streamed with vectors on the device: {on_device}"))
    };
    Ok([largest(true)?, largest(false)?])
}

/// Processes in each of which another call ends the use of the device, `most` of them at even distances.
///
/// # Errors
/// That one of them failed.
pub fn lose_each(most: usize) -> Result<(), String> {
    let calls = again(&["faults-lost", "none"], None)?;
    let calls = String::from_utf8_lossy(&calls.stdout);
    let calls: usize = calls.trim().parse().map_err(|_| format!("a proof makes {calls:?} calls"))?;
    let mut tried = 0;
    // A proof makes a few more or less each time: it asks whether things are over.
    for number in (0..calls - calls / MAY_BE_FEWER).step_by(calls.div_ceil(most).max(1)) {
        step(format!("call {number} failing with {ILLEGAL_ADDRESS}"));
        part(&["faults-lost", &number.to_string()], None)?;
        tried += 1;
    }
    println!("faults: in {tried} processes the device was lost at another of a proof's {calls} calls; each said so from then on");
    Ok(())
}

/// Prints how many calls a proof makes.
///
/// # Errors
/// What went wrong.
pub fn calls_of_a_proof() -> Result<(), String> {
    let (batches, srs) = lost()?;
    let before = calls();
    batches.prove(&srs)?;
    println!("{}", calls() - before);
    Ok(())
}

/// Loses the device at call `number` of a proof, and looks at what comes after.
///
/// # Errors
/// What should have been otherwise.
pub fn lose(number: usize) -> Result<(), String> {
    let (batches, srs) = lost()?;
    fail_after(number as i64, 1, ILLEGAL_ADDRESS);
    let outcome = batches.prove(&srs);
    if failure_is_due() {
        return Err(format!("there is no call {number}"));
    }
    let before = counts();
    // A failure at the last calls comes too late for this proof.
    if let Err(what) = outcome {
        expect_lost(&what)?;
    }
    let other = Batches::new("lost-too", 4, Way::InTurn, &[1])?;
    for _ in 0..2 {
        for outcome in [batches.prove(&srs).map(drop), other.open().map(drop), batches.open().map(drop)] {
            match outcome {
                Ok(()) => {}
                Err(what) => expect_lost(&what)?,
            }
        }
    }
    if batches.prove(&srs).is_ok() {
        return Err("a proof after the device was lost".to_owned());
    }
    if other.open().is_ok() {
        return Err("parameters loaded after the device was lost".to_owned());
    }
    drop(srs);
    if counts() != before {
        return Err("CUDA was called after the device was lost".to_owned());
    }
    Ok(())
}

fn expect_lost(what: &str) -> Result<(), String> {
    let is = what.contains("can no longer be used") && what.contains(&format!("CUDA error {ILLEGAL_ADDRESS}"));
    if is {
        Ok(())
    } else {
        Err(format!("not that the device is lost, but {what:?}"))
    }
}

fn lost() -> Result<(Batches, Srs), String> {
    set_backend(BackendChoice::Gpu);
    step("losing the device".to_owned());
    let batches = Batches::new("lost", 6, Way::HalvesAndOneGivenUp, &[1, 2])?;
    let srs = batches.open()?;
    for _ in 0..2 {
        batches.prove(&srs)?;
    }
    Ok((batches, srs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_budgets_of_both_kinds() {
        let [on_device, on_host] = streaming_budgets().unwrap();
        assert!(on_host > 16 && on_device > on_host && on_device < 512, "{on_device} {on_host}");
    }
}
