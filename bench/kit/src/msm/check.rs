//! MSMs and sums of many sizes on random and nasty inputs.

use blst::blst_fr;
use interlock::kit::{
    combine, msm, msm_scratch_bytes, sum, sum_scratch_bytes, DeviceBuffer, Scalars, Shape, SumTerms, Terms, G1, G2,
};
use rayon::prelude::*;

use super::known::{is_same, poisoned, scalar, told, Known, Points};
use crate::device::Device;
use crate::inputs::Random;
use crate::operations::fr_one;
use crate::scalar::{add, from_u64, inverse, negative};

/// Compares with sums of logarithms, for sizes up to `most`, and returns how many sums agreed.
///
/// # Errors
/// What differs.
pub fn all(device: &Device, most: usize, seed: u64) -> Result<usize, String> {
    Ok(group::<G1>(device, most, seed)? + group::<G2>(device, most / 4 + 1, seed)?)
}

/// Compares what plans take for the scratch of MSMs with what the device's launchers say, and returns for how many.
///
/// # Errors
/// An MSM for which a plan takes too little.
pub fn planned_scratch() -> Result<usize, String> {
    let mut compared = 0;
    for terms in (0..28).flat_map(|log2| [1 << log2, (1 << log2) + 1, 3 << log2, (7 << log2) / 5]) {
        let suiting = Shape::for_terms(terms);
        for group in 1..=suiting.windows() as u32 {
            let shape = suiting.in_groups_of(group);
            is_planned::<G1>(terms, shape)?;
            is_planned::<G2>(terms, shape)?;
            compared += 2;
        }
    }
    Ok(compared)
}

fn is_planned<G: Known>(terms: usize, shape: Shape) -> Result<(), String> {
    let planned = shape.planned_scratch_bytes::<G>(terms);
    let needed = told("scratch", msm_scratch_bytes::<G>(terms, shape))?;
    if planned < needed || planned > needed + needed / 8 + (64 << 10) {
        return Err(format!("{terms} terms, {shape:?}: {planned} bytes of scratch are planned, {needed} are needed"));
    }
    Ok(())
}

/// Compares as [`all`] for an MSM and sums of each group that reach all kernels with few blocks, for tools that make kernels very slow.
///
/// # Errors
/// What differs.
pub fn few(device: &Device, seed: u64) -> Result<usize, String> {
    Ok(few_of::<G1>(device, seed)? + few_of::<G2>(device, seed)?)
}

fn few_of<G: Known>(device: &Device, seed: u64) -> Result<usize, String> {
    // Sums of all points take one block, of some two; partial sums of buckets are merged by a few blocks, and then by one.
    const N: usize = 65;
    let random = &mut Random(seed);
    let points = nasty_points::<G>(N, random);
    let on_device = told("points", DeviceBuffer::from_host(&points.points, &device.stream))?;
    let mut scratch = told("scratch", DeviceBuffer::new(1))?;
    // Wide windows, as there are blocks for each; and few segments of buckets, for the same reason.
    let shape = Shape::new(13, 10, 11);
    let cases = cases(N, random);
    let case = cases.iter().find(|case| case.name == "both").ok_or("there is no such case")?;
    check_msm(device, &points, &on_device, case, shape, &mut scratch)?;
    Ok(1 + check_sums(device, &points, &on_device, N, random)?)
}

const SIZES: [usize; 18] =
    [0, 1, 2, 3, 7, 31, 32, 33, 100, 129, 257, 1000, 1024, 4097, 20_001, 65_536, 100_003, 300_007];

struct Case {
    name: &'static str,
    positions: Option<Vec<u32>>,
    scalars: Vec<blst_fr>,
    indices: Option<Vec<u32>>,
    /// How many bits of a term's number are reversed, and the number of the first term.
    reversed: Option<(u32, usize)>,
    len: usize,
    count: Option<u32>,
}

fn group<G: Known>(device: &Device, most: usize, seed: u64) -> Result<usize, String> {
    let random = &mut Random(seed);
    let mut compared = 0;
    let mut arena = told("scratch", poisoned(1 << 20, &device.stream))?;
    for n in SIZES.into_iter().filter(|n| *n <= most) {
        let points = nasty_points::<G>(n, random);
        let on_device = told("points", DeviceBuffer::from_host(&points.points, &device.stream))?;
        for case in cases(n, random) {
            check_msm(device, &points, &on_device, &case, Shape::for_terms(case.len), &mut arena)?;
            compared += 1;
        }
        compared += check_sums(device, &points, &on_device, n, random)?;
    }
    Ok(compared + check_shapes::<G>(device, most.min(1000), random, &mut arena)?)
}

