//! The copying of terms against a loop over them.

use blst::blst_fr;
use interlock::kit::{copy_terms, CopiedTerms, DeviceBuffer, Form, Group, Plain, Scalars, Stream, Terms, G1, G2};

use super::known::{poisoned, told, Known};
use crate::device::Device;
use crate::inputs::Random;

/// Points and scalars that have been copied.
type Copied<G> = (Vec<<G as Group>::Affine>, Vec<blst_fr>);

/// Lists a call.
const MOST: usize = 3;
/// Room that is left alone.
const BEFORE: usize = 3;
const AFTER: usize = 2;

/// Compares copies of up to `most` terms, and returns how many agreed.
///
/// # Errors
/// What differs.
pub fn check(device: &Device, most: usize, seed: u64) -> Result<usize, String> {
    let random = &mut Random(seed);
    let mut compared = 0;
    let all = [0, 1, 2, 31, 33, 85, 1000, 8191, 70_000].map(|terms: usize| terms.min(most));
    for terms in all {
        for counted in [0, 1, terms / 2, (terms / 3) | 1, terms] {
            let counted = counted.min(terms);
            let mut lens: Vec<_> = (0..random.below(MOST))
                .map(|_| {
                    let terms = random.pick(&all);
                    [terms, random.below(terms + 1)]
                })
                .collect();
            lens.insert(random.below(lens.len() + 1), [terms, counted]);
            compared += check_group::<G1>(device, &lens, random)? + check_group::<G2>(device, &lens, random)?;
        }
    }
    for lens in [&[][..], &[[0, 0]; MOST], &[[0, 0], [7, 4], [0, 0]], &[[7, 7], [0, 0], [7, 0]]] {
        compared += check_group::<G1>(device, lens, random)? + check_group::<G2>(device, lens, random)?;
    }
    Ok(compared)
}

/// Terms on the host: the first `counted` count, the numbers of the others are out of range.
struct Listed<G: Known> {
    points: Vec<G::Affine>,
    scalars: Vec<blst_fr>,
    positions: Vec<u32>,
    indices: Vec<u32>,
    counted: usize,
}

impl<G: Known> Listed<G> {
    fn new([terms, counted]: [usize; 2], random: &mut Random) -> Self {
        let values = terms.max(1) + 7;
        let points = (0..values).map(|_| random_point::<G>(random)).collect();
        let scalars =
            (0..values).map(|_| blst_fr { l: [random.word(), random.word(), random.word(), random.word()] }).collect();
        let mut numbers = || -> Vec<u32> {
            let number = |i| if i < counted { random.below(values) as u32 } else { u32::MAX };
            (0..terms).map(number).collect()
        };
        Self { points, scalars, positions: numbers(), indices: numbers(), counted }
    }
}

/// The same on the device, and where they are copied to.
struct Sent<G: Known> {
    points: DeviceBuffer<G::Affine>,
    scalars: DeviceBuffer<blst_fr>,
    positions: DeviceBuffer<u32>,
    indices: DeviceBuffer<u32>,
    count: DeviceBuffer<u32>,
    to_points: DeviceBuffer<G::Affine>,
    to_scalars: DeviceBuffer<blst_fr>,
}

impl<G: Known> Sent<G> {
    fn new(listed: &Listed<G>, stream: &Stream) -> Result<Self, interlock::Error> {
        let room = BEFORE + listed.positions.len() + AFTER;
        Ok(Self {
            points: DeviceBuffer::from_host(&listed.points, stream)?,
            scalars: DeviceBuffer::from_host(&listed.scalars, stream)?,
            positions: DeviceBuffer::from_host(&listed.positions, stream)?,
            indices: DeviceBuffer::from_host(&listed.indices, stream)?,
            count: DeviceBuffer::from_host(&[u32::MAX, listed.counted as u32], stream)?,
            to_points: poisoned(room, stream)?,
            to_scalars: poisoned(room, stream)?,
        })
    }

