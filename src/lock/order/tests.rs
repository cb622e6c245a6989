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
