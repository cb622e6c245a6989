//! How much scratch MSMs take, without a device to ask: the shapes of `cuda/msm`, and bounds of what its launchers say.

use std::sync::{LazyLock, Mutex};

/// Bytes of a sum in G1, in four coordinates.
pub(crate) const G1_SUM: usize = 192;
/// Bytes of a sum in G2.
pub(crate) const G2_SUM: usize = 384;

/// The bits of a window, by the number of terms: for up to so many of them. Those of G1, and of G2.
const WINDOW_BITS: [[(usize, u32); 8]; 2] = [
    [
        (1 << 6, 5),
        (1 << 14, 8),
        (1 << 15, 13),
        (1 << 19, 15),
        (1 << 20, 16),
        (1 << 23, 17),
        (1 << 25, 20),
        (usize::MAX, 22),
    ],
    [
        (1 << 6, 5),
        (1 << 14, 8),
        (1 << 17, 13),
        (1 << 19, 15),
        (1 << 21, 16),
        (1 << 23, 17),
        (1 << 25, 20),
        (usize::MAX, 22),
    ],
];

/// The group whose sums have so many bytes, of those that tables have.
fn group(sum: usize) -> usize {
    usize::from(sum > G1_SUM)
}
/// Bits that the digits hold.
const SCALAR_BITS: u32 = 255;
/// Entries that are sorted at a time, and that are added at a time.
const GROUP_ENTRIES: usize = 1 << 28;
const LAUNCH_ENTRIES: usize = 5 << 24;
/// Entries in G1, and in G2, whose adding takes an H200 some 5 ms: uploads wait no longer for kernels where no more are sorted at a time.
#[cfg(any(test, interlock_cuda))]
const YIELDING_ENTRIES: [usize; 2] = [1 << 24, 1 << 22];
/// Blocks of threads for the segments of the buckets of a group of windows, at most, in G1 and in G2.
const GROUP_BLOCKS: [usize; 2] = [132 * 3, 132 * 2];
/// Sums that such a block leaves, beside two a thread.
const BLOCK_SUMS: usize = 9;
/// Threads that share out those, at most; entries a thread, at least; threads of a block.
const MAX_CHUNKS: usize = 456 * BLOCK;
const MIN_CHUNK: usize = 8;
const BLOCK: usize = 128;
/// Bytes of coordinates that a block merges: a sum has four coordinates.
const MERGED: usize = 4 * 6144;
/// Terms of an MSM, at most: numbers of points have 31 bits beside a sign, and those of a window's entries 32.
const MOST_TERMS: usize = 1 << 30;
/// A lower bound of the items of a tile of CUB's sort, whichever the device: from 6,528 for compute capability 8.0 to 11,776 for 7.5.
const SORT_TILE: usize = 4096;
/// Bytes that CUB's sort keeps for a tile, and for up to [`SORT_PORTION`] items besides.
const SORT_TILE_BYTES: usize = 1024;
const SORT_PORTION_BYTES: usize = 4 * 256 * 8 + 4 * 256;
const SORT_PORTION: usize = 1 << 27;

/// How an MSM's scalars are cut into windows, as `launchers.h` explains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Windows {
    pub(crate) bits: u32,
    pub(crate) count: u32,
    pub(crate) group: u32,
    pub(crate) segment: u32,
    /// Sets of buckets: as many as windows, or fewer that these share.
    pub(crate) sets: u32,
}

impl Windows {
    /// Those that suit `terms` terms with sums of `sum` bytes if there is scratch enough.
    pub(crate) fn suiting(terms: usize, sum: usize) -> Self {
        Self::suiting_in(terms, sum, GROUP_ENTRIES)
    }

    /// The same where so many entries may be sorted at a time.
    fn suiting_in(terms: usize, sum: usize, entries: usize) -> Self {
        let bits = WINDOW_BITS[group(sum)].iter().find(|row| terms <= row.0).map_or(LEAST_BITS, |row| row.1);
        Self::of((bits, SCALAR_BITS.div_ceil(bits)), terms, sum, entries)
    }

