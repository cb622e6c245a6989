//! bellperson with its `cuda-supraseal` feature: the same proofs as its CPU prover's, and readable errors.
//!
//! `INTERLOCK_BELLPERSON_CASES` is the folder that `bellperson-cpu` filled.

use std::fs;
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::path::{Path, PathBuf};

use bellperson::groth16::{create_proof_batch, Proof, SuprasealParameters};
use blstrs::Bls12;
use interlock_ffi_tests::Case;

fn folder() -> PathBuf {
    std::env::var_os("INTERLOCK_BELLPERSON_CASES")
        .expect("INTERLOCK_BELLPERSON_CASES is not set: run `bellperson-cpu DIR` and set it to DIR")
        .into()
}

fn load(path: &Path) -> SuprasealParameters<Bls12> {
    SuprasealParameters::new(path.to_owned()).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn prove(case: &Case, params: &SuprasealParameters<Bls12>) -> Vec<Proof<Bls12>> {
    let (r_s, s_s) = case.blindings();
    create_proof_batch(case.preimages.clone(), params, r_s, s_s).expect("synthesis")
}

fn encoded(proofs: &[Proof<Bls12>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    proofs.iter().for_each(|proof| proof.write(&mut bytes).expect("writing to memory"));
    bytes
}

/// The payload of the panic of `f`, which has to be a `&'static str`.
fn message_of_panic(f: impl FnOnce()) -> &'static str {
    let payload = catch_unwind(AssertUnwindSafe(f)).expect_err("no panic");
    payload.downcast_ref::<&'static str>().copied().expect("the payload is no &'static str")
}

fn check(case: &Case) {
    let dir = folder();
    let params = load(&case.params(&dir));
    let proofs = prove(case, &params);
    assert_eq!(case.verified(&dir, &proofs).expect("verification"), case.preimages.len());
    let expected = fs::read(case.proofs(&dir)).expect("the CPU prover's proofs");
    assert!(encoded(&proofs) == expected, "{}: the bytes are not those of bellperson's CPU prover", case.name);
}

#[test]
fn sha256_gives_the_bytes_of_the_cpu_prover() {
    check(&Case::all()[0]);
}

#[test]
fn mimc_gives_the_bytes_of_the_cpu_prover() {
    check(&Case::all()[1]);
}

#[test]
fn a_batch_of_three_gives_the_bytes_of_the_cpu_prover() {
    check(&Case::all()[2]);
}

#[test]
fn threads_share_parameters() {
    let [_, mimc, batch] = Case::all();
    let params = load(&mimc.params(&folder()));
    std::thread::scope(|scope| {
        for case in [&mimc, &batch, &mimc, &batch] {
            let params = &params;
            scope.spawn(move || {
                let expected = fs::read(case.proofs(&folder())).expect("the CPU prover's proofs");
                assert!(encoded(&prove(case, params)) == expected, "{}", case.name);
            });
        }
    });
}

#[test]
fn a_verifier_rejects_a_proof_of_something_else() {
    let [_, mimc, batch] = Case::all();
    let dir = folder();
    let proofs = prove(&mimc, &load(&mimc.params(&dir)));
    assert_eq!(batch.verified(&dir, &proofs).expect("verification"), 0);
}

#[test]
fn parameters_of_another_circuit_are_a_panic_that_names_the_size() {
    let [sha256, mimc, _] = Case::all();
    let params = load(&mimc.params(&folder()));
    // Not only once: a failure must leave nothing behind that makes the next one an abort.
    for _ in 0..2 {
        let message = message_of_panic(|| drop(prove(&sha256, &params)));
        assert!(message.starts_with("interlock: "), "{message}");
        assert!(message.contains("abc_size"), "{message}");
    }
    let proofs = prove(&mimc, &params);
    assert_eq!(mimc.verified(&folder(), &proofs).expect("verification"), 1);
}

#[test]
fn a_missing_parameter_file_is_an_error_that_names_it() {
    let error = SuprasealParameters::<Bls12>::new(folder().join("nothing-here.params")).err().expect("an error");
    assert!(error.to_string().contains("nothing-here.params"), "{error}");
}

#[test]
fn a_truncated_parameter_file_is_an_error_that_says_so() {
    let dir = folder();
    let whole = fs::read(Case::all()[1].params(&dir)).expect("parameters");
    let path = std::env::temp_dir().join(format!("interlock-truncated-{}.params", std::process::id()));
    fs::write(&path, &whole[..whole.len() - 1]).expect("writing");
    let error = SuprasealParameters::<Bls12>::new(path.clone()).err();
    fs::remove_file(&path).expect("removing");
    let error = error.expect("an error").to_string();
    assert!(error.contains("truncated"), "{error}");
}
