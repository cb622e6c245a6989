//! MSMs and sums of many sizes on random and nasty inputs.

use blst::blst_fr;
use interlock::kit::{
    combine, fill, fill_scratch_bytes, msm, msm_scratch_bytes, multiply_points, reduce, Accumulators, DeviceBuffer,
    DeviceSlice, Form, Group, Multiples, Scalars, Shape, SumTerms, Terms, G1, G2,
};
use rayon::prelude::*;

use super::known::{is_same, poisoned, scalar, told, Known, Points};
use crate::device::Device;
use crate::inputs::Random;
use crate::operations::fr_one;
use crate::scalar::{add, from_u64, integer, inverse, negative};

/// Compares with sums of logarithms, for sizes up to `most`, and returns how many sums agreed.
///
/// # Errors
/// What differs.
pub fn all(device: &Device, most: usize, seed: u64) -> Result<usize, String> {
    let compared =
        group::<G1>(device, most, seed)? + group::<G2>(device, most / 4 + 1, seed)? + in_parts(device, most, seed)?;
    let compared = compared + with_multiples(device, most, &mut Random(seed))? + of_largest_domain(device, seed)?;
    let long = long::<G1>(device, &mut Random(seed))? + long::<G2>(device, &mut Random(seed))?;
    Ok(compared + long + in_long_parts(device, &mut Random(seed))?)
}

/// Terms whose entries take several launches, and points that they have in turn.
const LONG: usize = 1 << 23;
const LONG_POINTS: usize = 1000;

