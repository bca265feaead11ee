// SPDX-License-Identifier: Apache-2.0
//! Backends and their devices: finding them, and what they can do.

use crate::constants::*;
use crate::error::{c_string, call, get, get_struct, get_text};
use crate::results::{BackendInfo, DeviceProperties};
use crate::version::check_library;
use crate::{Error, Result};
use std::fmt;
use std::ptr;

/// A device. It is valid until [`shutdown`](crate::shutdown), and there is nothing to close.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Device {
    pub(crate) handle: manyrt_sys::rtDevice_t,
}

// SAFETY: a handle that the library checks at each call, from any thread.
unsafe impl Send for Device {}
// SAFETY: as above.
unsafe impl Sync for Device {}

/// Free bytes and all bytes of a memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryInfo {
    /// Bytes that are free.
    pub free: u64,
    /// Bytes in all.
    pub total: u64,
}

impl Backend {
    /// Whether the backend can be used, and if not, why.
    pub fn info(self) -> Result<BackendInfo> {
        check_library()?;
        get_struct!(rtBackendGetInfo(rtBackendInfo_t, self.0)).map(|raw| BackendInfo::new(&raw))
    }

    /// All devices of the backend; none if its driver is missing. `Backend::ALL` leaves `Backend::NULL` out.
    pub fn devices(self) -> Result<Vec<Device>> {
        check_library()?;
        let count = get!(rtDeviceGetCount(i32, self.0))?;
        (0..count).map(|ordinal| Device::get(self, ordinal)).collect()
    }
}

impl Device {
    /// Finds a device by its index within a backend, from 0.
    pub fn get(backend: Backend, ordinal: i32) -> Result<Device> {
        check_library()?;
        Ok(Device { handle: get!(rtDeviceGet(manyrt_sys::rtDevice_t, backend.0, ordinal))? })
    }

    /// Finds a device by its id: "cpu", "cuda:0", "opencl:1", "null:0".
    pub fn by_name(name: &str) -> Result<Device> {
        check_library()?;
        let name = c_string("rtDeviceGetByName", "name", name)?;
        Ok(Device { handle: get!(rtDeviceGetByName(manyrt_sys::rtDevice_t, name.as_ptr()))? })
    }

    /// The device that the variable RT_DEVICE names, else the best one.
    pub fn best() -> Result<Device> {
        check_library()?;
        Ok(Device { handle: get!(rtDeviceGetByName(manyrt_sys::rtDevice_t, ptr::null()))? })
    }

    /// The handle, for functions of [`sys`](crate::sys).
    pub fn as_raw(&self) -> manyrt_sys::rtDevice_t {
        self.handle
    }

    /// The backend, and the index within it.
    pub fn backend(&self) -> Result<(Backend, i32)> {
        let mut ordinal = 0;
        let backend = get!(rtDeviceGetBackend(i32, &mut ordinal, self.handle))?;
        Ok((Backend(backend), ordinal))
    }

    /// The device and its limits.
    pub fn properties(&self) -> Result<DeviceProperties> {
        get_struct!(rtDeviceGetProperties(rtDeviceProperties_t, self.handle)).map(|raw| DeviceProperties::new(&raw))
    }

    /// One number of the device.
    pub fn attribute(&self, attribute: Attribute) -> Result<i64> {
        get!(rtDeviceGetAttribute(i64, attribute.0, self.handle))
    }

    /// Whether the device has something that is optional.
    pub fn has(&self, capability: Capability) -> Result<bool> {
        get!(rtDeviceHasCapability(i32, capability.0, self.handle)).map(|has| has != 0)
    }

    /// The memory of the device, as its driver reports it.
    pub fn memory_info(&self) -> Result<MemoryInfo> {
        let (mut free, mut total) = (0, 0);
        call!(rtDeviceGetMemInfo(&mut free, &mut total, self.handle))?;
        Ok(MemoryInfo { free, total })
    }

    /// Whether kernels of this device reach the memory of `peer`. Copies work either way.
    pub fn can_access_peer(&self, peer: Device) -> Result<bool> {
        get!(rtDeviceCanAccessPeer(i32, peer.handle, self.handle)).map(|can| can != 0)
    }

    /// Waits for all work submitted to the device's contexts before the call. Returns the first failure and clears none.
    /// Blocks.
    pub fn synchronize(&self) -> Result<()> {
        call!(rtDeviceSynchronize(self.handle)).map(drop)
    }

    /// Success, or the error DEVICE_LOST with the words of the loss, which is for ever.
    pub fn status(&self) -> Result<()> {
        let status = Status(get!(rtDeviceGetStatus(i32, self.handle))?);
        if status == Status::SUCCESS {
            return Ok(());
        }
        Err(Error::new(status, "rtDeviceGetStatus", get_text!(rtDeviceGetLossMessage(self.handle))?))
    }

    /// The driver's own object: CUDA CUdevice, OpenCL cl_device_id.
    pub fn native(&self) -> Result<[u64; 2]> {
        let mut native = [0; 2];
        call!(rtDeviceGetNative(native.as_mut_ptr(), self.handle)).map(|_| native)
    }
}

impl fmt::Display for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.properties() {
            Ok(properties) => f.write_str(&properties.id),
            Err(_) => write!(f, "{:p}", self.handle),
        }
    }
}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Device({})", self)
    }
}
