// SPDX-License-Identifier: Apache-2.0
//! Tells the linker where libmanyrt is: in the folder that MANYRT_LIB_DIR names, else where pkg-config says. With the feature
//! `comm` libmanyrt-comm too.

use std::env;
use std::path::Path;
use std::process::{exit, Command};

const ADVICE: &str = "install Debian's package libmanyrt-dev, or set MANYRT_LIB_DIR to the folder of libmanyrt.so";

fn fail(reason: &str) -> ! {
    eprintln!("manyrt's files for building were not found ({}): {}.", reason, ADVICE);
    exit(1);
}

fn from_pkg_config(package: &str) {
    let program = env::var("PKG_CONFIG").unwrap_or_else(|_| "pkg-config".into());
    let output = match Command::new(&program).args(["--libs", package]).output() {
        Ok(output) => output,
        Err(error) => fail(&format!("{} cannot be run: {}", program, error)),
    };
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        fail(said.lines().last().unwrap_or("pkg-config has no such package").trim_end_matches('.'));
    }
    for word in String::from_utf8_lossy(&output.stdout).split_whitespace() {
        if let Some(folder) = word.strip_prefix("-L") {
            println!("cargo:rustc-link-search=native={}", folder);
        } else if let Some(library) = word.strip_prefix("-l") {
            println!("cargo:rustc-link-lib=dylib={}", library);
        }
    }
}

fn main() {
    for variable in ["MANYRT_LIB_DIR", "PKG_CONFIG", "PKG_CONFIG_PATH", "PKG_CONFIG_LIBDIR"] {
        println!("cargo:rerun-if-env-changed={}", variable);
    }
    println!("cargo:rerun-if-changed=build.rs");
    let mut libraries = vec!["manyrt"];
    if env::var_os("CARGO_FEATURE_COMM").is_some() {
        libraries.push("manyrt-comm");
    }
    for library in libraries {
        match env::var("MANYRT_LIB_DIR") {
            Ok(folder) => {
                if !Path::new(&folder).join(format!("lib{}.so", library)).exists() {
                    fail(&format!("{} has no lib{}.so", folder, library));
                }
                println!("cargo:rustc-link-search=native={}", folder);
                println!("cargo:rustc-link-lib=dylib={}", library);
            }
            Err(_) => from_pkg_config(library),
        }
    }
}