/// Scalars of such terms: all different; or nearly all equal, so that there are buckets that go on through many threads' entries, and through launches.
fn long_scalars(random: &mut Random) -> [(&'static str, Vec<blst_fr>); 2] {
    let (same, seed) = (scalar(random), random.word());
    let different = |i: usize| scalar(&mut Random(seed ^ (i as u64) << 20));
    let scalars = |is_same: fn(usize) -> bool| {
        (0..LONG).into_par_iter().map(|i| if is_same(i) { same } else { different(i) }).collect()
    };
    [("long", scalars(|_| false)), ("long, nearly all equal", scalars(|i| i % 1000 != 0))]
}

fn long_positions(random: &mut Random) -> Vec<u32> {
    (0..LONG).map(|_| (random.word() % LONG_POINTS as u64) as u32).collect()
}

fn long<G: Known>(device: &Device, random: &mut Random) -> Result<usize, String> {
    let points = nasty_points::<G>(LONG_POINTS, random);
    let on_device = told("points", DeviceBuffer::from_host(&points.points, &device.stream))?;
    let mut scratch = told("scratch", poisoned(1 << 20, &device.stream))?;
    for (name, scalars) in long_scalars(random) {
        let positions = Some(long_positions(random));
        let case = Case { name, positions, scalars, indices: None, reversed: None, len: LONG, count: None };
        check_msm(device, &points, &on_device, &case, Shape::for_terms::<G>(LONG), &mut scratch)?;
    }
    Ok(2)
}

/// Such terms, part by part.
fn in_long_parts(device: &Device, random: &mut Random) -> Result<usize, String> {
    let points = nasty_points::<G1>(LONG_POINTS, random);
    let parts = long_scalars(random).map(|(_, scalars)| scalars);
    let (positions, shape) = (long_positions(random), Shape::for_terms::<G1>(LONG));
    let result = told("an MSM of long parts", msm_in_parts(device, &points, Some(&positions), &parts, shape))?;
    let term = |i: usize| (positions[i % LONG] as usize, parts[i / LONG][i % LONG]);
    if !is_same::<G1>(&result, &points.expected((0..parts.len() * LONG).into_par_iter().map(term))) {
        return Err("an MSM of long parts: the result is wrong".to_owned());
    }
    Ok(1)
}

/// The MSM of terms that come part by part, each part's of the same points, or of those at `positions`.
fn msm_in_parts(
    device: &Device,
    points: &Points<G1>,
    positions: Option<&[u32]>,
    parts: &[Vec<blst_fr>],
    shape: Shape,
) -> Result<<G1 as Group>::Jacobian, interlock::Error> {
    let stream = &device.stream;
    let longest = parts.iter().map(Vec::len).max().unwrap_or(0);
    let points = &DeviceBuffer::from_host(&points.points, stream)?;
    let positions = positions.map(|positions| DeviceBuffer::from_host(positions, stream)).transpose()?;
    let buckets = DeviceBuffer::from_host(&vec![[0; 24]; shape.buckets()], stream)?;
    let mut scratch = poisoned(fill_scratch_bytes(longest, shape)?.max(32 << 20), stream)?;
    for scalars in parts {
        let (len, positions) = (scalars.len(), positions.as_deref());
        // One more: a part may have none.
        let scalars = &DeviceBuffer::from_host(&[&scalars[..], &[blst_fr::default()]].concat(), stream)?;
        let (form, order) = (Form::Montgomery, Scalars::InOrder);
        let terms = Terms { points, positions, scalars, form, order, len, count: None };
        fill(&buckets, &terms, shape, &mut scratch, stream)?;
        stream.synchronize()?;
    }
    let mut sums = poisoned(shape.sums(), stream)?;
    reduce(&mut sums, &buckets, shape, &mut scratch, stream)?;
    Ok(combine::<G1>(&sums.to_host(stream)?, shape))
}

/// Compares what plans take for the scratch of MSMs with what the device's launchers say, and returns for how many.
///
/// # Errors
/// An MSM for which a plan takes too little.
pub fn planned_scratch() -> Result<usize, String> {
    let mut compared = 0;
    for terms in (0..28).flat_map(|log2| [1 << log2, (1 << log2) + 1, 3 << log2, (7 << log2) / 5]) {
        let (in_g1, in_g2) = (Shape::for_terms::<G1>(terms), Shape::for_terms::<G2>(terms));
        for group in 1..=in_g1.windows() as u32 {
            is_planned::<G1>(terms, in_g1.in_groups_of(group))?;
        }
        for group in 1..=in_g2.windows() as u32 {
            is_planned::<G2>(terms, in_g2.in_groups_of(group))?;
        }
        compared += in_g1.windows() + in_g2.windows();
        for multiples in [2, 5, 20].into_iter().filter_map(|most| Multiples::fastest(terms, terms, most, 4 << 30)) {
            is_planned::<G1>(terms, told("shape", Shape::sharing(&multiples, terms, terms, 4 << 30))?)?;
            compared += 1;
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
    check_in_parts(device, &[40, 30, 50], Shape::new(13, 5, 2000), &mut Random(seed))?;
    let compared = check_multiples(device, 65, &Multiples::new(13, 7), 11, &mut Random(seed))?;
    Ok(1 + compared + few_of::<G1>(device, seed)? + few_of::<G2>(device, seed)?)
}

fn few_of<G: Known>(device: &Device, seed: u64) -> Result<usize, String> {
    // Partial sums of buckets are merged by a few blocks, and then by one.
    const N: usize = 65;
    let random = &mut Random(seed);
    let points = nasty_points::<G>(N, random);
    let on_device = told("points", DeviceBuffer::from_host(&points.points, &device.stream))?;
    let mut scratch = told("scratch", DeviceBuffer::new(1))?;
    // Wide windows, as there are blocks for each; and few segments of buckets, for the same reason.
    let shape = Shape::new(13, 10, 1500);
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
            check_msm(device, &points, &on_device, &case, Shape::for_terms::<G>(case.len), &mut arena)?;
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
    cases.push(Case { len: n, reversed: Some((bits, 0)), ..plain("reversed, all", more.clone()) });
    let (positions, count) = ((0..n).map(|_| pick(random, n)).collect(), pick(random, n + 1));
    let some = Case { len: n, positions: Some(positions), count: Some(count), ..plain("reversed, some", more) };
    cases.push(Case { reversed: Some((bits, 0)), ..some });
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
    let mut run = |form: Form| -> Result<_, interlock::Error> {
        let needed = msm_scratch_bytes::<G>(case.len, shape)?;
        if scratch.len() < needed {
            *scratch = poisoned(needed, stream)?;
        }
        let upload =
            |numbers: &Option<Vec<u32>>| numbers.as_ref().map(|n| DeviceBuffer::from_host(n, stream)).transpose();
        let (positions, indices) = (upload(&case.positions)?, upload(&case.indices)?);
        let scalars = match form {
            Form::Montgomery => DeviceBuffer::from_host(&case.scalars, stream)?,
            Form::Integers => DeviceBuffer::from_host(&integers(&case.scalars), stream)?,
        };
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
            form,
            order,
            len: case.len,
            count: case.count.map(|_| (&*count, 1)),
        };
        msm::<G>(&mut sums, &terms, shape, scratch, stream)?;
        Ok(combine::<G>(&sums.to_host(stream)?, shape))
    };
    let terms = (0..counted).into_par_iter().map(|i| (case.position(i), case.scalars[case.index(i)]));
    let expected = points.expected(terms);
    for form in [Form::Montgomery, Form::Integers] {
        let what = || format!("{} MSM of {} terms ({}, {form:?}), {shape:?}", G::NAME, case.len, case.name);
        if !is_same::<G>(&told(what(), run(form))?, &expected) {
            return Err(format!("{}: the result is wrong", what()));
        }
    }
    Ok(())
}

/// Scalars that a kernel takes for the integers which these stand for.
fn integers(scalars: &[blst_fr]) -> Vec<blst_fr> {
    scalars.iter().map(integer).collect()
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
            let segment = 1 + (random.word() % (1 << (bits - 1).min(7))) as u32;
            let shape = Shape::new(bits, group.min(if bits > 12 { 4 } else { windows }), segment);
            let scalars = (0..n).map(|_| scalar(random)).collect();
            let (positions, indices, reversed, count) = (None, None, None, None);
            let case = Case { name: "random", positions, scalars, indices, reversed, len: n, count };
            check_msm(device, &points, &on_device, &case, shape, scratch)?;
            compared += 1;
        }
    }
    Ok(compared)
}

