// A loader for RT_OPENCL whose devices have the ways of NVIDIA's driver (580), as they were measured: it calls itself "NVIDIA
// CUDA"; a copy from the host of up to 64 KiB takes its bytes when it is enqueued; callbacks come 10 ms late; an argument that
// was an SVM address makes a launch fail once it is null; two threads may not allocate shared virtual memory at a time;
// information on arguments does not compile with a kernel that has none; a sub-buffer that is released before a later one which
// overlaps it and begins elsewhere ends the process. It is linked with the real loader, whose other
// functions it has.
#define CL_TARGET_OPENCL_VERSION 200
#include <CL/cl.h>
#include <dlfcn.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace {

constexpr char kName[] = "NVIDIA CUDA";
constexpr char kRightSizes[] = "#define get_local_size(d) ((d) < 3 ? get_local_size(d) : 1)\n";  // as NVIDIA's, unlike PoCL's
constexpr size_t kTakenAtOnce = 64 << 10;
constexpr std::chrono::milliseconds kLate(10);

template <typename Function>
Function* real(Function*, const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

struct SubBuffer {
  cl_mem memory, whole;
  cl_buffer_region region;
  int references = 1;  // of the program: the driver has its own
};

struct State {
  std::mutex mutex;
  std::map<void*, size_t> allocations;                           // of shared virtual memory
  std::vector<SubBuffer> parts;                                  // in the order of their making
  std::set<cl_program> without_arguments;                        // whose text has a kernel without arguments
  std::set<std::pair<cl_kernel, cl_uint>> addresses, bad_nulls;  // arguments that are, and may not be null any more

  std::vector<SubBuffer>::iterator find(cl_mem part) {
    return std::find_if(parts.begin(), parts.end(), [&](const SubBuffer& each) { return each.memory == part; });
  }
};
State& state() {
  static auto* made = new State;
  return *made;
}

struct Call {
  void (*function)(cl_event, cl_int, void*);
  void* user;
};

void CL_CALLBACK later(cl_event event, cl_int status, void* user) {
  const Call call = *static_cast<Call*>(user);
  delete static_cast<Call*>(user);
  std::thread([=] {
    std::this_thread::sleep_for(kLate);
    call.function(event, status, call.user);
  }).detach();
}

// Allocations that meet fail; time passes in here so that they do meet.
struct OneAtATime {
  OneAtATime() : alone(inside.fetch_add(1) == 0) { std::this_thread::sleep_for(std::chrono::microseconds(50)); }
  ~OneAtATime() { inside.fetch_sub(1); }
  static inline std::atomic<int> inside{0};
  const bool alone;
};

bool isAllocation(const void* address) {
  std::lock_guard lock(state().mutex);
  auto next = state().allocations.upper_bound(const_cast<void*>(address));
  if (next == state().allocations.begin()) return false;
  --next;
  return static_cast<const char*>(address) < static_cast<const char*>(next->first) + next->second;
}

// Enqueues a copy of bytes of the program's memory as they are now.
template <typename Enqueue>
cl_int takeAtOnce(const void* from, size_t size, cl_event* event, Enqueue enqueue) {
  auto* taken = new std::vector<char>(static_cast<const char*>(from), static_cast<const char*>(from) + size);
  cl_event own = nullptr;
  const cl_int error = enqueue(taken->data(), &own);
  if (error != CL_SUCCESS) {
    delete taken;
    return error;
  }
  (void)real(clSetEventCallback, "clSetEventCallback")(
      own, CL_COMPLETE, [](cl_event, cl_int, void* user) { delete static_cast<std::vector<char>*>(user); }, taken);
  if (event == nullptr) return clReleaseEvent(own);
  *event = own;
  return CL_SUCCESS;
}

void forgetArguments(cl_kernel kernel) {
  std::erase_if(state().addresses, [&](const auto& each) { return each.first == kernel; });
  std::erase_if(state().bad_nulls, [&](const auto& each) { return each.first == kernel; });
}

}  // namespace

extern "C" {

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void* value, size_t* needed) {
  if (what != CL_PLATFORM_NAME) return real(clGetPlatformInfo, "clGetPlatformInfo")(platform, what, size, value, needed);
  if (needed != nullptr) *needed = sizeof kName;
  if (value == nullptr) return CL_SUCCESS;
  if (size < sizeof kName) return CL_INVALID_VALUE;
  memcpy(value, kName, sizeof kName);
  return CL_SUCCESS;
}

cl_int clSetEventCallback(cl_event event, cl_int when, void(CL_CALLBACK* function)(cl_event, cl_int, void*), void* user) {
  auto* call = new Call{function, user};
  const cl_int error = real(clSetEventCallback, "clSetEventCallback")(event, when, later, call);
  if (error != CL_SUCCESS) delete call;
  return error;
}

// ---- Bytes that are taken at once ----

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem memory, cl_bool blocking, size_t offset, size_t size,
                            const void* from, cl_uint count, const cl_event* list, cl_event* event) {
  auto* call = real(clEnqueueWriteBuffer, "clEnqueueWriteBuffer");
  if (size > kTakenAtOnce) return call(queue, memory, blocking, offset, size, from, count, list, event);
  return takeAtOnce(from, size, event, [&](const void* taken, cl_event* own) {
    return call(queue, memory, blocking, offset, size, taken, count, list, own);
  });
}

void* clSVMAlloc(cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment) {
  const OneAtATime turn;
  if (!turn.alone) return nullptr;
  void* memory = real(clSVMAlloc, "clSVMAlloc")(context, flags, size, alignment);
  std::lock_guard lock(state().mutex);
  if (memory != nullptr) state().allocations[memory] = size;
  return memory;
}

