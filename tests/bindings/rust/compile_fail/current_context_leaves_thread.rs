// error: E0277
// The current context belongs to a thread: its guard cannot end on another one.
pub fn wrong(context: &manyrt::Context) -> manyrt::Result<()> {
    let current = context.enter()?;
    std::thread::spawn(move || drop(current));
    Ok(())
}
