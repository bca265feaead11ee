// SPDX-License-Identifier: Apache-2.0
//! Closures that the library calls. What the library gets is a number, never the address of a closure: a function that it calls
//! once more than expected, or while another thread replaces it, finds no closure or one that is still counted. Panics end
//! here.

use crate::constants::{LogLevel, Status};
use crate::error::{call, get};
use crate::{Error, Result};
use std::any::Any;
use std::cell::Cell;
use std::collections::HashMap;
use std::ffi::CStr;
use std::io::Write;
use std::os::raw::{c_char, c_void};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

type Once = Box<dyn FnOnce(Status) + Send>;
type Repeated = Arc<dyn Fn(Status) + Send + Sync>;
type Log = Arc<dyn Fn(LogLevel, &str) + Send + Sync>;
type OutOfMemory = Arc<dyn Fn(u64) -> bool + Send + Sync>;

enum Entry {
    Once { function: Once, stream: usize },
    Log(Log),
    OutOfMemory(OutOfMemory),
}

static NEXT: AtomicUsize = AtomicUsize::new(1);
static ENTRIES: Mutex<Option<HashMap<usize, Entry>>> = Mutex::new(None);
static PANICS: Mutex<Vec<(usize, String)>> = Mutex::new(Vec::new());
static PANIC_COUNT: AtomicUsize = AtomicUsize::new(0);

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn insert(entry: Entry) -> usize {
    let key = NEXT.fetch_add(1, Ordering::Relaxed);
    lock(&ENTRIES).get_or_insert_with(HashMap::new).insert(key, entry);
    key
}

/// Takes an entry out. It is dropped by the caller, after the lock, because what it has captured may call back.
fn remove(key: usize) -> Option<Entry> {
    lock(&ENTRIES).as_mut().and_then(|entries| entries.remove(&key))
}

/// The words of a panic.
fn words(panic: Box<dyn Any + Send>) -> String {
    let text = match (panic.downcast_ref::<&str>(), panic.downcast_ref::<String>()) {
        (Some(text), _) => (*text).to_string(),
        (_, Some(text)) => text.clone(),
        _ => "without words".to_string(),
    };
    // The value may panic when it is dropped: that one is not the program's message.
    std::mem::forget(panic);
    text
}

/// Tells of a panic on standard error. Where that is closed, eprintln! would panic in a function that C has called.
fn complain(what: &str, panic: Box<dyn Any + Send>) {
    let _ = writeln!(std::io::stderr(), "manyrt: {} panicked: {}", what, words(panic));
}

/// Keeps the words of a panic until the stream is synchronised.
fn report(stream: usize, text: String) {
    let mut panics = lock(&PANICS);
    panics.push((stream, text));
    PANIC_COUNT.store(panics.len(), Ordering::Release);
}

/// The first panic since the last call, in a host function of the stream.
pub(crate) fn take_panic(stream: usize) -> Option<Error> {
    if PANIC_COUNT.load(Ordering::Acquire) == 0 {
        return None;
    }
    let mut panics = lock(&PANICS);
    let first = panics.iter().find(|(key, _)| *key == stream).map(|(_, text)| text.clone())?;
    panics.retain(|(key, _)| *key != stream);
    PANIC_COUNT.store(panics.len(), Ordering::Release);
    let message = format!("A host function of the stream panicked: {}", first);
    Some(Error::new(Status::LAUNCH_FAILED, "rtLaunchHostFunction", message))
}

unsafe extern "C" fn run_once(user: *mut c_void, status: i32) {
    match remove(user as usize) {
        Some(Entry::Once { function, stream }) => {
            if let Err(panic) = catch_unwind(AssertUnwindSafe(move || function(Status(status)))) {
                report(stream, words(panic));
            }
        }
        // A capture that began on another thread has recorded the function: this is a further launch of its graph.
        _ => report(0, "a function that runs once was part of a graph".to_string()),
    }
}

/// Calls a closure in the order of a stream.
pub(crate) fn launch_once(stream: manyrt_sys::rtStream_t, function: Once) -> Result<()> {
    let key = insert(Entry::Once { function, stream: stream as usize });
    let launched = call!(rtLaunchHostFunction(Some(run_once), key as *mut c_void, stream));
    if launched.is_err() {
        drop(remove(key));
    }
    launched.map(drop)
}

/// A host function that may run many times, which the library owns until its release.
struct Node {
    function: Repeated,
    panics: Panics,
}

/// The panics in a host function that may run many times: [`Graph::add_host`](crate::Graph::add_host) and
/// [`Stream::launch_host_many`](crate::Stream::launch_host_many) give it.
#[derive(Debug, Clone, Default)]
pub struct Panics {
    words: Arc<Mutex<Vec<String>>>,
}

impl Panics {
    /// Takes the words of all panics so far, the first one first.
    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut lock(&self.words))
    }
}

unsafe extern "C" fn run_node(user: *mut c_void, status: i32) {
    // The release comes after the last call, and this is a call.
    let node = &*user.cast::<Node>();
    if let Err(panic) = catch_unwind(AssertUnwindSafe(|| (node.function)(Status(status)))) {
        lock(&node.panics.words).push(words(panic));
    }
}

unsafe extern "C" fn release_node(user: *mut c_void) {
    let node = Box::from_raw(user.cast::<Node>());
    if let Err(panic) = catch_unwind(AssertUnwindSafe(move || drop(node))) {
        std::mem::forget(panic);
    }
}

