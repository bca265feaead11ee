// SPDX-License-Identifier: Apache-2.0
//! Modules: programs for a device, made from OpenCL C source or from machine code.

use crate::constants::{ImageFormat, Tier};
use crate::context::Context;
use crate::error::{c_string, call, get, get_struct, get_text, read_text};
use crate::event::nanoseconds;
use crate::kernel::Kernel;
use crate::memory::{Pod, Region};
use crate::results::ModuleInfo;
use crate::Result;
use std::ffi::CString;
use std::fmt;
use std::marker::PhantomData;
use std::mem::size_of;
use std::os::raw::{c_char, c_void};
use std::path::Path;
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

/// How an image is read. The default tells the format from the bytes.
#[derive(Debug, Clone)]
pub struct ModuleOptions {
    /// The format of the image.
    pub format: ImageFormat,
    /// Of source: -D, -I and other options of clBuildProgram.
    pub build_options: String,
    /// What messages call the image; empty: "kernel.cl", or the path of the file.
    pub name: String,
    /// Of source: what `#include` finds before any file, as name and text.
    pub headers: Vec<(String, String)>,
    /// Of OpenCL C on the CPU: the form of the code, before what the build options say.
    pub tier: Tier,
}

impl Default for ModuleOptions {
    fn default() -> Self {
        ModuleOptions {
            format: ImageFormat::AUTO,
            build_options: String::new(),
            name: String::new(),
            headers: Vec::new(),
            tier: Tier::DEFAULT,
        }
    }
}

/// The C form of ModuleOptions, with the texts that it points to.
struct RawOptions {
    raw: manyrt_sys::rtModuleOptions_t,
    _texts: Vec<CString>,
    _pointers: Vec<Vec<*const c_char>>,
}

impl ModuleOptions {
    fn to_raw(&self, operation: &'static str) -> Result<RawOptions> {
        let mut texts =
            vec![c_string(operation, "build options", &self.build_options)?, c_string(operation, "name", &self.name)?];
        for (name, _) in &self.headers {
            texts.push(c_string(operation, "name of a header", name)?);
        }
        for (_, text) in &self.headers {
            texts.push(c_string(operation, "text of a header", text)?);
        }
        let pointers: Vec<*const c_char> = texts.iter().map(|text| text.as_ptr()).collect();
        let (names, bodies) = pointers[2..].split_at(self.headers.len());
        let pointers_of_headers = vec![names.to_vec(), bodies.to_vec()];
        let list = |index: usize| {
            if self.headers.is_empty() {
                ptr::null()
            } else {
                pointers_of_headers[index].as_ptr()
            }
        };
        let raw = manyrt_sys::rtModuleOptions_t {
            format: self.format.0,
            build_options: pointers[0],
            name: if self.name.is_empty() { ptr::null() } else { pointers[1] },
            header_count: self.headers.len() as u32,
            header_names: list(0),
            headers: list(1),
            tier: self.tier.0,
            ..Default::default()
        };
        Ok(RawOptions { raw, _texts: texts, _pointers: pointers_of_headers })
    }
}

/// A program for a device, with its kernels. Each of its kernels keeps it alive.
pub(crate) struct Program {
    handle: manyrt_sys::rtModule_t,
    context: Context,
}

// SAFETY: a handle that the library checks at each call, from any thread.
unsafe impl Send for Program {}
// SAFETY: as above.
unsafe impl Sync for Program {}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = call!(rtModuleDestroy(self.handle));
    }
}

impl fmt::Debug for Module {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Module({:p})", self.as_raw())
    }
}

impl Program {
    pub(crate) fn context(&self) -> &Context {
        &self.context
    }
}

/// A program for a device, with the kernels that are in it. It lives until it and the kernels that it gave are dropped.
#[derive(Clone)]
pub struct Module {
    program: Arc<Program>,
}

impl Module {
    fn from_handle(handle: manyrt_sys::rtModule_t, context: &Context) -> Module {
        Module { program: Arc::new(Program { handle, context: context.clone() }) }
    }

