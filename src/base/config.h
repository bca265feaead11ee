// The environment variables, in one table. A set-user-id program reads none of them. The library reads each one at the start or
// at the first use of what it controls, and the reader keeps the value.
#pragma once

#include <cstdint>
#include <string>

namespace manyrt::config {

// identifier, variable, what it does (docs/environment.md says more)
#define RT_ENVIRONMENT_TABLE(X)                                                          \
  X(kDevice, "RT_DEVICE", "the default device, such as cpu or null:0")                   \
  X(kLog, "RT_LOG", "none, error, warning, info or debug")                               \
  X(kTrace, "RT_TRACE", "a file that receives a Chrome trace")                           \
  X(kProfile, "RT_PROFILE", "1, or a file: sums of kernels, copies, builds, calls")      \
  X(kLeakReport, "RT_LEAK_REPORT", "1: print what is still alive at shutdown")           \
  X(kCudart, "RT_CUDART", "the CUDA runtime to open, a path")                            \
  X(kCudaLaunch, "RT_CUDA_LAUNCH", "graph or plain: how kernels are launched")           \
  X(kCudaMemory, "RT_CUDA_MEMORY", "ranges or plain: how large blocks get memory")       \
  X(kCpuThreads, "RT_CPU_THREADS", "how many threads the CPU backend uses")              \
  X(kDisable, "RT_DISABLE", "backends that are not looked at, separated by commas")      \
  X(kMemoryDebug, "RT_MEMORY_DEBUG", "1: report overruns and uses of freed memory")      \
  X(kCrashReport, "RT_CRASH_REPORT", "0: a crash in a kernel is not reported")           \
  X(kStrict, "RT_STRICT", "1: kernels take addresses of live memory alone")              \
  X(kPool, "RT_POOL", "off: each allocation is one of the driver")                       \
  X(kCompiler, "RT_CC", "the C++ compiler for kernels on the CPU, a name or a path")     \
  X(kCompilerTimeout, "RT_CC_TIMEOUT", "seconds until a compiler is killed")             \
  X(kOpenCl, "RT_OPENCL", "OpenCL's loader to open, a path")                             \
  X(kOpenClMemory, "RT_OPENCL_MEMORY", "usm, svm or buffer: how OpenCL addresses")       \
  X(kNvrtc, "RT_NVRTC", "NVRTC, the compiler for kernels on CUDA, a path or a name")     \
  X(kCpuBuild, "RT_CPU_BUILD", "tiered, optimized or quick: code for kernels")           \
  X(kCpuDebug, "RT_CPU_DEBUG", "1 or a folder: kernels for a debugger")                  \
  X(kCpuPerf, "RT_CPU_PERF", "1 or a folder: kernels for a profiler")                    \
  X(kCpuSanitize, "RT_CPU_SANITIZE", "address, thread or off: sanitizer of kernels")     \
  X(kNccl, "RT_NCCL", "NCCL, for communicators of CUDA devices, a path or a name")       \
  X(kCommEngine, "RT_COMM_ENGINE", "nccl, in_process, shared_memory or mpi: the engine") \
  X(kCommMpi, "RT_COMM_MPI", "messages or collectives: how MPI is called")               \
  X(kCommPort, "RT_COMM_PORT", "the port where ranks of the environment meet")           \
  X(kCommToken, "RT_COMM_TOKEN", "a secret of the job, without which none may join")     \
  X(kCacheFolder, "RT_CACHE_DIR", "the folder of compiled kernels, or off")              \
  X(kCacheSize, "RT_CACHE_SIZE", "MiB that this folder may hold")

enum class Variable {
#define X(id, name, text) id,
  RT_ENVIRONMENT_TABLE(X)
#undef X
};

const char* nameOf(Variable variable);
const char* get(Variable variable);  // null: not set, empty, or a set-user-id program
bool flag(Variable variable);        // set and not "0"
int64_t integer(Variable variable, int64_t least, int64_t most, int64_t otherwise);  // a bad value is logged, then otherwise
int32_t logLevel();                                                                  // RT_LOG; without it, warnings
bool listed(Variable variable, const char* word);                                    // whether the comma-separated list has it

// Logs each variable of the environment whose name is near to one of the table and is none of it: it is misspelt. Other names
// that begin with RT_ may be other programs'.
void tellMisspelt();

}  // namespace manyrt::config
