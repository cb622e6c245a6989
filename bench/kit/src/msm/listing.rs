//! The listing of queries' terms against a loop over the variables.

use interlock::kit::{list, terms_scratch_bytes, DeviceBuffer, Lists, QueryVariables, Stream, Variables};

use super::known::{poisoned, told};
use crate::device::Device;
use crate::inputs::Random;

const TILE: usize = 8192;
/// Queries a call.
const MOST: usize = 3;

struct Segment {
    classes: Vec<u8>,
    density: Option<Vec<bool>>,
    chunk: Option<usize>,
}

struct Query {
    inputs: Option<Segment>,
    private: Segment,
}

/// Compares lists of queries of up to `most` variables, some of them listed together, and returns how many agreed.
///
/// # Errors
/// What differs.
pub fn check(device: &Device, most: usize, seed: u64) -> Result<usize, String> {
    let random = &mut Random(seed);
    let mut compared = check_few_variables(device, random)?;
    for n in
        [0, 1, 31, 32, 33, 63, 64, 65, 1000, TILE - 1, TILE, TILE + 1, 5 * TILE + 77, 40 * TILE + 3, 700 * TILE + 5]
    {
        for density in [None, Some(1), Some(2), Some(50)] {
            for chunk in [None, Some(TILE), Some(3 * TILE)] {
                if n > most {
                    continue;
                }
                let inputs = random_segment(random.below(400), Some(2), None, random);
                let query = Query { inputs: Some(inputs), private: random_segment(n, density, chunk, random) };
                let mut queries: Vec<_> = (0..random.below(MOST)).map(|_| random_query(random)).collect();
                queries.insert(random.below(queries.len() + 1), query);
                compared += check_queries(device, &queries)?;
            }
        }
    }
    Ok(compared)
}

/// Every choice of queries of few variables, with empty runs at every place.
fn check_few_variables(device: &Device, random: &mut Random) -> Result<usize, String> {
    let mut compared = check_queries(device, &[])?;
    let lens = [[None, Some(0)], [None, Some(1)], [Some(0), Some(0)], [Some(5), Some(0)], [Some(TILE + 1), Some(3)]];
    let mut query = |i: usize| {
        let mut segment = |len| random_segment(len, Some(2), Some(TILE), random);
        let [inputs, private] = lens[i].map(|len| len.map(&mut segment));
        Query { inputs, private: private.unwrap_or_else(|| segment(0)) }
    };
    for choice in 0..lens.len().pow(MOST as u32) {
        let numbers = [choice % lens.len(), choice / lens.len() % lens.len(), choice / lens.len().pow(2)];
        let queries = numbers.map(&mut query);
        for queries in [&queries[..1], &queries[..2], &queries[..]] {
            compared += check_queries(device, queries)?;
        }
    }
    Ok(compared)
}

/// One of a few tiles of inputs and of private variables at most, or of none.
fn random_query(random: &mut Random) -> Query {
    let mut segment = |most: usize| {
        let some = random.below(most);
        let n = random.pick(&[0, 1, some, most]);
        let density = random.pick(&[None, Some(1), Some(2), Some(50)]);
        let chunk = random.pick(&[None, Some(TILE), Some(3 * TILE)]);
        random_segment(n, density, chunk, random)
    };
    let (inputs, private) = (segment(2 * TILE), segment(4 * TILE + 1));
    Query { inputs: random.pick(&[true, false]).then_some(inputs), private }
}

fn random_segment(n: usize, density: Option<u64>, chunk: Option<usize>, random: &mut Random) -> Segment {
    let skew = random.word() % 4;
    let mut class = || match skew {
        0 => 1,
        1 => 2,
        _ => (random.word() % 3) as u8,
    };
    let classes = (0..n).map(|_| class()).collect();
    let density = density.map(|of| (0..n).map(|_| random.word() % of == 0).collect());
    Segment { classes, density, chunk }
}

impl Query {
    fn segments(&self) -> impl Iterator<Item = &Segment> {
        self.inputs.iter().chain([&self.private])
    }

    fn expected(&self) -> Expected {
        let (mut ones, mut full, mut position) = (Vec::new(), Vec::new(), 0u32);
        for segment in self.segments() {
            let mut number = 0;
            for (i, class) in segment.classes.iter().enumerate() {
                if segment.chunk.is_some_and(|chunk| i % chunk == 0) {
                    number = start_of(i / segment.chunk.unwrap_or(1));
                }
                let chosen = segment.density.as_ref().is_none_or(|density| density[i]);
                match (chosen, class) {
                    (true, 1) => ones.push(position),
                    (true, 2) => full.push((position, number)),
                    _ => {}
                }
                position += u32::from(chosen);
                number += u32::from(*class == 2);
            }
        }
        let (positions, indices): (Vec<u32>, Vec<u32>) = full.into_iter().unzip();
        let counts = vec![position, ones.len() as u32, positions.len() as u32];
        Expected { counts, ones, positions, indices }
    }
}

/// What a query's lists should be.
struct Expected {
    counts: Vec<u32>,
    ones: Vec<u32>,
    positions: Vec<u32>,
    indices: Vec<u32>,
}

/// A segment on the device.
struct Sent {
    classes: DeviceBuffer<u64>,
    density: Option<DeviceBuffer<u64>>,
    starts: DeviceBuffer<u32>,
    len: usize,
    chunk: Option<usize>,
}