    fn terms(&self) -> Terms<'_, G> {
        Terms {
            points: &self.points,
            positions: Some(&self.positions),
            scalars: &self.scalars,
            form: Form::Montgomery,
            order: Scalars::Indexed(&self.indices),
            len: self.positions.len(),
            count: Some((&self.count, 1)),
        }
    }

    fn copied<'a>(&self, terms: &'a Terms<'a, G>) -> CopiedTerms<'a, G> {
        let range = BEFORE..BEFORE + terms.len;
        CopiedTerms { points: self.to_points.range(range.clone()), scalars: self.to_scalars.range(range), terms }
    }

    fn found(&self, stream: &Stream) -> Result<Copied<G>, interlock::Error> {
        Ok((self.to_points.to_host(stream)?, self.to_scalars.to_host(stream)?))
    }
}

/// Copies lists together, of so many terms each, of which so many count, and returns how many lists there are.
fn check_group<G: Known>(device: &Device, lens: &[[usize; 2]], random: &mut Random) -> Result<usize, String> {
    let listed: Vec<Listed<G>> = lens.iter().map(|lens| Listed::new(*lens, random)).collect();
    let what = format!("copying of terms and those that count, {lens:?}, in {}", G::NAME);
    let found = told(&what, copied(&device.stream, &listed))?;
    for (Listed { points, scalars, positions, indices, counted }, (found_points, found_scalars)) in
        listed.iter().zip(&found)
    {
        compare(&what, found_points, points, &positions[..*counted], [BEFORE, AFTER])?;
        compare(&what, found_scalars, scalars, &indices[..*counted], [BEFORE, AFTER])?;
    }
    Ok(lens.len())
}

/// What is where lists have been copied to.
fn copied<G: Known>(stream: &Stream, listed: &[Listed<G>]) -> Result<Vec<Copied<G>>, interlock::Error> {
    let sent: Vec<Sent<G>> = listed.iter().map(|listed| Sent::new(listed, stream)).collect::<Result<_, _>>()?;
    let terms: Vec<Terms<'_, G>> = sent.iter().map(Sent::terms).collect();
    let copies: Vec<CopiedTerms<'_, G>> = sent.iter().zip(&terms).map(|(sent, terms)| sent.copied(terms)).collect();
    copy_terms(&copies, stream)?;
    sent.iter().map(|sent| sent.found(stream)).collect()
}

/// Whether `found` is what was there, then the values with these numbers, then zeros, and then what was there.
fn compare<T: Plain>(
    what: &str,
    found: &[T],
    values: &[T],
    numbers: &[u32],
    [before, after]: [usize; 2],
) -> Result<(), String> {
    let all = |byte| vec![byte; size_of::<T>()];
    let copied = found.len() - before - after;
    for (i, value) in found.iter().enumerate() {
        let expected = match i.checked_sub(before) {
            Some(i) if i < numbers.len() => bytes(&values[numbers[i] as usize]).to_vec(),
            Some(i) if i < copied => all(0),
            _ => all(u8::MAX),
        };
        if bytes(value) != expected {
            return Err(format!("{what}: what is at {i} of {} for {copied} is wrong", found.len()));
        }
    }
    Ok(())
}

fn bytes<T: Plain>(value: &T) -> &[u8] {
    // SAFETY: a plain value's bytes, none of which is padding.
    unsafe { std::slice::from_raw_parts(std::ptr::from_ref(value).cast(), size_of::<T>()) }
}

/// Any words: nothing is computed with them.
fn random_point<G: Known>(random: &mut Random) -> G::Affine {
    assert_eq!(size_of::<G::Affine>() % 8, 0);
    let mut point = G::Affine::default();
    let words = size_of::<G::Affine>() / 8;
    for i in 0..words {
        // SAFETY: one of the point's words, any of which is a value.
        unsafe { std::ptr::from_mut(&mut point).cast::<u64>().add(i).write(random.word()) };
    }
    point
}
