// The manyrt command: what this machine offers, as the library sees it. It uses rt.h alone, as any program would, but for cc.
//
//   manyrt info           backends with the reason where one is missing, devices with their properties
//   manyrt info --json    the same for other programs; --null lists the devices of the null backend, too, which tests use
//   manyrt --version
//   manyrt graph FILE     what a graph file holds and how a device would run it; --dot and --svg: as a picture
//   manyrt run FILE --device cuda:0 --input x=x.npy --output y=y.npy
//   manyrt memory FILE    what a memory trace, or a file of RT_TRACE, holds; replayed with --first-fit or --device; --svg: a
//   picture
//   manyrt cc FILE...     kernels as an image, for devices that need not be here (cc.h)
//   manyrt trace FILE     where the time of a file of RT_TRACE went; --svg and --html: as a picture
#include <rt.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <new>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "cc.h"
#include "check.h"
#include "graph_file.h"
#include "memory_replay.h"
#include "memory_trace.h"
#include "trace_file.h"

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
  // What the driver does not tell is left out.
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

std::string versionText() {
  uint32_t version = 0;
  CHECK(rtGetVersion(&version));
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." + std::to_string(version % 100);
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

std::string bytesText(uint64_t bytes) {
  static constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < kUnits.size(); ++unit) value /= 1024;
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text.data();
}

void line(const char* key, const std::string& value) {
  if (!value.empty()) std::printf("    %-14s %s\n", key, value.c_str());
}

std::string joined(const Json& list, const char* separator) {
  std::string text;
  for (const Json& item : list) {
    if (!text.empty()) text += separator;
    text += item.is_string() ? item.get<std::string>() : item.dump();
  }
  return text;
}

void printDevice(const Json& d) {
  std::printf("  %s: %s\n", d["id"].get<std::string>().c_str(), d["name"].get<std::string>().c_str());
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
}

void print(const Json& all) {
  const bool has_default = all["default_device"].is_string();
  std::printf("manyrt %s, %s%s\n", all["version"].get<std::string>().c_str(),
              has_default ? "default device " : "no default device: ",
              all[has_default ? "default_device" : "default_device_reason"].get<std::string>().c_str());
  for (const Json& backend : all["backends"]) {
    const std::string name = backend["name"];
    if (!backend["available"].get<bool>()) {
      std::printf("\n%s: not available: %s\n", name.c_str(), backend["reason"].get<std::string>().c_str());
      continue;
    }
    const std::string driver = backend["driver_name"];
    std::printf("\n%s: %zu device%s%s%s %s\n", name.c_str(), backend["devices"].size(),
                backend["devices"].size() == 1 ? "" : "s", driver.empty() ? "" : ", driver ", driver.c_str(),
                backend["driver_version"].get<std::string>().c_str());
    for (const Json& device : backend["devices"]) printDevice(device);
  }
}

struct Options {
  bool json = false, null_devices = false, dot = false, svg = false, html = false, first_fit = false, by_stream = false;
  uint64_t pool = 0;
  std::string file, device;
  std::vector<std::string> inputs, outputs;
};

void runInfo(const Options& options) {
  const Json all = describe(options.null_devices);
  if (options.json) {
    std::printf("%s\n", all.dump(2, ' ', false, Json::error_handler_t::replace).c_str());
  } else {
    print(all);
  }
}

void runGraphCommand(const Options& options) {
  const Loaded loaded = loadGraphFile(options.file);
  if (options.dot) {
    std::printf("%s", graphDot(loaded).c_str());
  } else if (options.svg) {
    std::printf("%s", graphSvg(loaded, planGraph(loaded, options.device)).c_str());
  } else {
    std::printf("%s\n", graphText(loaded).c_str());
    std::printf("%s", planText(planGraph(loaded, options.device)).c_str());
  }
}

void runMemoryCommand(const Options& options) {
  MemoryTrace trace = loadMemoryTrace(options.file, options.pool);
  if (!options.device.empty()) {
    trace = placeInPool(trace, options.device);
  } else if (options.first_fit) {
    trace = placeFirstFit(trace, kFirstFitAlignment);
  }
  if (options.json) {
    std::printf("%s", memoryTraceJson(trace).c_str());
  } else if (!options.svg) {
    std::printf("%s", memoryText(trace).c_str());
  } else if (trace.placed) {
    std::printf("%s", memorySvg(trace, options.by_stream).c_str());
  } else {
    throw Failure(options.file + ": its blocks have no addresses to draw; place them with --first-fit or --device.");
  }
}

void runTraceCommand(const Options& options) {
  const TraceFile trace = loadTraceFile(options.file);
  const std::string text = options.svg    ? traceSvg(trace)
                           : options.html ? traceHtml(trace)
                           : options.json ? traceJson(trace)
                                          : traceText(trace);
  std::fwrite(text.data(), 1, text.size(), stdout);
}

// A disk may be full.
void flushOutput() {
  const bool flushed = std::fflush(stdout) == 0;
  const std::string reason = flushed ? "." : std::string(": ") + std::strerror(errno) + ".";
  if (!flushed || std::ferror(stdout) != 0) throw Failure("The output could not be written" + reason);
}