/// MSMs in G1 whose points have multiples, for windows of several sizes and numbers of sets of buckets.
fn with_multiples(device: &Device, most: usize, random: &mut Random) -> Result<usize, String> {
    let mut compared = 0;
    for n in [1, 2, 100, 5000, 70_000].into_iter().filter(|n| *n <= most) {
        for bits in [4, 5, 8, 13, 16] {
            let windows = 255_u32.div_ceil(bits);
            for sets in [1, 2, 1 + random.below(windows as usize - 1) as u32] {
                let group = 1 + random.below(windows as usize) as u32;
                compared += check_multiples(device, n, &Multiples::new(bits, sets), group, random)?;
            }
        }
    }
    Ok(compared)
}

/// Those of `n` points, `group` windows at a time.
fn check_multiples(
    device: &Device,
    n: usize,
    multiples: &Multiples,
    group: u32,
    random: &mut Random,
) -> Result<usize, String> {
    let points = nasty_points::<G1>(n, random);
    let mut scratch = told("scratch", poisoned(1 << 20, &device.stream))?;
    let on_device = told("points", DeviceBuffer::from_host(&points.points, &device.stream))?;
    let all = told("multiples", multiples_of(&on_device, multiples, device))?;
    let shape = told("shape", Shape::sharing(multiples, n, n, 1 << 30))?.in_groups_of(group);
    let cases = cases(n, random);
    let cases = cases.iter().filter(|case| case.len == n && case.positions.is_none());
    let check = |case| check_msm(device, &points, &all, case, shape, &mut scratch);
    Ok(cases.map(check).collect::<Result<Vec<_>, String>>()?.len())
}

