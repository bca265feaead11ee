// SPDX-License-Identifier: Apache-2.0
//! The C interface of manyrt, `rt.h`, as Rust declarations. All of them are made from `bindings/rt.json`, which describes the
//! header; nothing is declared by hand. With the feature `comm`, the module `comm` has `rt_comm.h` in the same way. The crate
//! `manyrt` has the safe forms.
//!
//! The build script finds the library with `pkg-config`, or in the folder that the variable `MANYRT_LIB_DIR` names.
#![deny(missing_docs)]
#![allow(non_camel_case_types, non_snake_case)]

#[rustfmt::skip]
mod declarations;

#[cfg(feature = "comm")]
#[rustfmt::skip]
pub mod comm;

pub use declarations::*;