/// Distinct points first; then some that are equal, opposite or infinite.
fn nasty_points<G: Known>(n: usize, random: &mut Random) -> Points<G> {
    let mut all = Points::<G>::new(n, random);
    for i in n / 2..n {
        let from = random.word() as usize % n;
        (all.points[i], all.logs[i]) = match random.word() % 5 {
            0 => (G::Affine::default(), blst_fr::default()),
            1 => (G::negate(&all.points[from]), negative(&all.logs[from])),
            2 => (all.points[from], all.logs[from]),
            _ => continue,
        };
    }
    all
}

fn cases(n: usize, random: &mut Random) -> Vec<Case> {
    let minus_one = negative(&fr_one());
    let plain = |name, scalars: Vec<blst_fr>| Case {
        name,
        positions: None,
        len: scalars.len(),
        scalars,
        indices: None,
        reversed: None,
        count: None,
    };
    let mut randoms = |n: usize| (0..n).map(|_| scalar(random)).collect::<Vec<_>>();
    let (different, same) = (randoms(n), randoms(1)[0]);
    let mut more = randoms(n.next_power_of_two() + 5);
    let mut cases = vec![
        plain("random", different.clone()),
        plain("all equal", vec![same; n]),
        plain("all 0", vec![blst_fr::default(); n]),
        plain("all 1", vec![fr_one(); n]),
        plain("all −1", vec![minus_one; n]),
    ];
    let few = [
        blst_fr::default(),
        fr_one(),
        minus_one,
        from_u64(2),
        same,
        negative(&same),
        from_u64(1 << 20),
        from_u64((1 << 63) - 1),
    ];
    let pick = |random: &mut Random, n: usize| (random.word() % n.max(1) as u64) as u32;
    cases.push(plain("few values", (0..n).map(|_| few[pick(random, few.len()) as usize]).collect()));
    // (r − 1)/2 and its neighbours: where a scalar is exchanged for its negative.
    let half = negative(&halved_plus());
    cases.push(plain("around r/2", (0..n).map(|i| add(&half, &from_u64(i as u64 % 5))).collect()));
    if n > 0 {
        let one_point = Case { positions: Some(vec![pick(random, n); n]), ..plain("one point", different.clone()) };
        let one_bucket = Case { positions: Some(vec![pick(random, n); n]), ..plain("one term", vec![same; n]) };
        let opposite = (0..n).map(|i| if i % 2 == 0 { same } else { negative(&same) }).collect();
        let cancelling = Case { positions: Some(vec![pick(random, n); n]), ..plain("opposite terms", opposite) };
        cases.extend([one_point, one_bucket, cancelling]);
    }
    let positions: Vec<u32> = (0..2 * n).map(|_| pick(random, n)).collect();
    let indices: Vec<u32> = (0..2 * n).map(|_| pick(random, more.len())).collect();
    let count = pick(random, 2 * n + 1);
    cases.push(Case { len: n, positions: Some(positions.clone()), ..plain("positions", different) });
    let indexed =
        Case { positions: Some(positions), len: 2 * n, indices: Some(indices), ..plain("both", more.clone()) };
    cases.push(Case { count: Some(count), ..indexed });
    more.truncate(n.next_power_of_two());
    let bits = more.len().trailing_zeros();
    cases.push(Case { len: n.saturating_sub(1), reversed: Some((bits, 0)), ..plain("reversed", more.clone()) });
    cases.push(Case { len: n - n / 3, reversed: Some((bits, n / 3)), ..plain("reversed, a part", more.clone()) });
    cases.push(Case { len: n, reversed: Some((bits, 0)), ..plain("reversed, all", more) });
    cases
}

/// (r + 3)/2.
fn halved_plus() -> blst_fr {
    add(&inverse(&from_u64(2)), &fr_one())
}

impl Case {
    fn index(&self, i: usize) -> usize {
        match (&self.indices, self.reversed) {
            (Some(indices), _) => indices[i] as usize,
            (None, Some((0, _)) | None) => i,
            (None, Some((bits, first))) => (((first + i) as u32).reverse_bits() >> (32 - bits)) as usize,
        }
    }

    fn position(&self, i: usize) -> usize {
        self.positions.as_ref().map_or(i, |positions| positions[i] as usize)
    }
}