/// The points and their multiples.
pub fn multiples_of(
    points: &DeviceBuffer<<G1 as Group>::Affine>,
    multiples: &Multiples,
    device: &Device,
) -> Result<DeviceBuffer<<G1 as Group>::Affine>, interlock::Error> {
    let (n, stream) = (points.len(), &device.stream);
    let all = DeviceBuffer::new(multiples.tables() * n)?;
    let mut scratch = DeviceBuffer::new((240 * n).min(1 << 30))?;
    let table = |i: usize| all.range(i * n..(i + 1) * n);
    // Times 1: copied.
    multiply_points(&table(0), points, 0, &mut scratch, stream)?;
    for i in 1..multiples.tables() {
        multiply_points(&table(i), &table(i - 1), multiples.doublings(), &mut scratch, stream)?;
    }
    stream.synchronize()?;
    Ok(all)
}

/// MSMs in G1 whose terms come in parts, with windows of several sizes.
fn in_parts(device: &Device, most: usize, seed: u64) -> Result<usize, String> {
    let random = &mut Random(seed);
    let cases: [(&[usize], Shape); 8] = [
        (&[1], Shape::new(5, 26, 1)),
        (&[3, 0, 1, 100], Shape::new(5, 7, 3)),
        (&[1000, 1, 700], Shape::new(8, 16, 8)),
        (&[257; 9], Shape::new(2, 128, 1)),
        (&[4097, 20_001], Shape::new(10, 13, 13)),
        (&[30_000, 30_000, 5_000], Shape::new(13, 10, 64)),
        (&[50_003; 3], Shape::new(16, 4, 11)),
        (&[65_536, 65_535], Shape::new(17, 8, 20)),
    ];
    let fitting = cases.iter().filter(|(parts, _)| parts.iter().sum::<usize>() <= 2 * most);
    fitting.map(|(parts, shape)| check_in_parts(device, parts, *shape, random)).sum()
}

/// Parts of several kinds: random scalars, equal ones, and those of the part before, negated, for the same points.
fn check_in_parts(device: &Device, parts: &[usize], shape: Shape, random: &mut Random) -> Result<usize, String> {
    let longest = parts.iter().copied().max().unwrap_or(0);
    let what = || format!("G1 MSM of parts of {parts:?} terms, {shape:?}");
    for kind in 0..3 {
        let points = nasty_points::<G1>(longest, random);
        let mut before: Vec<blst_fr> = (0..longest).map(|_| scalar(random)).collect();
        let mut next = |len: &usize| {
            let scalars: Vec<blst_fr> = match kind {
                0 => (0..*len).map(|_| scalar(random)).collect(),
                1 => vec![before[0]; *len],
                _ => before[..*len].iter().map(negative).collect(),
            };
            before.splice(..*len, scalars.iter().copied());
            scalars
        };
        let parts: Vec<_> = parts.iter().map(&mut next).collect();
        let result = told(what(), msm_in_parts(device, &points, None, &parts, shape))?;
        let all: Vec<_> = parts.into_iter().flat_map(|scalars| scalars.into_iter().enumerate()).collect();
        if !is_same::<G1>(&result, &points.expected(all.into_par_iter())) {
            return Err(format!("{}: the result is wrong for kind {kind}", what()));
        }
    }
    Ok(3)
}

/// MSMs in G1 of one term each, whose scalars are the first of 2^32 in bit-reversed order.
fn of_largest_domain(device: &Device, seed: u64) -> Result<usize, String> {
    const BITS: u32 = 32;
    let (stream, random, shape) = (&device.stream, &mut Random(seed), Shape::for_terms::<G1>(1));
    let points = Points::<G1>::new(1, random);
    let scalars: Vec<blst_fr> = (0..5).map(|_| scalar(random)).collect();
    for (number, x) in scalars.iter().enumerate() {
        let run = || -> Result<_, interlock::Error> {
            let on_device = DeviceBuffer::from_host(&points.points, stream)?;
            let first_scalars = DeviceBuffer::from_host(&scalars, stream)?;
            // SAFETY: kernels read the term's scalar, which is there, and none of the others.
            let scalars = unsafe { DeviceSlice::from_raw(first_scalars.as_raw(), 1 << BITS) };
            let order = Scalars::Reversed { bits: BITS, first: (number as u32).reverse_bits() as usize };
            let (points, form) = (&on_device, Form::Montgomery);
            let terms = Terms { points, positions: None, scalars: &scalars, form, order, len: 1, count: None };
            let mut scratch = poisoned(msm_scratch_bytes::<G1>(1, shape)?, stream)?;
            let mut sums = poisoned(shape.sums(), stream)?;
            msm::<G1>(&mut sums, &terms, shape, &mut scratch, stream)?;
            Ok(combine::<G1>(&sums.to_host(stream)?, shape))
        };
        let what = || format!("G1 MSM of scalar {number} of 2^{BITS}");
        if !is_same::<G1>(&told(what(), run())?, &points.expected([(0, *x)].into_par_iter())) {
            return Err(format!("{}: the result is wrong", what()));
        }
    }
    Ok(scalars.len())
}