/// The parameters of a host node, and where its panics are told. `forget_node` takes back what no node was made of.
pub(crate) fn node(function: Repeated) -> (manyrt_sys::rtGraphHostParams_t, Panics) {
    let panics = Panics::default();
    let user = Box::into_raw(Box::new(Node { function, panics: panics.clone() })).cast();
    let params =
        manyrt_sys::rtGraphHostParams_t { function: Some(run_node), user, release: Some(release_node), ..Default::default() };
    (params, panics)
}

/// # Safety
/// `params` came from `node`, and the library has refused it.
pub(crate) unsafe fn forget_node(params: &manyrt_sys::rtGraphHostParams_t) {
    release_node(params.user);
}

/// Calls a closure in the order of a stream; captured, once for each launch.
pub(crate) fn launch_many(stream: manyrt_sys::rtStream_t, function: Repeated) -> Result<Panics> {
    let (params, panics) = node(function);
    match call!(rtLaunchHostFunctionWithRelease(params.function, params.user, params.release, stream)) {
        Ok(_) => Ok(panics),
        Err(error) => {
            // SAFETY: the call has failed, and the library has not taken the closure.
            unsafe { forget_node(&params) };
            Err(error)
        }
    }
}

/// Drops what the library has kept for the program.
unsafe extern "C" fn release_owner<O>(user: *mut c_void) {
    let owner = Box::from_raw(user.cast::<O>());
    if let Err(panic) = catch_unwind(AssertUnwindSafe(move || drop(owner))) {
        std::mem::forget(panic);
    }
}

/// Imports memory whose owner is dropped when the library has done with it; a failure drops it at once.
///
/// # Safety
/// `native` is memory of `size` bytes that lives as long as the owner.
pub(crate) unsafe fn import_owned<O: Send + 'static>(
    native: [u64; 2],
    size: u64,
    owner: O,
    context: manyrt_sys::rtContext_t,
) -> Result<*mut c_void> {
    let user = Box::into_raw(Box::new(owner)).cast::<c_void>();
    let release: manyrt_sys::rtReleaseFunction_t = Some(release_owner::<O>);
    let imported = get!(rtMemImportWithRelease(*mut c_void, native.as_ptr(), size, user, release, context));
    if imported.is_err() {
        release_owner::<O>(user);
    }
    imported
}

thread_local! {
    static IN_LOG: Cell<bool> = Cell::new(false);
}

unsafe extern "C" fn log_line(level: i32, message: *const c_char, user: *mut c_void) {
    let function = match lock(&ENTRIES).as_ref().and_then(|entries| entries.get(&(user as usize))) {
        Some(Entry::Log(function)) => function.clone(),
        _ => return,
    };
    let message = CStr::from_ptr(message).to_string_lossy();
    IN_LOG.with(|inside| inside.set(true));
    let ended = catch_unwind(AssertUnwindSafe(move || function(LogLevel(level), &message)));
    IN_LOG.with(|inside| inside.set(false));
    if let Err(panic) = ended {
        complain("the log function", panic);
    }
}

/// Sends log lines up to a level to a closure, on any thread; `None`: to standard error again. What a panic inside says goes to
/// standard error. When this returns, the earlier closure has run for the last time; inside a log closure it is BUSY.
pub fn set_log<F>(level: LogLevel, function: Option<F>) -> Result<()>
where
    F: Fn(LogLevel, &str) + Send + Sync + 'static,
{
    static PRESENT: Mutex<usize> = Mutex::new(0);
    // The library says the same, but another thread may hold the lock here while it waits for the closure that has called this.
    if IN_LOG.with(Cell::get) {
        let message = "A log function cannot be changed by itself: the change waits for its end.";
        return Err(Error::new(Status::BUSY, "rtSetLogCallback", message));
    }
    let mut present = lock(&PRESENT);
    let (key, callback) = match function {
        Some(function) => (insert(Entry::Log(Arc::new(function))), Some(log_line as unsafe extern "C" fn(_, _, _))),
        None => (0, None),
    };
    let set = call!(rtSetLogCallback(callback, key as *mut c_void, level.0));
    let unused = if set.is_ok() { std::mem::replace(&mut *present, key) } else { key };
    drop(present);
    drop(remove(unused));
    set.map(drop)
}

unsafe extern "C" fn out_of_memory(size: u64, user: *mut c_void) -> i32 {
    let function = match lock(&ENTRIES).as_ref().and_then(|entries| entries.get(&(user as usize))) {
        Some(Entry::OutOfMemory(function)) => function.clone(),
        _ => return 0,
    };
    // The closure may have ended its own registration: then this is its last use, and what it has captured is dropped in here.
    match catch_unwind(AssertUnwindSafe(move || function(size))) {
        Ok(again) => i32::from(again),
        Err(panic) => {
            complain("the out-of-memory function of a pool", panic);
            0
        }
    }
}

/// A registered out-of-memory function of a pool, which ends with this.
#[derive(Default)]
pub(crate) struct OutOfMemoryFunction(usize);

impl OutOfMemoryFunction {
    pub(crate) fn set(&mut self, pool: manyrt_sys::rtMemPool_t, function: Option<OutOfMemory>) -> Result<()> {
        let (key, callback) = match function {
            Some(function) => (insert(Entry::OutOfMemory(function)), Some(out_of_memory as unsafe extern "C" fn(_, _) -> _)),
            None => (0, None),
        };
        let set = call!(rtMemPoolSetOutOfMemoryCallback(callback, key as *mut c_void, pool));
        let unused = if set.is_ok() { std::mem::replace(&mut self.0, key) } else { key };
        drop(remove(unused));
        set.map(drop)
    }
}

impl Drop for OutOfMemoryFunction {
    fn drop(&mut self) {
        drop(remove(self.0));
    }
}