    /// Those of so many bits that share `sets` sets of buckets in G1, for `terms` terms, if there is scratch enough.
    fn sharing(terms: usize, bits: u32, sets: u32) -> Self {
        Self::of((bits, sets), terms, G1_SUM, GROUP_ENTRIES)
    }

    /// Those of so many bits and sets of buckets, where so many entries of `terms` terms may be sorted at a time.
    fn of((bits, sets): (u32, u32), terms: usize, sum: usize, entries: usize) -> Self {
        let count = SCALAR_BITS.div_ceil(bits);
        let group = (entries / terms.max(1)).clamp(1, count as usize) as u32;
        Self { bits, count, group, segment: 1, sets }.segmented(sum, |_| true)
    }

    /// The same in the shortest segments that the device works on at once and that will do; the longest if none will.
    fn segmented(self, sum: usize, will_do: impl Fn(&Self) -> bool) -> Self {
        let most = GROUP_BLOCKS[group(sum)];
        let of = |segment| Self { segment: segment as u32, ..self };
        let is_too_short = |segment| !(of(segment).most_blocks() <= most && will_do(&of(segment)));
        of(last_fitting(0, 1 << (self.bits - 1), |segment| segment == 0 || is_too_short(segment)) + 1)
    }

    /// Blocks of threads for the segments of a group, at most. Those of the last window's buckets for which scalars are too small do not
    /// count.
    fn most_blocks(&self) -> usize {
        if self.share_buckets() {
            return self.sets as usize * self.blocks_per_window();
        }
        let (count, groups) = (self.count as usize, self.count.div_ceil(self.group) as usize);
        let last_buckets = 1_usize << (SCALAR_BITS - 1 - self.bits * (self.count - 1));
        let of_last = last_buckets.div_ceil(self.segment as usize * BLOCK);
        let blocks = (0..groups).map(|group| {
            let windows = (group + 1) * count / groups - group * count / groups;
            match group + 1 == groups {
                true => (windows - 1) * self.blocks_per_window() + of_last,
                false => windows * self.blocks_per_window(),
            }
        });
        blocks.max().unwrap_or(0)
    }

    /// Whether windows share sets of buckets.
    fn share_buckets(&self) -> bool {
        self.sets < self.count
    }

    /// The segments of a window.
    fn segments(&self) -> usize {
        (1_usize << (self.bits - 1)).div_ceil(self.segment as usize)
    }

    /// Blocks of threads for them.
    fn blocks_per_window(&self) -> usize {
        self.segments().div_ceil(BLOCK)
    }

    /// The sums that are left of a window: one, and one for each bit of a segment's number.
    #[cfg(any(test, interlock_cuda))]
    pub(crate) fn sums_per_window(&self) -> u32 {
        1 + self.segments().next_power_of_two().trailing_zeros()
    }

    /// Those that suit with as many windows at a time as `limit` bytes of scratch allow for sums of `sum` bytes, if they do for one.
    #[cfg(any(test, interlock_cuda))]
    pub(crate) fn within(terms: usize, sum: usize, limit: usize) -> Option<Self> {
        Self::suiting(terms, sum).in_groups(terms, sum, limit)
    }

    /// The same for terms beside which uploads go on.
    #[cfg(any(test, interlock_cuda))]
    pub(crate) fn yielding(terms: usize, sum: usize, limit: usize) -> Option<Self> {
        let entries = YIELDING_ENTRIES[group(sum)];
        let windows = Self::suiting_in(terms, sum, entries).in_groups(terms, sum, limit);
        // Their segments are shorter, which takes more scratch.
        windows.or_else(|| Self::within(terms, sum, limit))
    }

