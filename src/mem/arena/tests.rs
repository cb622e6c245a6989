use super::*;
use crate::mem::granule::{LARGE, PAGE};

const MIB: usize = 1 << 20;

fn offsets<F: Clone>(spans: &[Span<F>]) -> Vec<usize> {
    spans.iter().map(Span::offset).collect()
}

fn fences(span: &Span<u32>) -> Vec<u32> {
    span.fences().copied().collect()
}

fn one(arena: &mut Arena<u32>, size: usize, term: Term) -> Span<u32> {
    arena.take(&[size], term).unwrap().remove(0)
}

#[test]
fn sizes_are_rounded_up_and_places_aligned() {
    let mut arena = Arena::<u32>::new(1 << 30);
    let spans = arena.take(&[0, 1, 257, LARGE + 1], Term::Short).unwrap();
    assert_eq!(spans.iter().map(Span::bytes).collect::<Vec<_>>(), [256, 256, 512, LARGE + PAGE]);
    assert!(spans.iter().all(|span| span.offset() % ALIGNMENT == 0));
    assert_eq!(spans[3].offset() % PAGE, 0);
    assert_eq!(arena.used_bytes(), LARGE + PAGE + 1024);
}

#[test]
fn all_sizes_are_had_or_none() {
    let mut arena = Arena::<u32>::new(1024);
    assert!(arena.take(&[512, 768], Term::Short).is_none());
    assert!(arena.take(&[usize::MAX], Term::Short).is_none());
    assert_eq!(arena.used_bytes(), 0);
    assert_eq!(arena.take(&[512, 512], Term::Short).unwrap().len(), 2);
    assert!(arena.take(&[1], Term::Short).is_none());
}

#[test]
fn who_reuses_addresses_is_told_their_fences() {
    let mut arena = Arena::new(1024);
    let spans = arena.take(&[512, 512], Term::Short).unwrap();
    for (fence, span) in spans.into_iter().enumerate() {
        arena.give_back(span, Some(fence as u32));
    }
    let whole = one(&mut arena, 1024, Term::Short);
    assert_eq!(fences(&whole), [0, 1]);
    // Nothing used it: the fences are still to be waited for, by whoever has a part of it next.
    assert!(arena.give_back(whole, None).is_empty());
    let spans = arena.take(&[256, 768], Term::Short).unwrap();
    assert!(spans.iter().flat_map(fences).collect::<Vec<_>>().contains(&1));
    assert_eq!(spans.iter().flat_map(fences).max(), Some(1));
}

#[test]
fn fences_that_are_over_are_forgotten() {
    let mut arena = Arena::new(1024);
    for (fence, span) in arena.take(&[512, 512], Term::Short).unwrap().into_iter().enumerate() {
        arena.give_back(span, Some(fence as u32));
    }
    assert_eq!(arena.high_water(), 1024);
    assert_eq!(arena.retire(|fence| *fence == 1), [1]);
    assert_eq!(arena.high_water(), 512);
    assert_eq!(fences(&one(&mut arena, 1024, Term::Short)), [0]);
}

#[test]
fn a_later_fence_takes_the_place_of_earlier_ones() {
    let mut arena = Arena::new(512);
    let span = one(&mut arena, 512, Term::Short);
    arena.give_back(span, Some(1));
    let span = one(&mut arena, 512, Term::Short);
    assert_eq!(arena.give_back(span, Some(2)), [1]);
    assert_eq!(fences(&one(&mut arena, 512, Term::Short)), [2]);
}

#[test]
fn addresses_that_nothing_uses_are_preferred_and_then_those_given_back_first() {
    let mut arena = Arena::new(1024);
    let mut spans = arena.take(&[256, 256, 256], Term::Short).unwrap();
    assert_eq!(offsets(&spans), [0, 256, 512]);
    arena.give_back(spans.remove(1), Some(1));
    arena.give_back(spans.remove(0), Some(2));
    arena.give_back(spans.remove(0), Some(3));
    let order: Vec<_> = (0..4).map(|_| one(&mut arena, 256, Term::Short).offset()).collect();
    assert_eq!(order, [768, 256, 0, 512]);
}

#[test]
fn fences_do_not_keep_spans_from_fitting() {
    // The oldest fence is in the middle: to take that would leave no room for the other.
    let mut arena = Arena::new(1024);
    let mut spans = arena.take(&[256, 512, 256], Term::Short).unwrap();
    let middle = spans.iter().position(|span| span.offset() == 256).unwrap_or(1);
    arena.give_back(spans.remove(middle), Some(1));
    for span in spans {
        arena.give_back(span, Some(2));
    }
    assert_eq!(arena.take(&[512, 512], Term::Short).unwrap().len(), 2);
}

#[test]
fn long_lived_spans_lie_together_at_the_bottom() {
    let mut arena = Arena::<u32>::new(8192);
    let short = one(&mut arena, 1024, Term::Short);
    assert_eq!(short.offset(), 0);
    assert!(arena.could_take(&[1024], Term::Long));
    assert!(arena.take(&[1024], Term::Long).is_none());
    arena.give_back(short, None);
    let long = arena.take(&[1024, 2048], Term::Long).unwrap();
    assert_eq!(offsets(&long), [2048, 0]);
    assert_eq!((arena.long_bytes(), arena.largest_without_short()), (3072, 5120));
    assert!(!arena.could_take(&[5376], Term::Short));
    for span in long {
        arena.give_back(span, None);
    }
    assert_eq!((arena.long_bytes(), arena.used_bytes(), arena.high_water()), (0, 0, 0));
}

#[test]
fn a_lower_limit_binds_what_is_taken_later() {
    let mut arena = Arena::<u32>::new(1024);
    let mut spans = arena.take(&[512, 512], Term::Short).unwrap();
    arena.set_limit(600);
    assert_eq!(arena.limit(), 512);
    let (low, high) = (spans.remove(0), spans.remove(0));
    arena.give_back(low, None);
    assert!(arena.take(&[256], Term::Short).is_none(), "the live span takes all of the limit");
    assert!(arena.could_take(&[512], Term::Short) && !arena.could_take(&[768], Term::Short));
    arena.give_back(high, None);
    assert_eq!(offsets(&arena.take(&[256, 256], Term::Short).unwrap()), [0, 256]);
    arena.set_limit(usize::MAX);
    assert_eq!(arena.limit(), 1024);
}

#[test]
fn large_spans_of_about_the_same_size_reuse_each_other() {
    let mut arena = Arena::<u32>::new(200 * MIB);
    let spans = arena.take(&[100 * MIB - 5, 64 * MIB], Term::Short).unwrap();
    for span in spans {
        arena.give_back(span, None);
    }
    let spans = arena.take(&[100 * MIB - 4096, 64 * MIB - 1], Term::Short).unwrap();
    assert_eq!(offsets(&spans), [0, 100 * MIB]);
}
