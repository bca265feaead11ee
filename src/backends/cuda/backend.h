// The backend object: opens the table at the first question and owns the devices.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/cuda/device.h"

namespace manyrt::cuda {

class Backend final : public backend::Backend {
 public:
  int32_t id() const override { return RT_BACKEND_CUDA; }
  const char* name() const override { return "cuda"; }
  int32_t deviceCount() override;
  backend::Device* device(int32_t ordinal) override;
  void info(rtBackendInfo_t* info) override;

 private:
  void open();

  std::once_flag once_;
  std::string reason_;
  std::vector<std::unique_ptr<Device>> devices_;
};

}  // namespace manyrt::cuda
