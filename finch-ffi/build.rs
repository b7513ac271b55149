//! Names the shared library by its ABI, as programs that link to it will look for it.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        // The number is `FINCH_ABI`; a test compares them.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libfinch.so.1");
        // Worker threads sleep in the library's code, so the library stays in memory even where a
        // host closes it.
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
