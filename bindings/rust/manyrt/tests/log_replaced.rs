// SPDX-License-Identifier: Apache-2.0
//! A log closure that replaces itself while another thread replaces it. Alone in its process, since the log is one for all.

use manyrt::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

const LIMIT: Duration = Duration::from_secs(60);

#[test]
fn a_log_closure_that_replaces_itself_is_refused() {
    std::env::set_var("RT_POOL", "a value that there is not");
    let (inside, is_inside) = channel();
    let (answer, answers) = channel();
    let (inside, answer) = (Mutex::new(inside), Mutex::new(answer));
    let replacing = Arc::new(AtomicBool::new(false));
    let begun = replacing.clone();
    let function = move |_: LogLevel, _: &str| {
        inside.lock().unwrap().send(()).unwrap();
        while !begun.load(Ordering::Acquire) {
            std::thread::yield_now();
        }
        // Most likely the other thread waits for this closure now.
        for _ in 0..10_000 {
            std::thread::yield_now();
        }
        let refused = set_log(LogLevel::WARNING, None::<fn(LogLevel, &str)>).map_err(|error| error.status());
        answer.lock().unwrap().send(refused).unwrap();
    };
    set_log(LogLevel::WARNING, Some(function)).unwrap();
    std::thread::spawn(|| {
        let context = Context::new(Device::by_name("cpu").unwrap()).unwrap();
        DeviceBuffer::<u8>::new(&context, 1).unwrap();
    });
    is_inside.recv_timeout(LIMIT).expect("a line of the log");
    let (done, is_done) = channel();
    std::thread::spawn(move || {
        replacing.store(true, Ordering::Release);
        done.send(set_log(LogLevel::WARNING, None::<fn(LogLevel, &str)>)).unwrap();
    });
    assert_eq!(answers.recv_timeout(LIMIT).expect("an answer in the closure"), Err(Status::BUSY));
    is_done.recv_timeout(LIMIT).expect("an end of the replacement").unwrap();
}