    fn in_groups(self, terms: usize, sum: usize, limit: usize) -> Option<Self> {
        let shapes = (1..=self.group).rev().map(|group| Self { group, ..self });
        shapes.into_iter().find(|windows| windows.scratch(terms, sum) <= limit)
    }

    /// Bytes of scratch, at most.
    pub(crate) fn scratch(&self, terms: usize, sum: usize) -> usize {
        let with_buckets = if self.share_buckets() { self.sets } else { self.group };
        fill_scratch(terms, self.group as usize, sum)
            + aligned(self.buckets(sum, with_buckets))
            + self.reduce_scratch(sum, with_buckets)
    }

    /// Bytes of the buckets of so many windows.
    fn buckets(&self, sum: usize, windows: u32) -> usize {
        (sum * windows as usize) << (self.bits - 1)
    }

    /// Bytes of scratch for the reduction of the buckets of so many windows at a time.
    fn reduce_scratch(&self, sum: usize, windows: u32) -> usize {
        let of_blocks = |windows: u32, sums: usize| aligned(sum * windows as usize * self.blocks_per_window() * sums);
        2 * of_blocks(windows, BLOCK) + of_blocks(self.sets, BLOCK_SUMS)
    }
}

/// Multiples of points, with which windows share sets of buckets: `tables` of them, each 2^(`bits`·`sets`) times the one before and the first the
/// points themselves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Multiples {
    bits: u32,
    sets: u32,
    tables: u32,
}

impl Multiples {
    /// Those of windows of so many bits, which share `sets` sets of buckets.
    #[cfg(all(interlock_cuda, any(test, feature = "kit")))]
    pub fn new(bits: u32, sets: u32) -> Self {
        Self { bits, sets, tables: SCALAR_BITS.div_ceil(bits).div_ceil(sets) }
    }

    /// The fastest for `points` points in `most` tables at most, of which `part` are worked on at a time in so much scratch, or fewer that are nearly as
    /// fast; none if they save less than they should.
    pub fn fastest(points: usize, part: usize, most: usize, scratch: usize) -> Option<Self> {
        if points < LEAST_WITH_MULTIPLES {
            return None;
        }
        let all = (LEAST_BITS..=MOST_SHARED_BITS).flat_map(|bits| {
            let count = SCALAR_BITS.div_ceil(bits);
            (1..count).map(move |sets| Self { bits, sets, tables: count.div_ceil(sets) })
        });
        let most = most.min(MOST_POINTS / points);
        let fits = |own: &Self| own.tables as usize <= most && own.windows_within(part, scratch).is_some();
        let fitting: Vec<_> = all.filter(fits).collect();
        let least = fitting.iter().map(|own| own.additions(points)).min()?;
        let of_the_best = fitting.into_iter().filter(|own| own.additions(points) <= least + least / TOLERANCE);
        let best = of_the_best.min_by_key(|own| (own.tables, own.additions(points)))?;
        (best.saved_additions(points) > best.additions(points) / WORTHWHILE_SHARE).then_some(best)
    }

    fn additions(&self, points: usize) -> usize {
        additions(points, self.bits, self.sets)
    }

    /// How many additions fewer an MSM over so many points takes.
    pub(crate) fn saved_additions(&self, points: usize) -> usize {
        let alone = Windows::suiting(points, G1_SUM);
        additions(points, alone.bits, alone.count).saturating_sub(self.additions(points))
    }

    /// How many tables there are.
    pub fn tables(&self) -> usize {
        self.tables as usize
    }

    /// How many times the points of a table are doubled for the next.
    #[cfg(any(test, interlock_cuda))]
    pub fn doublings(&self) -> u32 {
        self.bits * self.sets
    }

    /// As many windows at a time as `limit` bytes of scratch allow for `terms` terms, if they do for one.
    pub(crate) fn windows_within(&self, terms: usize, limit: usize) -> Option<Windows> {
        Windows::sharing(terms, self.bits, self.sets).in_groups(terms, G1_SUM, limit)
    }
}

