// The backend object: opens the table at the first question and owns the devices of all platforms.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/opencl/device.h"

namespace manyrt::opencl {

class Backend final : public backend::Backend {
 public:
  int32_t id() const override { return RT_BACKEND_OPENCL; }
  const char* name() const override { return "opencl"; }
  int32_t deviceCount() override;
  backend::Device* device(int32_t ordinal) override;
  void info(rtBackendInfo_t* info) override;
  void settle();  // at exit: waits for what is enqueued
  void close();   // at exit, after it

 private:
  void open();
  void addPlatform(cl_platform_id platform);
  void skip(const std::string& platform, const std::string& why);  // goes into the reason

  std::once_flag once_;
  std::string reason_;
  std::string names_, versions_;  // of the platforms that have devices
  std::vector<std::unique_ptr<Device>> devices_;
};

// For each thread that may enqueue work: if it is the main thread, its end waits for what is enqueued.
void waitAtExitOfMainThread();

}  // namespace manyrt::opencl
