pub mod constants;
mod results;
mod error { pub fn text(_: &[std::os::raw::c_char]) -> String { String::new() } }
