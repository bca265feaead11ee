// Names of targets. Levels of processors are the compiler's table; architectures of CUDA are asked of NVRTC once for all words.
#include "aot/target.h"

#include <algorithm>
#include <charconv>

namespace manyrt::aot {
namespace {

using compiler::CpuLevel;

std::vector<std::string> splitList(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const size_t end = std::min(text.find(','), text.size());
    parts.emplace_back(text.substr(0, end));
    if (end == text.size()) return parts;
    text.remove_prefix(end + 1);
  }
}

std::string levelNames() {
  std::string names = "native";
  for (const CpuLevel& level : compiler::cpuLevels()) {
    names += ", " + level.name + (level.other_name.empty() ? "" : " (" + level.other_name + ")");
  }
  return names;
}

std::string architectureNames(const std::vector<uint32_t>& known) {
  std::string names;
  for (const uint32_t each : known) names += (names.empty() ? "sm_" : ", sm_") + std::to_string(each);
  return names;
}

// NVRTC's architectures, asked when the first word needs them.
struct Cuda {
  bool asked = false;
  std::vector<uint32_t> known;
  Status ask() {
    if (asked) return Status();
    std::string path;
    RT_TRY(compiler::cudaArchitectures(&known, &path));
    asked = true;
    if (!known.empty()) return Status();
    return Status::error(RT_ERROR_COMPILER_NOT_FOUND, "NVRTC (%s) names no architecture that it compiles for.", path.c_str());
  }
};

bool readArchitecture(uint32_t* architecture, std::string_view word, std::string_view prefix) {
  if (!word.starts_with(prefix)) return false;
  word.remove_prefix(prefix.size());
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), *architecture);
  return error == std::errc() && end == word.data() + word.size();
}

Status readCpu(std::vector<Target>* found, const std::string& word) {
  const CpuLevel* level = compiler::findCpuLevel(word);
  RT_CHECK_ARG(level != nullptr, "The target \"cpu:%s\" is not known: levels of processors are %s.", word.c_str(),
               levelNames().c_str());
  found->push_back({Target::Kind::kCpu, level, 0, false, false});
  return Status();
}

Status readCuda(std::vector<Target>* found, const std::vector<std::string>& words, Cuda* cuda) {
  RT_TRY(cuda->ask());
  uint32_t newest = 0;
  for (const std::string& word : words) {
    uint32_t architecture = 0;
    if (word == "ptx") {
      found->push_back({Target::Kind::kCuda, nullptr, 0, true, false});
      continue;
    }
    const bool ptx = readArchitecture(&architecture, word, "compute_");
    const bool named = ptx || readArchitecture(&architecture, word, "sm_");
    RT_CHECK_ARG(named && std::find(cuda->known.begin(), cuda->known.end(), architecture) != cuda->known.end(),
                 "The target \"cuda:%s\" is not known: NVRTC compiles for ptx, %s, and PTX as compute_%u.", word.c_str(),
                 architectureNames(cuda->known).c_str(), cuda->known.back());
    newest = std::max(newest, architecture);
    found->push_back({Target::Kind::kCuda, nullptr, architecture, ptx, false});
  }
  for (Target& target : *found) {
    if (target.kind == Target::Kind::kCuda && target.architecture == 0) {
      target.architecture = newest != 0 ? newest : cuda->known.front();
    }
  }
  return Status();
}

Status readOpenCl(std::vector<Target>* found, const std::string& word) {
  const bool addresses = word == "addresses", offsets = word == "offsets";
  RT_CHECK_ARG(addresses || offsets || word.empty(),
               "The target \"opencl:%s\" is not known: there are opencl, opencl:addresses and opencl:offsets.", word.c_str());
  if (!offsets) found->push_back({Target::Kind::kOpenCl, nullptr, 0, false, false});
  if (!addresses) found->push_back({Target::Kind::kOpenCl, nullptr, 0, false, true});
  return Status();
}

Status readWord(std::vector<Target>* found, const std::string& word, Cuda* cuda) {
  const size_t colon = std::min(word.find(':'), word.size());
  const std::string kind = word.substr(0, colon), list = colon == word.size() ? "" : word.substr(colon + 1);
  RT_CHECK_ARG(colon == word.size() || !list.empty(), "The target \"%s\" ends after the colon.", word.c_str());
  if (kind == "cuda") return readCuda(found, list.empty() ? std::vector<std::string>{"ptx"} : splitList(list), cuda);
  RT_CHECK_ARG(kind == "cpu" || kind == "opencl",
               "The target \"%s\" is not known: there are cpu, cpu:LEVEL (%s), cuda:sm_NUMBER, cuda:ptx and opencl.",
               word.c_str(), levelNames().c_str());
  for (const std::string& part : splitList(list)) {
    RT_TRY(kind == "cpu" ? readCpu(found, list.empty() ? "native" : part) : readOpenCl(found, part));
  }
  return Status();
}

}  // namespace

std::string Target::name() const {
  switch (kind) {
    case Kind::kCpu:
      return "cpu:" + level->name;
    case Kind::kCuda:
      return (ptx ? "cuda:compute_" : "cuda:sm_") + std::to_string(architecture);
    case Kind::kOpenCl:
      return hidden_offsets ? "opencl:offsets" : "opencl:addresses";
  }
  return "";
}

Status parseTargets(std::vector<Target>* targets, const std::vector<std::string>& words) {
  targets->clear();
  Cuda cuda;
  for (const std::string& word : words) {
    std::vector<Target> found;
    RT_TRY(readWord(&found, word, &cuda));
    for (const Target& target : found) {
      if (std::find(targets->begin(), targets->end(), target) == targets->end()) targets->push_back(target);
    }
  }
  return Status();
}

std::vector<Available> listTargets() {
  std::vector<Available> list;
  std::string path;
  const Status compiler = compiler::cpuCompilerPath(&path);
  const std::string by = compiler.ok() ? path : compiler.message();
  list.push_back({"cpu:native", by, compiler.ok()});
  for (const CpuLevel& level : compiler::cpuLevels()) {
    list.push_back(
        {"cpu:" + level.name, by + (level.other_name.empty() ? "" : ", also called cpu:" + level.other_name), compiler.ok()});
  }
  std::vector<uint32_t> architectures;
  const Status nvrtc = compiler::cudaArchitectures(&architectures, &path);
  list.push_back({"cuda:ptx", nvrtc.ok() ? path : nvrtc.message(), nvrtc.ok()});
  for (const uint32_t each : architectures) list.push_back({"cuda:sm_" + std::to_string(each), path, true});
  list.push_back({"opencl", "the lowered source, which the driver of the device compiles", true});
  return list;
}

}  // namespace manyrt::aot