fn check_msm<G: Known>(
    device: &Device,
    points: &Points<G>,
    on_device: &DeviceBuffer<G::Affine>,
    case: &Case,
    shape: Shape,
    scratch: &mut DeviceBuffer<u8>,
) -> Result<(), String> {
    let stream = &device.stream;
    let counted = case.count.map_or(case.len, |count| case.len.min(count as usize));
    let run = || -> Result<_, interlock::Error> {
        let needed = msm_scratch_bytes::<G>(case.len, shape)?;
        if scratch.len() < needed {
            *scratch = poisoned(needed, stream)?;
        }
        let upload =
            |numbers: &Option<Vec<u32>>| numbers.as_ref().map(|n| DeviceBuffer::from_host(n, stream)).transpose();
        let (positions, indices) = (upload(&case.positions)?, upload(&case.indices)?);
        let scalars = DeviceBuffer::from_host(&case.scalars, stream)?;
        let count = DeviceBuffer::from_host(&[77, case.count.unwrap_or(0)], stream)?;
        let mut sums = poisoned(shape.sums(), stream)?;
        let order = match (&indices, case.reversed) {
            (Some(indices), _) => Scalars::Indexed(indices),
            (None, Some((bits, first))) => Scalars::Reversed { bits, first },
            (None, None) => Scalars::InOrder,
        };
        let terms = Terms {
            points: on_device,
            positions: positions.as_deref(),
            scalars: &scalars,
            order,
            len: case.len,
            count: case.count.map(|_| (&*count, 1)),
        };
        msm::<G>(&mut sums, &terms, shape, scratch, stream)?;
        Ok(combine::<G>(&sums.to_host(stream)?, shape))
    };
    let what = || format!("{} MSM of {} terms ({}), {shape:?}", G::NAME, case.len, case.name);
    let mut run = run;
    let result = told(what(), run())?;
    let terms = (0..counted).into_par_iter().map(|i| (case.position(i), case.scalars[case.index(i)]));
    if !is_same::<G>(&result, &points.expected(terms)) {
        return Err(format!("{}: the result is wrong", what()));
    }
    Ok(())
}

/// Windows of every size, groups and segments of several.
fn check_shapes<G: Known>(
    device: &Device,
    n: usize,
    random: &mut Random,
    scratch: &mut DeviceBuffer<u8>,
) -> Result<usize, String> {
    let points = nasty_points::<G>(n, random);
    let on_device = told("points", DeviceBuffer::from_host(&points.points, &device.stream))?;
    let mut compared = 0;
    for bits in 2..=18 {
        let windows = 255u32.div_ceil(bits);
        for group in [1, windows.div_ceil(3), windows] {
            // Long segments are summed by few threads, slowly.
            let segment_bits = (random.word() % u64::from(bits.min(8))) as u32;
            let shape = Shape::new(bits, group.min(if bits > 12 { 4 } else { windows }), segment_bits);
            let scalars = (0..n).map(|_| scalar(random)).collect();
            let (positions, indices, reversed, count) = (None, None, None, None);
            let case = Case { name: "random", positions, scalars, indices, reversed, len: n, count };
            check_msm(device, &points, &on_device, &case, shape, scratch)?;
            compared += 1;
        }
    }
    Ok(compared)
}

fn check_sums<G: Known>(
    device: &Device,
    points: &Points<G>,
    on_device: &DeviceBuffer<G::Affine>,
    n: usize,
    random: &mut Random,
) -> Result<usize, String> {
    let stream = &device.stream;
    let mut scratch = told("scratch", poisoned(sum_scratch_bytes::<G>(), stream))?;
    let some: Vec<u32> = (0..2 * n).map(|_| (random.word() % n as u64) as u32).collect();
    let one = vec![(n / 3) as u32; n];
    let cases = [
        ("all", None, n, None),
        ("some", Some(&some), 2 * n, None),
        ("one point", Some(&one), n, None),
        ("a count", Some(&some), 2 * n, Some(n as u32)),
    ];
    for (name, list, len, count) in cases {
        let what = || format!("{} sum of {len} points ({name})", G::NAME);
        let mut run = || -> Result<_, interlock::Error> {
            let positions = list.map(|list: &Vec<u32>| DeviceBuffer::from_host(list, stream)).transpose()?;
            let counts = DeviceBuffer::from_host(&[count.unwrap_or(0)], stream)?;
            let mut sums = poisoned(1, stream)?;
            let count = count.map(|_| (&*counts, 0));
            let terms = SumTerms { points: on_device, positions: positions.as_deref(), len, count };
            sum::<G>(&mut sums, &terms, &mut scratch, stream)?;
            Ok(G::to_jacobian(&sums.to_host(stream)?[0]))
        };
        let result = told(what(), run())?;
        let counted = count.map_or(len, |count| count as usize);
        let position = |i: usize| list.map_or(i, |list| list[i] as usize);
        if !is_same::<G>(&result, &points.expected((0..counted).into_par_iter().map(|i| (position(i), fr_one())))) {
            return Err(format!("{}: the result is wrong", what()));
        }
    }
    Ok(4)
}