/// Bytes of scratch with which no MSM in G1 of up to [`MOST_TERMS_AT_ONCE`] terms is any slower than with more, nor one where all windows share one set
/// of buckets.
pub(crate) fn most_scratch() -> usize {
    static MOST: LazyLock<usize> = LazyLock::new(|| {
        // The most terms of which so many windows are sorted at a time take the most of these.
        let most_terms = (1..=SCALAR_BITS.div_ceil(LEAST_BITS) as usize).map(|group| GROUP_ENTRIES / group);
        let bytes = most_terms.flat_map(|most| {
            let terms = most.min(MOST_TERMS_AT_ONCE);
            let windows = [Windows::suiting(terms, G1_SUM), Windows::sharing(terms, MOST_SHARED_BITS, 1)];
            windows.map(|windows| windows.scratch(terms, G1_SUM))
        });
        bytes.max().unwrap_or(0)
    });
    *MOST
}

/// Terms of the largest MSM that is done at once where there is room.
pub(crate) const MOST_TERMS_AT_ONCE: usize = 1 << 27;

/// Bits of windows that share buckets, at most.
const MOST_SHARED_BITS: u32 = 24;
/// An MSM must save this share of the additions that are left, for multiples to be worth their memory.
const WORTHWHILE_SHARE: usize = 20;
/// The share of additions that are not worth more tables.
const TOLERANCE: usize = 100;
/// Points of all tables, at most: their numbers have 31 bits beside a sign.
const MOST_POINTS: usize = 1 << 31;
/// Points of an MSM that is too short for them.
const LEAST_WITH_MULTIPLES: usize = 1 << 10;

/// Additions of an MSM with windows of so many bits and so many sets of buckets.
fn additions(points: usize, bits: u32, sets: u32) -> usize {
    SCALAR_BITS.div_ceil(bits) as usize * points + sets as usize * (PER_BUCKET << (bits - 1))
}

/// Bytes of scratch, at most, for adding terms to the buckets of so many windows.
fn fill_scratch(terms: usize, windows: usize, sum: usize) -> usize {
    let entries = terms * windows;
    let launches = entries.div_ceil(LAUNCH_ENTRIES).max(1);
    let threads = (launches * MAX_CHUNKS).min(entries.div_ceil(MIN_CHUNK * BLOCK) * BLOCK);
    let partial = [2 * threads, 2 * (2 * threads).div_ceil(MERGED / sum)];
    let sort = entries.div_ceil(SORT_TILE) * SORT_TILE_BYTES
        + entries.div_ceil(SORT_PORTION).max(1) * SORT_PORTION_BYTES
        + 2048;
    let arrays = [
        4 * entries,
        4 * entries,
        4 * entries,
        4 * entries,
        4 * partial[0],
        sum * partial[0],
        4 * partial[1],
        sum * partial[1],
        4,
        sort,
    ];
    arrays.into_iter().map(aligned).sum()
}

fn aligned(bytes: usize) -> usize {
    bytes.next_multiple_of(256)
}

/// An MSM in G1 whose terms come part by part: its buckets stay.
#[cfg(any(test, interlock_cuda))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct InParts {
    pub(crate) windows: Windows,
    /// Bytes of the buckets.
    pub(crate) bucket_bytes: usize,
}

/// The least bits of a window.
const LEAST_BITS: u32 = 5;
/// Additions that a bucket costs at the end, in terms' additions.
const PER_BUCKET: usize = 3;

