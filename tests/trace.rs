//! The file that `INTERLOCK_TRACE` names, from a process of its own.

use std::process::Command;

use interlock::prove::{prove, Batch, Blinding, Density, Evaluations, Witness};
use interlock::{Locks, Srs};

#[path = "../src/trace/chrome/json.rs"]
mod json;
use json::Json;

const PROOFS: usize = 2;

#[test]
#[ignore = "the other test runs it"]
fn proofs_that_are_traced() {
    let vector = interlock_vectors::one("mimc322x3");
    let srs = Srs::open(&vector.params, false).unwrap();
    let density = |d| -> Density<'_> {
        let d: &interlock_vectors::Density = d;
        Density::new(&d.words, d.bit_len)
    };
    let evaluations: Vec<_> = vector.circuits.iter().map(|c| Evaluations { a: &c.a, b: &c.b, c: &c.c }).collect();
    let witness = |c| {
        let c: &interlock_vectors::Circuit = c;
        Witness {
            inp: &c.inp,
            aux: &c.aux,
            a_aux_density: density(&c.a_aux),
            b_inp_density: density(&c.b_inp),
            b_aux_density: density(&c.b_aux),
        }
    };
    for _ in 0..PROOFS {
        let batch = Batch {
            evaluations: &evaluations,
            witnesses: vector.circuits.iter().map(witness).collect(),
            blindings: vector.circuits.iter().map(|c| Blinding { r: c.r, s: c.s }).collect(),
            srs: srs.parameters().clone(),
            locks: Locks::shared(),
            device: None,
        };
        let proofs = prove(batch).unwrap();
        assert!(proofs.iter().zip(&vector.proofs).all(|(proof, expected)| proof.to_compressed() == *expected));
    }
}

#[test]
fn the_file_has_every_proof_when_the_program_has_ended() {
    let folder = std::env::temp_dir().join(format!("interlock-traces-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "proofs_that_are_traced", "--include-ignored"])
        .env("INTERLOCK_TRACE", folder.join("of-%p.json"))
        .env("INTERLOCK_BACKEND", "cpu")
        .stdout(std::process::Stdio::null())
        .spawn()
        .unwrap();
    let process = child.id();
    assert!(child.wait().unwrap().success());
    let files: Vec<_> = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(files, [folder.join(format!("of-{process}.json"))]);
    let trace = Json::parse(&std::fs::read_to_string(&files[0]).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();

    assert_eq!(trace.get("otherData").get("process").number(), f64::from(process));
    let events = trace.get("traceEvents").list();
    let of = |name: &str| -> Vec<&Json> { events.iter().filter(|event| event.get("name").text() == name).collect() };
    let circuits = interlock_vectors::one("mimc322x3").circuits.len();
    for (name, times) in [
        ("opening parameters", 1),
        ("loading parameters", 1),
        ("starting proofs", PROOFS),
        ("finishing proofs", PROOFS),
        ("quotient", PROOFS * circuits),
        ("h MSM", PROOFS * circuits),
        ("b_g2 MSM", PROOFS * circuits),
        ("assembling", PROOFS * circuits),
    ] {
        assert_eq!(of(name).len(), times, "{name}");
    }
    let (ts, dur) = (|event: &Json| event.get("ts").number(), |event: &Json| event.get("dur").number());
    for (inner, outer) in
        of("b_g2 MSM").iter().zip(of("finishing proofs").iter().flat_map(|outer| vec![*outer; circuits]))
    {
        assert!(
            ts(outer) <= ts(inner) && ts(inner) + dur(inner) <= ts(outer) + dur(outer) + 0.002,
            "{inner:?} {outer:?}"
        );
        assert_eq!(inner.get("tid"), outer.get("tid"));
        assert_eq!(inner.get("args").get("call"), outer.get("args").get("call"));
    }
    let batch = of("starting proofs")[0].get("args");
    assert_eq!(batch.get("circuits").number() as usize, circuits);
    assert!(batch.find("circuit").is_none());
}