void clSVMFree(cl_context context, void* memory) {
  const OneAtATime turn;
  {
    std::lock_guard lock(state().mutex);
    state().allocations.erase(memory);
  }
  real(clSVMFree, "clSVMFree")(context, memory);
}

cl_int clEnqueueSVMMemcpy(cl_command_queue queue, cl_bool blocking, void* to, const void* from, size_t size, cl_uint count,
                          const cl_event* list, cl_event* event) {
  auto* call = real(clEnqueueSVMMemcpy, "clEnqueueSVMMemcpy");
  if (size > kTakenAtOnce || isAllocation(from)) return call(queue, blocking, to, from, size, count, list, event);
  return takeAtOnce(from, size, event,
                    [&](const void* taken, cl_event* own) { return call(queue, blocking, to, taken, size, count, list, own); });
}

// ---- Arguments ----

cl_int clSetKernelArgSVMPointer(cl_kernel kernel, cl_uint index, const void* value) {
  {
    std::lock_guard lock(state().mutex);
    const std::pair argument(kernel, index);
    if (value == nullptr) {
      state().bad_nulls.insert(argument);
    } else {
      state().addresses.insert(argument);
      state().bad_nulls.erase(argument);
    }
  }
  return real(clSetKernelArgSVMPointer, "clSetKernelArgSVMPointer")(kernel, index, value);
}

cl_int clSetKernelArg(cl_kernel kernel, cl_uint index, size_t size, const void* value) {
  const cl_int error = real(clSetKernelArg, "clSetKernelArg")(kernel, index, size, value);
  const void* memory = kernel;
  if (value != nullptr && size == sizeof memory) memcpy(&memory, value, sizeof memory);
  std::lock_guard lock(state().mutex);
  if (memory == nullptr && state().addresses.count({kernel, index}) != 0) state().bad_nulls.insert({kernel, index});
  return error;
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t* offset,
                              const size_t* items, const size_t* group, cl_uint count, const cl_event* list, cl_event* event) {
  {
    std::lock_guard lock(state().mutex);
    const auto bad = state().bad_nulls.lower_bound({kernel, 0});
    if (bad != state().bad_nulls.end() && bad->first == kernel) return CL_INVALID_KERNEL_ARGS;
  }
  return real(clEnqueueNDRangeKernel, "clEnqueueNDRangeKernel")(queue, kernel, dimensions, offset, items, group, count, list,
                                                                event);
}

cl_kernel clCreateKernel(cl_program program, const char* name, cl_int* error) {
  cl_kernel kernel = real(clCreateKernel, "clCreateKernel")(program, name, error);
  std::lock_guard lock(state().mutex);
  forgetArguments(kernel);  // of one that was at the same address
  return kernel;
}

// ---- Sub-buffers ----

cl_mem clCreateSubBuffer(cl_mem whole, cl_mem_flags flags, cl_buffer_create_type type, const void* info, cl_int* error) {
  const cl_mem memory = real(clCreateSubBuffer, "clCreateSubBuffer")(whole, flags, type, info, error);
  std::lock_guard lock(state().mutex);
  if (memory != nullptr) state().parts.push_back({memory, whole, *static_cast<const cl_buffer_region*>(info)});
  return memory;
}

cl_int clRetainMemObject(cl_mem memory) {
  {
    std::lock_guard lock(state().mutex);
    if (const auto part = state().find(memory); part != state().parts.end()) ++part->references;
  }
  return real(clRetainMemObject, "clRetainMemObject")(memory);
}

cl_int clReleaseMemObject(cl_mem memory) {
  {
    std::lock_guard lock(state().mutex);
    auto& parts = state().parts;
    const auto one = state().find(memory);
    if (one != parts.end() && --one->references == 0) {
      for (auto later = one + 1; later != parts.end(); ++later) {
        const cl_buffer_region &a = one->region, &b = later->region;
        if (later->whole != one->whole || a.origin == b.origin) continue;
        if (a.origin >= b.origin + b.size || b.origin >= a.origin + a.size) continue;
        fprintf(stderr, "A sub-buffer is released before a later one that overlaps it.\n");
        abort();
      }
      parts.erase(one);
    }
  }
  return real(clReleaseMemObject, "clReleaseMemObject")(memory);
}

// ---- Information on arguments ----

cl_program clCreateProgramWithSource(cl_context context, cl_uint count, const char** texts, const size_t* lengths,
                                     cl_int* error) {
  std::string text = kRightSizes;
  for (cl_uint i = 0; i < count; ++i)
    text.append(texts[i], lengths != nullptr && lengths[i] != 0 ? lengths[i] : strlen(texts[i]));
  const char* whole = text.c_str();
  cl_program program = real(clCreateProgramWithSource, "clCreateProgramWithSource")(context, 1, &whole, nullptr, error);
  std::lock_guard lock(state().mutex);
  state().without_arguments.erase(program);
  for (size_t at = 0; (at = text.find("__kernel", at)) != text.npos; ++at) {
    const size_t open = text.find('(', at);
    if (open != text.npos && (text.compare(open, 6, "(void)") == 0 || text.compare(open, 2, "()") == 0)) {
      state().without_arguments.insert(program);
    }
  }
  return program;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id* devices, const char* options,
                      void(CL_CALLBACK* function)(cl_program, void*), void* user) {
  if (options != nullptr && strstr(options, "-cl-kernel-arg-info") != nullptr) {
    std::lock_guard lock(state().mutex);
    if (state().without_arguments.count(program) != 0) return CL_BUILD_PROGRAM_FAILURE;
  }
  return real(clBuildProgram, "clBuildProgram")(program, count, devices, options, function, user);
}

}  // extern "C"