#[cfg(any(test, interlock_cuda))]
impl InParts {
    /// The one that is fastest for `all` terms, `part` of them at a time, with so many bytes for buckets and for scratch; none if these are
    /// too little.
    pub(crate) fn fastest(all: usize, part: usize, bucket_bytes: usize, scratch: usize) -> Option<Self> {
        let most = WINDOW_BITS[0].iter().map(|row| row.1).max().unwrap_or(LEAST_BITS);
        let cost = |windows: &Windows| windows.count as usize * (all + (PER_BUCKET << (windows.bits - 1)));
        let windows = (LEAST_BITS..=most).filter_map(|bits| Self::windows(bits, scratch));
        let fitting = windows.filter(|windows| windows.buckets(G1_SUM, windows.count) <= bucket_bytes);
        let windows = fitting.min_by_key(cost)?;
        let fits = |group: &u32| fill_scratch(part, *group as usize, G1_SUM) <= scratch;
        let group = (1..=windows.count).rev().find(fits)?;
        // As even as can be, so that no group is too small to fill the device.
        let group = windows.count.div_ceil(windows.count.div_ceil(group));
        Some(Self { windows: Windows { group, ..windows }, bucket_bytes: windows.buckets(G1_SUM, windows.count) })
    }

    /// Windows whose buckets can be reduced in so much scratch.
    fn windows(bits: u32, scratch: usize) -> Option<Windows> {
        let count = SCALAR_BITS.div_ceil(bits);
        let fits = |windows: &Windows| windows.reduce_scratch(G1_SUM, count) <= scratch;
        let windows = Windows { bits, count, group: count, segment: 1, sets: count }.segmented(G1_SUM, fits);
        fits(&windows).then_some(windows)
    }
}

/// The least bytes of buckets that will do.
pub(crate) fn least_bucket_bytes() -> usize {
    let count = SCALAR_BITS.div_ceil(LEAST_BITS);
    Windows { bits: LEAST_BITS, count, group: 1, segment: 1, sets: count }.buckets(G1_SUM, count)
}

/// Terms of a part, at most, that can be added to buckets with so much scratch.
pub(crate) fn most_terms_in_parts(scratch: usize) -> usize {
    last_fitting(0, MOST_TERMS, |terms| fill_scratch(terms, 1, G1_SUM) <= scratch)
}

/// The last number that `fits`, of those from `fitting` on, which does, to before `too_many`: after one that does not, none does.
fn last_fitting(mut fitting: usize, mut too_many: usize, fits: impl Fn(usize) -> bool) -> usize {
    while too_many - fitting > 1 {
        let middle = fitting + (too_many - fitting) / 2;
        *if fits(middle) { &mut fitting } else { &mut too_many } = middle;
    }
    fitting
}

/// The number of terms up to which MSMs with sums of `sum` bytes fit in `limit` bytes of scratch.
pub(crate) fn most_terms(sum: usize, limit: usize) -> usize {
    // Every proof asks a few times for what a device has, and 25 µs are long for a small one. Nobody waits: plans are made in forked children, too,
    // where whoever holds a lock may be gone.
    static LAST: Mutex<[(usize, usize); 2]> = Mutex::new([(0, 0); 2]);
    let Ok(mut last) = LAST.try_lock() else { return find_most_terms(sum, limit) };
    let (of, most) = &mut last[group(sum)];
    if *of != limit {
        (*of, *most) = (limit, find_most_terms(sum, limit));
    }
    *most
}

fn find_most_terms(sum: usize, limit: usize) -> usize {
    let fits = |terms: usize| Windows { group: 1, ..Windows::suiting(terms, sum) }.scratch(terms, sum) <= limit;
    let mut most = 0;
    for (last, _) in WINDOW_BITS[group(sum)] {
        let last = last.min(MOST_TERMS);
        if fits(last) {
            most = last;
            continue;
        }
        // Windows up to there are of one size.
        return last_fitting(most, last, fits);
    }
    most
}

/// Sums that MSMs leave, at most. Those whose terms come in parts leave no more: where their windows are of other sizes and have more
/// bits together, these are in segments.
pub(crate) fn most_sums() -> usize {
    WINDOW_BITS.iter().flatten().map(|(_, bits)| (SCALAR_BITS.div_ceil(*bits) * bits) as usize).max().unwrap_or(0)
}