// How many letters have to be put in, left out, changed, or exchanged with their neighbour.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<size_t>> steps(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i) {
    for (size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      const size_t changed = steps[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      steps[i][j] = std::min({changed, steps[i - 1][j] + 1, steps[i][j - 1] + 1});
      const bool exchanged = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (exchanged) steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[a.size()][b.size()];
}

// Where the first word is no command: the one that was meant, if one is near.
void suggestCommand(const CLI::App& app, int argc, char** argv) {
  if (argc < 2 || argv[1][0] == '-') return;
  const std::string given = argv[1];
  std::string nearest;
  size_t least = 3;  // more than two letters that differ are another word
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    const size_t apart = distance(given, command->get_name());
    if (apart == 0) return;
    if (apart < least && apart < given.size()) {
      least = apart;
      nearest = command->get_name();
    }
  }
  std::fprintf(stderr, "manyrt: There is no command \"%s\"%s\n", given.c_str(),
               nearest.empty() ? "." : (": did you mean \"" + nearest + "\"?").c_str());
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("manyrt: one runtime for compute devices");
  app.require_subcommand(1);
  app.set_version_flag(
      "--version", [] { return "manyrt " + versionText(); }, "Prints the version of the library");
  Options options;
  CLI::App* info = app.add_subcommand("info", "Lists backends and devices");
  info->add_flag("--json", options.json, "Prints JSON");
  info->add_flag("--null", options.null_devices, "Lists the null backend, which tests use, too");
  CLI::App* graph = app.add_subcommand("graph", "Prints a graph file and the plan that a device makes of it");
  graph->add_option("FILE", options.file, "A graph file (docs/graph-file.md)")->required();
  graph->add_option("--device", options.device, "The device of the plan, as cuda:0; else the default device");
  CLI::Option* dot = graph->add_flag("--dot", options.dot, "Prints the graph for Graphviz, without a plan");
  graph->add_flag("--svg", options.svg, "Prints a picture: streams as lanes, temporaries over time")->excludes(dot);
  CLI::App* run = app.add_subcommand("run", "Runs a graph file once");
  run->add_option("FILE", options.file, "A graph file")->required();
  run->add_option("--device", options.device, "The device, as cuda:0; else the default device");
  run->add_option("--input", options.inputs, "NAME=FILE.npy: the contents of a buffer; once for each")->take_all();
  run->add_option("--output", options.outputs, "NAME=FILE.npy: where a buffer is written when the graph has run")->take_all();
  CLI::App* memory = app.add_subcommand("memory", "Prints what a memory trace holds, replays or draws it");
  memory->add_option("FILE", options.file, "A memory trace (docs/memory-trace.md) or a file that RT_TRACE wrote")->required();
  memory->add_option("--pool", options.pool, "The pool, of a file of RT_TRACE; else the one with the highest peak");
  CLI::Option* device = memory->add_option("--device", options.device, "Replays the trace in a pool of this device, as cpu");
  memory->add_flag("--first-fit", options.first_fit, "Replays the trace by first fit on offsets")->excludes(device);
  CLI::Option* picture = memory->add_flag("--svg", options.svg, "Prints a picture: addresses over time");
  memory->add_flag("--by-stream", options.by_stream, "Colours the blocks of the picture by stream, not by size")
      ->needs(picture);
  memory->add_flag("--json", options.json, "Prints the trace as a file of its own")->excludes(picture);
  CLI::App* trace = app.add_subcommand("trace", "Prints where the time of a traced program went, or draws it");
  trace->add_option("FILE", options.file, "A file that RT_TRACE wrote; also packed by gzip, as FILE.gz")->required();
  CLI::Option* drawn = trace->add_flag("--svg", options.svg, "Prints a picture: streams, threads, copies, gaps");
  CLI::Option* page = trace->add_flag("--html", options.html, "Prints a page with the picture and the table")->excludes(drawn);
  trace->add_flag("--json", options.json, "Prints JSON")->excludes(drawn)->excludes(page);
  cc::Options cc_options;
  const CLI::App* compile = cc::addCommand(app, cc_options);
  const bool compiles = argc > 1 && argv[1] == compile->get_name();
  try {
    if (compiles) {
      std::vector<std::string> words = cc::takeBuildOptions(&cc_options, argc, argv);
      std::reverse(words.begin(), words.end());  // as CLI11 takes them
      app.parse(std::move(words));
    } else {
      app.parse(argc, argv);
    }
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) suggestCommand(app, argc, argv);
    int code = app.exit(error);
    if (code != 0 && compiles) code = cc::kWrongUse;
    if (code == 0 && !std::cout.flush()) {
      std::fprintf(stderr, "manyrt: The output could not be written.\n");
      return 1;
    }
    return code;
  }

  int code = 0;
  try {
    if (compile->parsed()) code = cc::run(cc_options);
    if (info->parsed()) runInfo(options);
    if (graph->parsed()) runGraphCommand(options);
    if (run->parsed()) runGraph(options.file, options.device, options.inputs, options.outputs);
    if (trace->parsed()) runTraceCommand(options);
    if (memory->parsed()) {
      runMemoryCommand(options);  // a replay ends the library itself
    } else if (!trace->parsed()) {
      CHECK(rtShutdown());
    }
    flushOutput();
  } catch (const Failure& failure) {
    std::fprintf(stderr, "manyrt: %s\n", failure.what());
    return compiles ? cc::kWrongUse : 1;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "manyrt: There is no host memory left for this.\n");
    return compiles ? cc::kWrongUse : 1;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "manyrt: The command failed inside, which is a defect of manyrt; please report it with this: %s\n",
                 error.what());
    return compiles ? cc::kWrongUse : 1;
  }
  return code;
}
