// The order of the findings, and how they are told. Nothing here ends at the first fault: each part is examined for itself.
#include "doctor.h"

#include <dirent.h>
#include <gnu/libc-version.h>
#include <sys/utsname.h>

#include <array>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "check.h"
#include "info.h"
#include "terminal.h"
#include "units.h"

namespace doctor {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kWords[] = {"ok", "note", "PROBLEM"};  // by Level
constexpr const char* kColours[] = {terminal::kGreen, terminal::kYellow, terminal::kRed};

// Whether the PCI bus has a display or compute device of NVIDIA. Without one, that CUDA is missing is nothing to mend.
bool hasNvidiaDevice() {
  const std::string folder = "/sys/bus/pci/devices";
  const std::unique_ptr<DIR, int (*)(DIR*)> listing(opendir(folder.c_str()), closedir);
  if (listing == nullptr) return false;
  const auto firstLine = [](const std::string& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
  };
  while (const dirent* entry = readdir(listing.get())) {
    const std::string device = folder + '/' + entry->d_name;
    if (firstLine(device + "/vendor") == "0x10de" && firstLine(device + "/class").starts_with("0x03")) return true;
  }
  return false;
}

Finding missingBackend(const rtBackendInfo_t& info, const Distribution& distribution) {
  Finding finding{info.name, Level::kNote, std::string("not available: ") + info.reason, ""};
  if (info.backend == RT_BACKEND_CPU) finding.level = Level::kProblem;
  for (const std::string name : {"RT_CUDART", "RT_OPENCL"}) {  // what is named and cannot be opened is no missing option
    if (!std::string(info.reason).starts_with(name + '=')) continue;
    finding.level = Level::kProblem;
    finding.advice = "set " + name + " to the library, or remove it";
    return finding;
  }
  const bool is_installed = std::string(info.reason).find("not installed") == std::string::npos;
  if (info.backend == RT_BACKEND_OPENCL && !is_installed)
    finding.advice = "install it: " + adviceFor(distribution, Needed::kOpenCl);
  if (info.backend == RT_BACKEND_CUDA) {
    if (!hasNvidiaDevice()) {
      finding.text += " The PCI bus has no device of NVIDIA.";
    } else {
      finding.advice = is_installed ? "look whether nvidia-smi finds the driver, and whether it is new enough for this CUDA"
                                    : "install it: " + adviceFor(distribution, Needed::kCudaRuntime);
    }
  }
  return finding;
}

void examineBackend(std::vector<Finding>* findings, int32_t backend, const Distribution& distribution) {
  rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
  CHECK(rtBackendGetInfo(&info, backend));
  if (info.available == 0) {
    findings->push_back(missingBackend(info, distribution));
    return;
  }
  const std::string driver =
      info.driver_name[0] == '\0' ? "" : std::string(", driver ") + info.driver_name + ' ' + info.driver_version;
  findings->push_back({info.name, Level::kFine, counted(static_cast<uint64_t>(info.device_count), "device") + driver, ""});
  for (int32_t ordinal = 0; ordinal < info.device_count; ++ordinal) {
    rtDevice_t device = nullptr;
    CHECK(rtDeviceGet(&device, backend, ordinal));
    const std::vector<Finding> more = examineDevice(device, info.name, distribution);
    findings->insert(findings->end(), more.begin(), more.end());
  }
}

Finding defaultDevice() {
  try {
    rtDevice_t device = nullptr;
    CHECK(rtDeviceGetByName(&device, nullptr));
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    CHECK(rtDeviceGetProperties(&properties, device));
    return {"library", Level::kFine, std::string("default device ") + properties.id, ""};
  } catch (const Failure& failure) {
    return {"library", Level::kProblem, failure.what(), "set RT_DEVICE to one of the devices below, or remove it"};
  }
}

std::string machineText(const Distribution& distribution) {
  utsname system{};
  (void)uname(&system);
  return distribution.name + ", " + system.sysname + ' ' + system.release + ", " + system.machine + ", glibc " +
         gnu_get_libc_version();
}

std::string textOf(const std::vector<Finding>& findings, const std::string& head, bool colours) {
  std::string text = head + '\n', part;
  for (const Finding& each : findings) {
    if (each.part != part) text += '\n' + terminal::coloured(colours ? terminal::kBold : nullptr, each.part) + '\n';
    part = each.part;
    const auto level = static_cast<size_t>(each.level);
    const std::string word = terminal::coloured(colours ? kColours[level] : nullptr, kWords[level]);
    text += "  " + terminal::padded(word, 7) + "  " + each.text + '\n';
    if (!each.advice.empty()) text += "  " + terminal::padded("to do", 7) + "  " + each.advice + '\n';
  }
  return text;
}

// Kernels and drivers are foreign code: what they say is shown as one line of printable letters.
std::string oneLine(const std::string& text) {
  std::string line;
  for (const char letter : text) line += static_cast<unsigned char>(letter) < ' ' ? ' ' : letter;
  return line;
}

}  // namespace

int run(const Options& options) {
  const Distribution distribution = readDistribution(options.os_release);
  std::vector<Finding> findings{defaultDevice()};
  for (const int32_t backend : {RT_BACKEND_CPU, RT_BACKEND_CUDA, RT_BACKEND_OPENCL}) {
    examineBackend(&findings, backend, distribution);
  }
  const std::vector<Finding> system = examineSystem(distribution);
  findings.insert(findings.end(), system.begin(), system.end());
  uint64_t problems = 0, notes = 0;
  for (Finding& each : findings) {
    each.text = oneLine(each.text);
    problems += each.level == Level::kProblem ? 1 : 0;
    notes += each.level == Level::kNote ? 1 : 0;
  }
  if (options.json) {
    Json list = Json::array();
    for (const Finding& each : findings) {
      constexpr const char* kNames[] = {"ok", "note", "problem"};
      list.push_back({{"part", each.part},
                      {"level", kNames[static_cast<size_t>(each.level)]},
                      {"text", each.text},
                      {"advice", each.advice}});
    }
    const Json all{
        {"version", versionText()}, {"machine", machineText(distribution)}, {"problems", problems}, {"findings", list}};
    terminal::write(all.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
  } else {
    terminal::print(
        textOf(findings, "manyrt " + versionText() + ", " + machineText(distribution), terminal::wantsColours(stdout)));
    terminal::print('\n' + (problems != 0 ? counted(problems, "problem") : std::string("All that is here works")) +
                    (notes != 0 ? ", " + counted(notes, "note") + " about what is missing or unusual" : "") + ".\n");
  }
  return problems != 0 ? 1 : 0;
}

}  // namespace doctor
