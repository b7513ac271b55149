//! Another library of Rust, to be linked into one program with finch.

/// 1 if a panic went as far as it should.
#[unsafe(no_mangle)]
pub extern "C" fn other_panics() -> i32 {
    let thread = std::thread::spawn(|| panic!("on purpose"));
    i32::from(thread.join().is_err())
}
