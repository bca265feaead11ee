// `manyrt info`: backends with the reason where one is missing, devices with their properties. By rt.h alone, as any program.
#include "info.h"

#include <rt.h>

#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "check.h"
#include "terminal.h"
#include "units.h"

namespace {

using Json = nlohmann::ordered_json;

// Words for what rt.h gives as numbers.
const char* kindName(int32_t kind) {
  switch (kind) {
    case RT_DEVICE_KIND_CPU:
      return "CPU";
    case RT_DEVICE_KIND_DISCRETE_GPU:
      return "discrete GPU";
    case RT_DEVICE_KIND_INTEGRATED_GPU:
      return "integrated GPU";
    case RT_DEVICE_KIND_ACCELERATOR:
      return "accelerator";
    default:
      return "unknown";
  }
}

const char* tierName(int32_t tier) {
  switch (tier) {
    case RT_MEMORY_TIER_NATIVE:
      return "native";
    case RT_MEMORY_TIER_USM:
      return "usm";
    case RT_MEMORY_TIER_SVM:
      return "svm";
    case RT_MEMORY_TIER_BUFFER:
      return "buffer";
    default:
      return "unknown";
  }
}

const std::vector<std::pair<int32_t, const char*>> kCapabilities = {
    {RT_CAPABILITY_KERNELS, "kernels"},
    {RT_CAPABILITY_HOST_KERNELS, "host_kernels"},
    {RT_CAPABILITY_SHARED_MEMORY, "shared_memory"},
    {RT_CAPABILITY_COOPERATIVE_LAUNCH, "cooperative_launch"},
    {RT_CAPABILITY_PEER_ACCESS, "peer_access"},
    {RT_CAPABILITY_TIMING, "timing"},
    {RT_CAPABILITY_NATIVE_INTEROP, "native_interop"},
    {RT_CAPABILITY_POINTERS_IN_MEMORY, "pointers_in_memory"},
    {RT_CAPABILITY_DOUBLE, "double"},
    {RT_CAPABILITY_HALF, "half"},
    {RT_CAPABILITY_ATOMICS_64, "atomics_64"},
    {RT_CAPABILITY_HOST_REGISTER, "host_register"},
    {RT_CAPABILITY_STREAM_PRIORITIES, "stream_priorities"},
    {RT_CAPABILITY_SUBGROUPS, "subgroups"},
};

std::string uuidText(const uint8_t (&uuid)[16]) {
  std::string text;
  bool any = false;
  for (int i = 0; i < 16; ++i) {
    std::array<char, 4> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x", uuid[i]);
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += digits.data();
    any = any || uuid[i] != 0;
  }
  return any ? text : std::string();
}

Json describeDevice(rtDevice_t device) {
  rtDeviceProperties_t p = RT_DEVICE_PROPERTIES_INIT;
  CHECK(rtDeviceGetProperties(&p, device));
  Json capabilities = Json::array();
  for (const auto& [capability, name] : kCapabilities) {
    int32_t has = 0;
    CHECK(rtDeviceHasCapability(&has, capability, device));
    if (has != 0) capabilities.push_back(name);
  }
  uint64_t free_bytes = 0;
  uint64_t total_bytes = 0;
  CHECK(rtDeviceGetMemInfo(&free_bytes, &total_bytes, device));
  Json known{
      {"id", p.id},
      {"name", p.name},
      {"vendor", p.vendor},
      {"kind", kindName(p.kind)},
      {"architecture", p.architecture},
      {"driver_version", p.driver_version},
      {"compute_units", p.compute_units},
      {"simd_width", p.simd_width},
      {"max_group_items", p.max_group_items},
      {"max_group_size", p.max_group_size},
      {"max_grid_size", p.max_grid_size},
      {"memory_bytes", p.memory_bytes},
      {"free_bytes", free_bytes},
      {"max_allocation_bytes", p.max_allocation_bytes},
      {"local_bytes_per_group", p.local_bytes_per_group},
      {"unified_memory", p.unified_memory != 0},
      {"memory_tier", tierName(p.memory_tier)},
      {"priorities", {p.priority_least, p.priority_greatest}},
      {"capabilities", capabilities},
  };
  // Lines that the driver does not tell are left out.
  const auto addText = [&known](const char* key, const std::string& text) {
    if (!text.empty()) known[key] = text;
  };
  const auto addNumber = [&known](const char* key, uint64_t number) {
    if (number != 0) known[key] = number;
  };
  addText("uuid", uuidText(p.uuid));
  addText("pci_bus_id", p.pci_bus_id);
  addNumber("clock_mhz", p.clock_mhz);
  addNumber("cache_line_bytes", p.cache_line_bytes);
  addNumber("l1_bytes", p.l1_bytes);
  addNumber("l2_bytes", p.l2_bytes);
  addNumber("l3_bytes", p.l3_bytes);
  return known;
}

Json describeBackend(int32_t backend) {
  rtBackendInfo_t info = RT_BACKEND_INFO_INIT;
  CHECK(rtBackendGetInfo(&info, backend));
  Json devices = Json::array();
  int32_t count = 0;
  CHECK(rtDeviceGetCount(&count, backend));
  for (int32_t ordinal = 0; ordinal < count; ++ordinal) {
    rtDevice_t device = nullptr;
    CHECK(rtDeviceGet(&device, backend, ordinal));
    devices.push_back(describeDevice(device));
  }
  return Json{
      {"name", info.name},
      {"available", info.available != 0},
      {"reason", info.reason},
      {"driver_name", info.driver_name},
      {"driver_version", info.driver_version},
      {"devices", devices},
  };
}

// The library, every backend in the order of rt.h, the default device. RT_DEVICE may name a device that is absent: to find out
// which names there are is what the command is for.
Json describe(bool null_devices) {
  Json backends = Json::array();
  for (const int32_t backend : {RT_BACKEND_CPU, RT_BACKEND_CUDA, RT_BACKEND_OPENCL, RT_BACKEND_NULL}) {
    if (backend != RT_BACKEND_NULL || null_devices) backends.push_back(describeBackend(backend));
  }
  Json all{{"version", versionText()}, {"default_device", nullptr}, {"default_device_reason", ""}};
  try {
    rtDevice_t device = nullptr;
    CHECK(rtDeviceGetByName(&device, nullptr));
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    CHECK(rtDeviceGetProperties(&properties, device));
    all["default_device"] = properties.id;
  } catch (const Failure& failure) {
    all["default_device_reason"] = failure.what();
  }
  all["backends"] = std::move(backends);
  return all;
}

std::string joined(const Json& list, const char* separator) {
  std::string text;
  for (const Json& item : list) {
    if (!text.empty()) text += separator;
    text += item.is_string() ? item.get<std::string>() : item.dump();
  }
  return text;
}

std::string deviceText(const Json& d) {
  std::string text = "  " + d["id"].get<std::string>() + ": " + d["name"].get<std::string>() + '\n';
  const auto line = [&text](const char* key, const std::string& value) {
    if (!value.empty()) text += "    " + terminal::padded(key, 14) + ' ' + value + '\n';
  };
  const auto bytes = [&d](const char* key) { return bytesText(d[key].get<uint64_t>()); };
  line("kind", d["kind"]);
  line("vendor", d["vendor"]);
  line("architecture", d["architecture"]);
  line("driver", d["driver_version"]);
  line("uuid", d.value("uuid", ""));
  line("PCI bus id", d.value("pci_bus_id", ""));
  line("compute units", d["compute_units"].dump() + ", SIMD width " + d["simd_width"].dump() +
                            (d.contains("clock_mhz") ? ", up to " + d["clock_mhz"].dump() + " MHz" : ""));
  line("memory", bytes("memory_bytes") + ", " + bytes("free_bytes") + " free, one allocation up to " +
                     bytes("max_allocation_bytes") + (d["unified_memory"].get<bool>() ? ", unified" : "") + ", tier " +
                     d["memory_tier"].get<std::string>());
  std::string caches;
  for (const auto& [key, name] :
       {std::pair("l1_bytes", "L1 "), {"l2_bytes", "L2 "}, {"l3_bytes", "L3 "}, {"cache_line_bytes", "line "}}) {
    if (d.contains(key)) caches += (caches.empty() ? "" : ", ") + (name + bytes(key));
  }
  line("caches", caches);
  line("work-group", d["max_group_items"].dump() + " items (" + joined(d["max_group_size"], " x ") + "), local memory " +
                         bytes("local_bytes_per_group"));
  line("grid", joined(d["max_grid_size"], " x "));
  line("priorities", joined(d["priorities"], " to "));
  line("can", joined(d["capabilities"], ", "));
  return text;
}

std::string allText(const Json& all) {
  const bool has_default = all["default_device"].is_string();
  std::string text = "manyrt " + all["version"].get<std::string>() +
                     (has_default ? ", default device " : ", no default device: ") +
                     all[has_default ? "default_device" : "default_device_reason"].get<std::string>() + '\n';
  for (const Json& backend : all["backends"]) {
    text += '\n' + backend["name"].get<std::string>() + ": ";
    if (!backend["available"].get<bool>()) {
      text += "not available: " + backend["reason"].get<std::string>() + '\n';
      continue;
    }
    const std::string driver = backend["driver_name"];
    const size_t count = backend["devices"].size();
    text += std::to_string(count) + (count == 1 ? " device" : " devices") + (driver.empty() ? "" : ", driver ") + driver + ' ' +
            backend["driver_version"].get<std::string>() + '\n';
    for (const Json& device : backend["devices"]) text += deviceText(device);
  }
  return text;
}

}  // namespace

std::string versionText() {
  uint32_t version = 0;
  CHECK(rtGetVersion(&version));
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
}

void runInfo(bool json, bool null_devices) {
  const Json all = describe(null_devices);
  if (json) {
    std::printf("%s\n", all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    terminal::print(allText(all));
  }
}
