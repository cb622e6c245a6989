use super::*;

#[cfg(not(interlock_shuttle))]
mod threads {
    use std::sync::mpsc;
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn until(condition: impl Fn() -> bool) {
        while !condition() {
            thread::sleep(Duration::from_millis(1));
        }
    }

    #[test]
    fn turns_come_in_the_order_of_asking() {
        let order = Order::new(1);
        let (sender, served) = mpsc::channel();
        thread::scope(|scope| {
            let first = order.turn();
            for number in 0..4 {
                let (order, sender) = (&order, sender.clone());
                scope.spawn(move || {
                    let _turn = order.turn();
                    sender.send(number).unwrap();
                });
                until(|| order.waiting() == number + 1);
            }
            assert!(served.try_recv().is_err());
            drop(first);
        });
        assert_eq!(served.try_iter().collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(order.waiting(), 0);
    }

    #[test]
    fn a_wider_queue_serves_more_at_once() {
        let order = Order::new(0);
        let first = order.turn();
        thread::scope(|scope| {
            scope.spawn(|| drop(order.turn()));
            until(|| order.waiting() == 1);
            order.set_width(2);
            until(|| order.waiting() == 0);
        });
        drop(first);
    }

    #[test]
    fn a_panic_ends_a_turn() {
        let order = Order::new(1);
        thread::scope(|scope| {
            let panicking = scope.spawn(|| {
                let _turn = order.turn();
                std::panic::resume_unwind(Box::new(()));
            });
            assert!(panicking.join().is_err());
        });
        drop(order.turn());
    }
}

#[cfg(interlock_shuttle)]
mod models {
    use std::sync::Arc;

    use super::*;
    use crate::lock::models::{choose, explore, panicking, threads, Inside, Log};

    /// Threads that take turns, some of which end in a panic.
    fn turns(count: usize, width: usize, panics: impl Fn(usize) -> bool + Send + Sync + 'static) {
        let order = Arc::new(Order::new(width));
        let (asked, served, inside) = (Log::default(), Log::default(), Inside::default());
        let (first, then) = (asked.clone(), served.clone());
        let queue = order.clone();
        threads(count, move |number| {
            let turn = || {
                let place = asked.at(number, || queue.ask());
                let turn = queue.wait_for(place);
                if width == 1 {
                    served.at(number, || ());
                }
                inside.with(width, shuttle::thread::yield_now);
                drop(turn);
            };
            if panics(number) {
                panicking(turn);
            } else {
                turn();
            }
        });
        if width == 1 {
            assert_eq!(first.read(), then.read());
        }
        assert_eq!(order.waiting(), 0);
        drop(order.turn());
    }

    #[test]
    fn two_threads_in_every_way() {
        let model = || {
            let order = Arc::new(Order::new(1));
            let queue = order.clone();
            let other = shuttle::thread::spawn(move || drop(queue.turn()));
            drop(order.turn());
            other.join().unwrap();
            assert_eq!(order.waiting(), 0);
        };
        shuttle::check_dfs(model, None);
    }

    #[test]
    fn nobody_is_overtaken_or_forgotten() {
        explore(|| turns(4, 1, |_| choose(3) == 0));
    }

    #[test]
    fn no_more_than_the_width_have_a_turn() {
        explore(|| turns(4, 2, |_| choose(3) == 0));
    }

    #[test]
    fn a_wider_queue_wakes_who_waits() {
        explore(|| {
            let order = Arc::new(Order::new(1));
            let held = order.turn();
            let (queue, other) = (order.clone(), order.clone());
            let waiting = shuttle::thread::spawn(move || drop(queue.turn()));
            let widening = shuttle::thread::spawn(move || other.set_width(2));
            waiting.join().unwrap();
            widening.join().unwrap();
            drop(held);
        });
    }
}