/// Sums of three queries at once, which grow in two parts, by so many blocks.
fn check_sums<G: Known>(
    device: &Device,
    points: &Points<G>,
    on_device: &DeviceBuffer<G::Affine>,
    n: usize,
    random: &mut Random,
) -> Result<usize, String> {
    const QUERIES: usize = 3;
    let stream = &device.stream;
    let some: Vec<u32> = (0..2 * n).map(|_| (random.word() % n as u64) as u32).collect();
    let one = vec![(n / 3) as u32; n];
    // Positions, how many there are, and how many of them count.
    let all = (None, n, None);
    let chosen = (Some(&some), 2 * n, None);
    let same = (Some(&one), n, None);
    let counted = (Some(&some), 2 * n, Some(n as u32));
    let none = (None, 0, None);
    let cases = [
        (1, [all, chosen, none], [none, all, none]),
        (3, [same, same, counted], [chosen, none, all]),
        (300, [counted, all, chosen], [same, counted, same]),
    ];
    for (blocks, first, second) in cases {
        let what = || format!("{} sums of up to {} points by {blocks} blocks", G::NAME, 4 * n);
        let run = || -> Result<_, interlock::Error> {
            let room =
                DeviceBuffer::from_host(&vec![zero_sum::<G>(); Accumulators::<G>::sums(QUERIES, blocks)], stream)?;
            let accumulators = Accumulators::<G>::new(room.all(), QUERIES, blocks)?;
            for part in [first, second] {
                let upload =
                    |list: Option<&Vec<u32>>| list.map(|list| DeviceBuffer::from_host(list, stream)).transpose();
                let lists = part.iter().map(|query| upload(query.0)).collect::<Result<Vec<_>, _>>()?;
                let counts: Vec<u32> = part.iter().map(|query| query.2.unwrap_or(0)).collect();
                let counts = DeviceBuffer::from_host(&counts, stream)?;
                let terms = part.iter().zip(&lists).enumerate().map(|(i, ((_, len, count), list))| SumTerms {
                    points: on_device,
                    positions: list.as_deref(),
                    len: *len,
                    count: count.map(|_| (&*counts, i)),
                });
                accumulators.add(&terms.collect::<Vec<_>>(), stream)?;
                stream.synchronize()?;
            }
            let mut scratch = poisoned(accumulators.total_scratch(), stream)?;
            let mut sums = poisoned(QUERIES, stream)?;
            accumulators.total(&mut sums, &mut scratch, stream)?;
            sums.to_host(stream)
        };
        let sums = told(what(), run())?;
        for (query, sum) in sums.iter().enumerate() {
            let mut positions = Vec::new();
            for (list, len, count) in [first[query], second[query]] {
                let counted = count.map_or(len, |count| count as usize);
                positions.extend((0..counted).map(|i| list.map_or(i, |list: &Vec<u32>| list[i] as usize)));
            }
            let terms = positions.into_par_iter().map(|position| (position, fr_one()));
            if !is_same::<G>(&G::to_jacobian(sum), &points.expected(terms)) {
                return Err(format!("{}: the sum of query {query} is wrong", what()));
            }
        }
    }
    Ok(QUERIES * cases.len())
}

/// A sum that is infinity.
fn zero_sum<G: Known>() -> G::Sum {
    // SAFETY: sums are words.
    unsafe { std::mem::zeroed() }
}
