// Libraries: programs of one device, built once for a source, however many callers ask for it. Each caller gets a lease on the
// one library, which is deleted with its last lease. Pipelines hold theirs.
#pragma once

#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "backends/module.h"
#include "backends/opencl/declarations.h"
#include "backends/opencl/program/launch_order.h"
#include "base/lock_order.h"
#include "base/ref.h"
#include "base/single_flight.h"
#include "base/status.h"
#include "compiler/build.h"

namespace manyrt::opencl {

class Device;

// A built program, and what is known of its kernels.
class Library final : public RefCounted {
 public:
  Library(Device& device, cl_program program) : device_(device), program_(program) {}
  ~Library() override;
  Device& device() const { return device_; }
  cl_program program() const { return program_; }
  LaunchOrder& launchOrder(const std::string& kernel);  // of all pipelines of the kernel; throws bad_alloc
  Status binary(std::vector<unsigned char>* out);       // the same at each call; empty: the driver has none. Throws bad_alloc

  std::vector<compiler::OpenClKernel> kernels;
  bool hidden_offsets = false;    // pointers are a root and an offset; else, in the buffer tier, each is one cl_mem
  bool follows_addresses = true;  // may: kernels reach memory that no argument names
  bool from_text = false;         // the library's own: get_work_dim() in it counts the grid, whatever is enqueued
  std::string options;            // that it was built with, where from_text
  bool optimized = true;          // likewise
  std::string log;

 private:
  friend class Libraries;
  void recycle() override;

  Device& device_;
  const cl_program program_;  // owned
  Ranked<std::mutex, LockRank::kClLaunchOrder> launch_orders_lock_;
  std::map<std::string, LaunchOrder> launch_orders_;
  std::vector<unsigned char> binary_;  // of the image, under the same lock; empty: not asked for yet
  bool listed_ = false;
  Digest key_{};
};

class Libraries {
 public:
  explicit Libraries(Device& device) : device_(device) {}
  // The request has an origin.
  Status fromSource(Ref<Library>* library, const compiler::BuildRequest& request, std::string* log);
  Status fromBinary(Ref<Library>* library, const void* data, size_t size, const char* options, const char* name);
  Status fromIl(Ref<Library>* library, const void* data, size_t size, const char* options, const char* name);

  // Parts of images of modules. NOT_SUPPORTED: the program came compiled, or the driver gives no binary.
  Status part(backend::BuiltPart* out, Library& library) const;
  // Binaries of the driver, then text.
  uint32_t suits(const backend::ImagePart& part, std::string* why_not) const;
  Status fromPart(Ref<Library>* library, const backend::ImagePart& part, const char* name);

 private:
  friend class Library;
  compiler::OpenClTarget target() const;
  Status buildOnce(Ref<Library>* library, compiler::OpenClBuild& source, compiler::Origin* origin);
  Status build(Ref<Library>* library, cl_program program, const std::string& options, const char* name);
  Status fromText(Ref<Library>* library, const backend::ImagePart& part, const char* name);
  Status buildText(Ref<Library>* library, compiler::OpenClBuild& build, compiler::OpenClImage* image, const char* name);
  Status loadBinary(Ref<Library>* library, const compiler::OpenClImage& image, const char* name);
  static void describe(Library& library, const compiler::OpenClImage& image);
  Status describe(Library& library, const char* name);
  Status describeArgument(compiler::OpenClArgument* argument, cl_kernel kernel, cl_uint index, const char* kernel_name,
                          const char* name);
  void forget(Library& library);

  Device& device_;
  SingleFlight<Ref<Library>, Digest> flights_;
  std::map<Digest, Library*> known_;  // under the lock of the flights
};

}  // namespace manyrt::opencl
