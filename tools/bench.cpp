// The measurements of manyrt bench in their order, and the figures that are expected of them.
#include "bench.h"

#include <algorithm>
#include <fstream>
#include <memory>

#include "bench_device.h"
#include "check.h"
#include "info.h"
#include "terminal.h"

namespace bench {
namespace {

constexpr size_t kFiguresOfDevice = 9;

std::string processorName() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const size_t at = line.find(": ");
    if (line.starts_with("model name") && at != std::string::npos) return line.substr(at + 2);
  }
  return "";
}

std::vector<rtDevice_t> findDevices(const std::vector<std::string>& names) {
  std::vector<rtDevice_t> devices;
  for (const std::string& name : names) {
    rtDevice_t device = nullptr;
    CHECK(rtDeviceGetByName(&device, name.c_str()));
    if (std::find(devices.begin(), devices.end(), device) != devices.end()) {
      throw Failure("The device \"" + name + "\" is named twice.");
    }
    devices.push_back(device);
  }
  if (!names.empty()) return devices;
  int32_t count = 0;
  CHECK(rtDeviceGetCount(&count, RT_BACKEND_ALL));
  for (int32_t i = 0; i < count; ++i) {
    rtDevice_t device = nullptr;
    CHECK(rtDeviceGet(&device, RT_BACKEND_ALL, i));
    devices.push_back(device);
  }
  if (devices.empty()) throw Failure("There is no device to measure: manyrt doctor says why.");
  return devices;
}

class DeviceBench {
 public:
  DeviceBench(const Device& device, const Options& options, terminal::Progress* progress)
      : device_(device), options_(options), progress_(progress) {
    figures_.id = device.properties().id;
    figures_.name = device.properties().name;
  }

  DeviceFigures run() {
    const rtDeviceProperties_t& properties = device_.properties();
    const bool is_host = properties.kind == RT_DEVICE_KIND_CPU;
    const uint32_t threads = std::max<uint32_t>(properties.compute_units, 1);
    Expected copy, link, call, stream;
    if (is_host) {
      progress_->step(figures_.id + ": what is expected");
      copy = link = hostCopy(threads, device_.bytes(), options_.seconds);
      stream = hostTriad(threads, device_.bytes(), options_.seconds);
      call = hostCall(options_.seconds);
    } else {
      progress_->step(figures_.id);
      link = pciLink(properties.pci_bus_id);
    }
    constexpr uint64_t kShort = 8;
    void *const block = device_.block(0), *const other = device_.block(1), *const pinned = device_.pinned();
    measureTime("8 bytes to the device", call, [&] { device_.copy(block, pinned, kShort, RT_MEMCPY_HOST_TO_DEVICE); });
    measureTime("8 bytes to the host", call, [&] { device_.copy(pinned, block, kShort, RT_MEMCPY_DEVICE_TO_HOST); });
    const uint64_t bytes = device_.bytes();
    measureBytes("copy to the device", bytes, link, [&] { device_.copy(block, pinned, bytes, RT_MEMCPY_HOST_TO_DEVICE); });
    measureBytes("copy to the host", bytes, link, [&] { device_.copy(pinned, block, bytes, RT_MEMCPY_DEVICE_TO_HOST); });
    measureBytes("copy on the device", bytes, copy, [&] { device_.copy(other, block, bytes, RT_MEMCPY_DEVICE_TO_DEVICE); });
    measureKernels(call, stream);
    return std::move(figures_);
  }

 private:
  double measure(const std::string& what, const std::function<void()>& call) {
    progress_->step(figures_.id + ": " + what);
    return secondsOf(Of::kMedian, options_.seconds, call);
  }
  void measureTime(const std::string& what, const Expected& expected, const std::function<void()>& call) {
    figures_.figures.push_back({what, Unit::kSeconds, measure(what, call), expected.value, expected.from});
  }
  void measureBytes(const std::string& what, uint64_t bytes, const Expected& expected, const std::function<void()>& call) {
    const double seconds = measure(what, call);
    figures_.figures.push_back(
        {what, Unit::kBytesPerSecond, static_cast<double>(bytes) / seconds, expected.value, expected.from});
  }

  void measureKernels(const Expected& call, const Expected& stream) {
    if (!device_.noKernels().empty()) figures_.missing.push_back(device_.noKernels());
    const int32_t kind = device_.properties().kind;
    if (device_.noKernels().empty() || kind == RT_DEVICE_KIND_CPU) {
      constexpr int kLaunches = 64;
      const std::string launch = "launch of a kernel";
      const double seconds = measure(launch, [&] {
        for (int i = 0; i < kLaunches; ++i) device_.launchNothing();
        device_.wait();
      });
      figures_.figures.push_back({launch, Unit::kSeconds, seconds / kLaunches, call.value, call.from});
      measureTime("launch and wait", call, [&] {
        device_.launchNothing();
        device_.wait();
      });
    }
    if (!device_.noKernels().empty()) return;
    measureBytes("kernel: memory", 3 * device_.bytes(), stream, [&] {
      device_.launchTriad();
      device_.wait();
    });
    const Expected peak = peakOperations(device_.properties());
    const double seconds = measure("kernel: arithmetic", [&] {
      device_.launchMultiplyAdds();
      device_.wait();
    });
    figures_.figures.push_back(
        {"kernel: arithmetic", Unit::kOperationsPerSecond, device_.operations() / seconds, peak.value, peak.from});
  }

  const Device& device_;
  const Options& options_;
  terminal::Progress* const progress_;
  DeviceFigures figures_;
};

PairFigures measurePair(const Device& from, const Device& to, const Options& options) {
  const auto copy = [&](uint64_t bytes) {
    return secondsOf(Of::kMedian, options.seconds, [&] { from.copy(to.block(0), from.block(0), bytes, RT_MEMCPY_DEFAULT); });
  };
  constexpr uint64_t kShort = 8;
  const double least = copy(kShort);
  return {from.properties().id, to.properties().id, least, static_cast<double>(from.bytes()) / copy(from.bytes())};
}

}  // namespace

double shareOfExpected(const Figure& figure) {
  if (figure.expected <= 0 || figure.value <= 0) return 0;
  return figure.unit == Unit::kSeconds ? figure.expected / figure.value : figure.value / figure.expected;
}

void run(const Options& options) {
  Report report;
  report.version = versionText();
  report.machine = processorName();
  report.bytes = options.bytes;
  {
    std::vector<std::unique_ptr<Device>> devices;
    const std::vector<rtDevice_t> handles = findDevices(options.devices);
    const size_t pairs = handles.size() * (handles.size() - 1);
    terminal::Progress progress(handles.size() * (kFiguresOfDevice + 2) + pairs);
    for (rtDevice_t handle : handles) {
      progress.step("kernels and memory");
      devices.push_back(std::make_unique<Device>(handle, options.bytes));
      report.devices.push_back(DeviceBench(*devices.back(), options, &progress).run());
    }
    for (const auto& from : devices) {
      for (const auto& to : devices) {
        if (from == to) continue;
        progress.step(std::string(from->properties().id) + " to " + to->properties().id);
        report.pairs.push_back(measurePair(*from, *to, options));
      }
    }
  }
  if (options.svg) {
    terminal::write(reportSvg(report));
  } else if (options.json) {
    terminal::write(reportJson(report));
  } else {
    terminal::write(reportText(report, terminal::columns(stdout)));
  }
}

}  // namespace bench
