// The calls of OpenCL that this backend makes. Version 1.2 comes from the system's headers. Newer functions and extensions are
// declared here and looked up separately, because a device may not have them. Neither clFinish nor clWaitForEvents is in any
// table: nothing in this backend waits inside a driver.
#pragma once

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include <cstddef>
#include <cstdint>

namespace manyrt::opencl {

using Error = cl_int;

// ---- Values of newer versions and of extensions ----

inline constexpr cl_device_info kDeviceSvmCapabilities = 0x1053;  // CL_DEVICE_SVM_CAPABILITIES, 2.0
inline constexpr cl_bitfield kSvmCoarse = 1, kSvmFineBuffer = 2, kSvmFineSystem = 4;
inline constexpr cl_bitfield kSvmAllocFineGrain = 1 << 10;      // CL_MEM_SVM_FINE_GRAIN_BUFFER
inline constexpr cl_uint kKernelExecInfoSvmPointers = 0x11B6;   // CL_KERNEL_EXEC_INFO_SVM_PTRS
inline constexpr cl_uint kKernelExecInfoIndirectHost = 0x4200;  // CL_KERNEL_EXEC_INFO_INDIRECT_..._ACCESS_INTEL
inline constexpr cl_uint kKernelExecInfoIndirectDevice = 0x4201;
inline constexpr cl_uint kKernelExecInfoIndirectShared = 0x4202;
inline constexpr cl_device_info kDeviceIlVersion = 0x105B;            // CL_DEVICE_IL_VERSION, 2.1 and cl_khr_il_program
inline constexpr cl_device_info kDeviceHostMemCapabilities = 0x4190;  // CL_DEVICE_HOST_MEM_CAPABILITIES_INTEL
inline constexpr cl_device_info kDeviceSharedMemCapabilities = 0x4192;
inline constexpr cl_device_info kDeviceUuid = 0x106A;            // CL_DEVICE_UUID_KHR
inline constexpr cl_device_info kDeviceWarpSize = 0x4003;        // CL_DEVICE_WARP_SIZE_NV
inline constexpr cl_device_info kDeviceWavefrontWidth = 0x4043;  // CL_DEVICE_WAVEFRONT_WIDTH_AMD
inline constexpr cl_device_info kDevicePciBusInfo = 0x410F;      // CL_DEVICE_PCI_BUS_INFO_KHR

struct PciBusInfo {
  cl_uint domain, bus, device, function;
};

// ---- OpenCL 1.2, by its functions' names ----

#define RT_OPENCL_TABLE(X)        \
  X(clGetPlatformIDs)             \
  X(clGetPlatformInfo)            \
  X(clGetDeviceIDs)               \
  X(clGetDeviceInfo)              \
  X(clCreateContext)              \
  X(clReleaseContext)             \
  X(clCreateCommandQueue)         \
  X(clRetainCommandQueue)         \
  X(clReleaseCommandQueue)        \
  X(clGetCommandQueueInfo)        \
  X(clFlush)                      \
  X(clCreateBuffer)               \
  X(clCreateSubBuffer)            \
  X(clRetainMemObject)            \
  X(clReleaseMemObject)           \
  X(clGetMemObjectInfo)           \
  X(clCreateProgramWithSource)    \
  X(clCreateProgramWithBinary)    \
  X(clBuildProgram)               \
  X(clReleaseProgram)             \
  X(clGetProgramInfo)             \
  X(clGetProgramBuildInfo)        \
  X(clCreateKernel)               \
  X(clReleaseKernel)              \
  X(clGetKernelInfo)              \
  X(clGetKernelArgInfo)           \
  X(clGetKernelWorkGroupInfo)     \
  X(clSetKernelArg)               \
  X(clEnqueueNDRangeKernel)       \
  X(clEnqueueReadBuffer)          \
  X(clEnqueueReadBufferRect)      \
  X(clEnqueueWriteBuffer)         \
  X(clEnqueueWriteBufferRect)     \
  X(clEnqueueCopyBuffer)          \
  X(clEnqueueCopyBufferRect)      \
  X(clEnqueueFillBuffer)          \
  X(clEnqueueMigrateMemObjects)   \
  X(clEnqueueMarkerWithWaitList)  \
  X(clEnqueueBarrierWithWaitList) \
  X(clRetainEvent)                \
  X(clReleaseEvent)               \
  X(clGetEventInfo)               \
  X(clGetEventProfilingInfo)      \
  X(clSetEventCallback)           \
  X(clGetExtensionFunctionAddressForPlatform)

// ---- Addresses: shared virtual memory (2.0) and cl_intel_unified_shared_memory have the same calls under two names ----

// member, name in 2.0, name of the extension, result, parameters
#define RT_OPENCL_POINTER_TABLE(X)                                                                                           \
  X(setArgument, clSetKernelArgSVMPointer, clSetKernelArgMemPointerINTEL, Error,                                             \
    (cl_kernel kernel, cl_uint index, const void* value))                                                                    \
  X(enqueueCopy, clEnqueueSVMMemcpy, clEnqueueMemcpyINTEL, Error,                                                            \
    (cl_command_queue queue, cl_bool blocking, void* dst, const void* src, size_t size, cl_uint count, const cl_event* list, \
     cl_event* event))                                                                                                       \
  X(enqueueFill, clEnqueueSVMMemFill, clEnqueueMemFillINTEL, Error,                                                          \
    (cl_command_queue queue, void* dst, const void* pattern, size_t pattern_size, size_t size, cl_uint count,                \
     const cl_event* list, cl_event* event))

// Functions that only one of the two has: name, result, parameters.
#define RT_OPENCL_SVM_TABLE(X)                                                              \
  X(clSVMAlloc, void*, (cl_context context, cl_bitfield flags, size_t size, cl_uint align)) \
  X(clSVMFree, void, (cl_context context, void* pointer))                                   \
  X(clSetKernelExecInfo, Error, (cl_kernel kernel, cl_uint name, size_t size, const void* value))

#define RT_OPENCL_USM_TABLE(X)                                                                                           \
  X(clHostMemAllocINTEL, void*, (cl_context context, const cl_bitfield* list, size_t size, cl_uint align, Error* error)) \
  X(clDeviceMemAllocINTEL, void*,                                                                                        \
    (cl_context context, cl_device_id device, const cl_bitfield* list, size_t size, cl_uint align, Error* error))        \
  X(clSharedMemAllocINTEL, void*,                                                                                        \
    (cl_context context, cl_device_id device, const cl_bitfield* list, size_t size, cl_uint align, Error* error))        \
  X(clMemFreeINTEL, Error, (cl_context context, void* pointer))

// SPIR-V: 2.1, or clCreateProgramWithILKHR of cl_khr_il_program.
#define RT_OPENCL_IL_TABLE(X) \
  X(clCreateProgramWithIL, cl_program, (cl_context context, const void* code, size_t size, Error* error))

}  // namespace manyrt::opencl