    /// Builds a module from OpenCL C 1.2. The message of a failed build is the compiler's log. Blocks while a compiler runs.
    pub fn from_source(context: &Context, source: &str, build_options: &str) -> Result<Module> {
        let operation = "rtModuleCreateFromSource";
        let source = c_string(operation, "source", source)?;
        let options = c_string(operation, "build options", build_options)?;
        let handle =
            get!(rtModuleCreateFromSource(manyrt_sys::rtModule_t, source.as_ptr(), options.as_ptr(), context.as_raw()))?;
        Ok(Module::from_handle(handle, context))
    }

    /// Builds one module from several sources of OpenCL C, each with macros of its own. What one declares another may define.
    pub fn from_sources(context: &Context, sources: &[&str], build_options: &str) -> Result<Module> {
        let operation = "rtModuleCreateFromSources";
        let texts = sources.iter().map(|source| c_string(operation, "source", source)).collect::<Result<Vec<_>>>()?;
        let pointers: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
        let options = c_string(operation, "build options", build_options)?;
        let handle = get!(rtModuleCreateFromSources(
            manyrt_sys::rtModule_t,
            pointers.as_ptr(),
            pointers.len() as u32,
            options.as_ptr(),
            context.as_raw()
        ))?;
        Ok(Module::from_handle(handle, context))
    }

    /// Builds many modules side by side, each from a source of its own: a module or an error for each, in their order. Of the
    /// errors the first has the compiler's log. `options`: none, or those of each source.
    pub fn build_many(context: &Context, sources: &[&str], options: &[ModuleOptions]) -> Result<Vec<Result<Module>>> {
        let operation = "rtModuleBuildMany";
        if !options.is_empty() && options.len() != sources.len() {
            let message = format!("There are {} sources and options of {}.", sources.len(), options.len());
            return Err(crate::Error::new(crate::Status::INVALID_VALUE, operation, message));
        }
        let texts = sources.iter().map(|source| c_string(operation, "source", source)).collect::<Result<Vec<_>>>()?;
        let pointers: Vec<_> = texts.iter().map(|text| text.as_ptr()).collect();
        let kept = options.iter().map(|each| each.to_raw(operation)).collect::<Result<Vec<_>>>()?;
        let raw: Vec<*const manyrt_sys::rtModuleOptions_t> = kept.iter().map(|each| &each.raw as *const _).collect();
        let mut handles: Vec<manyrt_sys::rtModule_t> = vec![ptr::null_mut(); sources.len()];
        let mut statuses = vec![0; sources.len()];
        if sources.is_empty() {
            return Ok(Vec::new());
        }
        let mut first = call!(rtModuleBuildMany(
            handles.as_mut_ptr(),
            statuses.as_mut_ptr(),
            pointers.as_ptr(),
            pointers.len() as u32,
            if raw.is_empty() { ptr::null() } else { raw.as_ptr() },
            context.as_raw()
        ))
        .err();
        let results = handles.iter().zip(&statuses).map(|(handle, status)| {
            if *status >= 0 {
                return Ok(Module::from_handle(*handle, context));
            }
            let status = crate::Status(*status);
            Err(first.take().unwrap_or_else(|| crate::Error::new(status, operation, status.meaning())))
        });
        Ok(results.collect())
    }

    /// Makes a module from source or machine code in memory. Blocks while a compiler runs.
    ///
    /// # Safety
    /// Machine code does what its makers say: loading a shared object of a host module runs code of it.
    pub unsafe fn from_image(context: &Context, image: &[u8], options: &ModuleOptions) -> Result<Module> {
        let options = options.to_raw("rtModuleLoadData")?;
        let handle = get!(rtModuleLoadData(
            manyrt_sys::rtModule_t,
            image.as_ptr().cast::<c_void>(),
            image.len(),
            &options.raw,
            context.as_raw()
        ))?;
        Ok(Module::from_handle(handle, context))
    }