impl Sent {
    fn new(segment: &Segment, stream: &Stream) -> Result<Self, interlock::Error> {
        let len = segment.classes.len();
        let classes = packed(segment.classes.iter().map(|class| u64::from(*class)), 2);
        let bits = |density: &Vec<bool>| packed(density.iter().map(|bit| u64::from(*bit)), 1);
        let density = segment.density.as_ref().map(|d| DeviceBuffer::from_host(&bits(d), stream)).transpose()?;
        let starts: Vec<u32> = segment.chunk.map_or(vec![], |chunk| (0..len.div_ceil(chunk)).map(start_of).collect());
        let (classes, starts) = (DeviceBuffer::from_host(&classes, stream)?, DeviceBuffer::from_host(&starts, stream)?);
        Ok(Self { classes, density, starts, len, chunk: segment.chunk })
    }

    fn variables(&self) -> Variables<'_> {
        let chunks = self.chunk.map(|chunk| (chunk, &*self.starts));
        Variables { classes: &self.classes, density: self.density.as_deref(), len: self.len, chunks }
    }
}

/// Lists on the device, with room behind that is left alone.
struct Room {
    counts: DeviceBuffer<u32>,
    ones: DeviceBuffer<u32>,
    positions: DeviceBuffer<u32>,
    indices: DeviceBuffer<u32>,
}

const BEHIND: usize = 2;

impl Room {
    fn new(expected: &Expected, stream: &Stream) -> Result<Self, interlock::Error> {
        let room = |list: &[u32]| poisoned(list.len() + BEHIND, stream);
        Ok(Self {
            counts: room(&expected.counts)?,
            ones: room(&expected.ones)?,
            positions: room(&expected.positions)?,
            indices: room(&expected.indices)?,
        })
    }

    fn lists(&self) -> Lists<'_> {
        Lists { ones: &self.ones, positions: &self.positions, indices: &self.indices, counts: &self.counts }
    }

    fn found(&self, stream: &Stream) -> Result<[Vec<u32>; 4], interlock::Error> {
        let Self { counts, ones, positions, indices } = self;
        Ok([counts.to_host(stream)?, ones.to_host(stream)?, positions.to_host(stream)?, indices.to_host(stream)?])
    }
}

/// Lists queries together, and returns how many there are.
fn check_queries(device: &Device, queries: &[Query]) -> Result<usize, String> {
    let lens: Vec<Vec<usize>> =
        queries.iter().map(|query| query.segments().map(|segment| segment.classes.len()).collect()).collect();
    let what = format!("listing of {lens:?} variables");
    let expected: Vec<Expected> = queries.iter().map(Query::expected).collect();
    let found = told(&what, listed(&device.stream, queries, &expected))?;
    for (query, (found, expected)) in found.iter().zip(&expected).enumerate() {
        let Expected { counts, ones, positions, indices } = expected;
        for (name, found, expected) in [
            ("counts", &found[0], counts),
            ("ones", &found[1], ones),
            ("positions", &found[2], positions),
            ("indices", &found[3], indices),
        ] {
            let expected = [expected.as_slice(), &[u32::MAX; BEHIND]].concat();
            if *found != expected {
                let first = found.iter().zip(&expected).position(|(found, expected)| found != expected);
                return Err(format!("{what}: the {name} of query {query} are wrong, first at {first:?}"));
            }
        }
    }
    Ok(queries.len())
}

/// The lists of queries, whose lengths are known, and what is behind them.
fn listed(stream: &Stream, queries: &[Query], expected: &[Expected]) -> Result<Vec<[Vec<u32>; 4]>, interlock::Error> {
    let rooms: Vec<Room> = expected.iter().map(|expected| Room::new(expected, stream)).collect::<Result<_, _>>()?;
    let lists: Vec<Lists<'_>> = rooms.iter().map(Room::lists).collect();
    let send = |query: &Query| -> Result<_, interlock::Error> {
        let inputs = query.inputs.as_ref().map(|inputs| Sent::new(inputs, stream)).transpose()?;
        Ok((inputs, Sent::new(&query.private, stream)?))
    };
    let sent: Vec<(Option<Sent>, Sent)> = queries.iter().map(send).collect::<Result<_, _>>()?;
    let queries: Vec<QueryVariables<'_>> = std::iter::zip(&lists, &sent)
        .map(|(lists, (inputs, private))| QueryVariables {
            lists,
            inputs: inputs.as_ref().map(Sent::variables),
            private: private.variables(),
        })
        .collect();
    let mut scratch = poisoned(terms_scratch_bytes(&queries), stream)?;
    list(&queries, &mut scratch, stream)?;
    rooms.iter().map(|room| room.found(stream)).collect()
}

/// Where the scalars of a chunk begin: chunks need not follow each other.
fn start_of(chunk: usize) -> u32 {
    1000 + 100_000 * chunk as u32
}

/// Values of `bits` bits in 64-bit words; what is past the end is not zero, as nothing promises that it is.
fn packed(values: impl Iterator<Item = u64>, bits: usize) -> Vec<u64> {
    let mut words = Vec::new();
    let mut filled = 64;
    for value in values {
        if filled == 64 {
            words.push(u64::MAX);
            filled = 0;
        }
        let last = words.len() - 1;
        words[last] = words[last] & !(((1 << bits) - 1) << filled) | value << filled;
        filled += bits;
    }
    words
}
