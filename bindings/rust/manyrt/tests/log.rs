// SPDX-License-Identifier: Apache-2.0
//! Log lines as a closure gets them. A process of its own, because a variable of the environment makes the line.

use manyrt::{set_log, Context, Device, DeviceBuffer, LogLevel};
use std::sync::{Arc, Mutex};

#[test]
fn lines_come_to_a_closure_that_may_panic() {
    std::env::set_var("RT_POOL", "a value that there is not");
    std::panic::set_hook(Box::new(|_| {}));
    let lines = Arc::new(Mutex::new(Vec::new()));
    let kept = lines.clone();
    set_log(
        LogLevel::DEBUG,
        Some(move |level, line: &str| {
            kept.lock().unwrap().push((level, line.to_string()));
            panic!("in the log");
        }),
    )
    .unwrap();
    let context = Context::new(Device::by_name("cpu").unwrap()).unwrap();
    DeviceBuffer::<u8>::new(&context, 1).unwrap();
    set_log(LogLevel::WARNING, None::<fn(LogLevel, &str)>).unwrap();
    assert_eq!(Arc::strong_count(&lines), 1, "the closure is dropped when it is replaced");
    let lines = lines.lock().unwrap();
    let found = lines.iter().find(|(_, line)| line.contains("RT_POOL"));
    assert_eq!(found.map(|(level, _)| *level), Some(LogLevel::WARNING), "{:?}", lines);
}