    /// As [`Module::from_image`], from a file, which is read once.
    ///
    /// # Safety
    /// As for [`Module::from_image`].
    pub unsafe fn from_file(context: &Context, path: &Path, options: &ModuleOptions) -> Result<Module> {
        use std::os::unix::ffi::OsStrExt;
        let operation = "rtModuleLoadFile";
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| {
            let message = "The path has a zero byte.";
            crate::Error::new(crate::Status::INVALID_VALUE, operation, message)
        })?;
        let options = options.to_raw(operation)?;
        let handle = get!(rtModuleLoadFile(manyrt_sys::rtModule_t, path.as_ptr(), &options.raw, context.as_raw()))?;
        Ok(Module::from_handle(handle, context))
    }

    /// The handle, for functions of [`sys`](crate::sys).
    pub fn as_raw(&self) -> manyrt_sys::rtModule_t {
        self.program.handle
    }

    /// The compiler's warnings about a source that it accepted.
    pub fn build_log(&self) -> Result<String> {
        get_text!(rtModuleGetBuildLog(self.as_raw()))
    }

    /// The code and, if asked for, the source as an image, which `rtModuleLoadData` takes back on any machine. Blocks while
    /// optimised code is being made.
    pub fn image(&self, with_source: bool) -> Result<Vec<u8>> {
        let flags = if with_source { 0 } else { manyrt_sys::RT_IMAGE_WITHOUT_SOURCE as u32 };
        let options = manyrt_sys::rtImageOptions_t { flags, ..Default::default() };
        read_text(|data, size, needed| call!(rtModuleGetImage(data.cast(), size, needed, &options, self.as_raw())))
    }

    /// Which code launches run, where it came from and how long that took.
    pub fn info(&self) -> Result<ModuleInfo> {
        get_struct!(rtModuleGetInfo(rtModuleInfo_t, self.as_raw())).map(|raw| ModuleInfo::new(&raw))
    }

    /// Waits until launches run the code that stays, which the CPU has some time after the first; the error TIMEOUT if `limit`
    /// passes first. Blocks.
    pub fn wait_optimized_for(&self, limit: Duration) -> Result<()> {
        call!(rtModuleWait(self.as_raw(), manyrt_sys::RT_MODULE_OPTIMIZED, nanoseconds(limit))).map(drop)
    }

    /// Finds a kernel by its name.
    pub fn kernel(&self, name: &str) -> Result<Kernel> {
        let name = c_string("rtModuleGetKernel", "name", name)?;
        Kernel::of_module(get!(rtModuleGetKernel(manyrt_sys::rtKernel_t, name.as_ptr(), self.as_raw()))?, self.program.clone())
    }

    /// All kernels, in the order of the source.
    pub fn kernels(&self) -> Result<Vec<Kernel>> {
        let count = get!(rtModuleGetKernelCount(u32, self.as_raw()))?;
        (0..count)
            .map(|index| {
                let handle = get!(rtModuleGetKernelByIndex(manyrt_sys::rtKernel_t, index, self.as_raw()))?;
                Kernel::of_module(handle, self.program.clone())
            })
            .collect()
    }

    /// Finds a global variable; in OpenCL C these are the `__constant` variables of the program.
    ///
    /// # Safety
    /// The region must not be written to if the variable is constant.
    pub unsafe fn global<T: Pod>(&self, name: &str) -> Result<Region<'_, T>> {
        let name = c_string("rtModuleGetGlobal", "name", name)?;
        let mut size = 0;
        let pointer = get!(rtModuleGetGlobal(*mut c_void, &mut size, name.as_ptr(), self.as_raw()))?;
        let len = usize::try_from(size).unwrap_or(0).checked_div(size_of::<T>()).unwrap_or(0);
        Ok(Region { pointer, len, _memory: PhantomData })
    }

    /// The driver's own object: CUDA CUmodule, OpenCL cl_program. Valid until the module ends.
    pub fn native(&self) -> Result<[u64; 2]> {
        let mut native = [0; 2];
        call!(rtModuleGetNative(native.as_mut_ptr(), self.as_raw())).map(|_| native)
    }
}
