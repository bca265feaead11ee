// A case through rt.h, and how a result is held against the reference.
#include "case_runner.h"

#include <fstream>
#include <sstream>

namespace sixty {
namespace {

void require(rtStatus_t status, const char* what) {
  if (status == RT_SUCCESS) return;
  std::vector<char> message(1 << 16);
  (void)rtGetLastErrorMessage(message.data(), message.size(), nullptr);
  throw RunError(std::string(what) + ": " + message.data());
}

std::uint32_t groups(const Launch& launch, std::size_t axis) {
  return static_cast<std::uint32_t>(launch.global[axis] / launch.local[axis]);
}
std::uint32_t items(const Launch& launch, std::size_t axis) { return static_cast<std::uint32_t>(launch.local[axis]); }

class RtRunner final : public CaseRunner {
 public:
  RtRunner(const Kernel& kernel, const Case& given, bool relaxed, rtContext_t context, rtStream_t stream)
      : case_(given), stream_(stream) {
    require(rtModuleCreateFromSource(&module_, readSource(kernel).c_str(), optionsOf(kernel, relaxed).c_str(), context),
            "build");
    try {
      for (const Buffer& buffer : case_.buffers) {
        void* memory = nullptr;
        require(rtMalloc(&memory, buffer.bytes.size(), context), "rtMalloc");
        memory_.push_back(memory);
      }
      values_.resize(case_.launches.size());
      for (std::size_t i = 0; i < case_.launches.size(); ++i) prepare(case_.launches[i], &values_[i]);
      restore();
    } catch (...) {
      release();
      throw;
    }
  }
  ~RtRunner() override { release(); }

  void restore() override {
    for (std::size_t i = 0; i < memory_.size(); ++i) {
      const std::vector<std::byte>& bytes = case_.buffers[i].bytes;
      require(rtMemcpy(memory_[i], bytes.data(), bytes.size(), RT_MEMCPY_DEFAULT), "rtMemcpy");
    }
  }
  void run() override {
    for (std::size_t i = 0; i < case_.launches.size(); ++i) {
      const Launch& launch = case_.launches[i];
      std::vector<void*>& arguments = values_[i].arguments;
      require(rtLaunchKernel(values_[i].kernel, groups(launch, 0), groups(launch, 1), groups(launch, 2), items(launch, 0),
                             items(launch, 1), items(launch, 2), 0, stream_, arguments.data(),
                             static_cast<std::uint32_t>(arguments.size())),
              "rtLaunchKernel");
    }
    require(rtStreamSynchronize(stream_), "rtStreamSynchronize");
  }
  std::vector<std::byte> read(std::size_t index) override {
    std::vector<std::byte> bytes(case_.buffers[index].bytes.size());
    require(rtMemcpy(bytes.data(), memory_[index], bytes.size(), RT_MEMCPY_DEFAULT), "rtMemcpy");
    return bytes;
  }

 private:
  struct Values {
    rtKernel_t kernel = nullptr;
    std::vector<void*> arguments;  // their addresses: in memory_ and in the case, both of which stay where they are
  };

  void prepare(const Launch& launch, Values* values) {
    require(rtModuleGetKernel(&values->kernel, launch.kernel.c_str(), module_), "rtModuleGetKernel");
    for (const Argument& argument : launch.arguments) {
      switch (argument.kind) {
        case Argument::Kind::Buffer:
          values->arguments.push_back(&memory_.at(argument.buffer_or_size));
          break;
        case Argument::Kind::Scalar:
          values->arguments.push_back(const_cast<std::byte*>(argument.scalar.data()));
          break;
        case Argument::Kind::Local:
          values->arguments.push_back(const_cast<std::size_t*>(&argument.buffer_or_size));
          break;
      }
    }
  }
  void release() {
    for (void* memory : memory_) (void)rtFree(memory);
    (void)rtModuleDestroy(module_);
  }

  const Case& case_;
  rtStream_t stream_;
  rtModule_t module_ = nullptr;
  std::vector<void*> memory_;
  std::vector<Values> values_;
};

}  // namespace

std::string readSource(const Kernel& kernel) {
  std::ifstream file(std::string(SIXTY_SOURCES) + "/" + kernel.source, std::ios::binary);
  if (!file.is_open()) throw RunError(std::string("The file ") + kernel.source + " is missing.");
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::string optionsOf(const Kernel& kernel, bool relaxed) {
  std::string options = kernel.options;
  if (relaxed) options += " -cl-fast-relaxed-math";
  return options;
}

std::unique_ptr<CaseRunner> runOnContext(const Kernel& kernel, const Case& given, bool relaxed, rtContext_t context,
                                         rtStream_t stream) {
  return std::make_unique<RtRunner>(kernel, given, relaxed, context, stream);
}

std::string checkAgainst(const std::vector<Buffer>& expected, CaseRunner& runner, double more) {
  runner.restore();
  runner.run();
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (!expected[i].checked) continue;
    const std::string found = difference(expected[i], runner.read(i), more);
    if (!found.empty()) return "buffer " + std::to_string(i) + " has " + found;
  }
  return {};
}

std::vector<Buffer> expectedOf(const Kernel& kernel, const Case& given, std::size_t scale) {
  std::vector<Buffer> expected = given.buffers;
  kernel.reference(expected, scale);
  return expected;
}

}  // namespace sixty
