// NVRTC's options: which there are, which take a value, and what the few that matter here say.
#include <cstdlib>
#include <cstring>

#include "compile.h"

namespace manyrt::simulated {
namespace {

enum class Takes { kNothing, kValue, kBoolean };

struct Option {
  const char* name;
  Takes takes;
};

// Accepted and without effect: they say how code is made, not what it computes, or what this compiler does anyway.
constexpr Option kOptions[] = {
    {"--device-c", Takes::kNothing},
    {"-dc", Takes::kNothing},
    {"--device-w", Takes::kNothing},
    {"-dw", Takes::kNothing},
    {"--relocatable-device-code", Takes::kBoolean},
    {"-rdc", Takes::kBoolean},
    {"--extensible-whole-program", Takes::kNothing},
    {"-ewp", Takes::kNothing},
    {"--device-debug", Takes::kNothing},
    {"-G", Takes::kNothing},
    {"--generate-line-info", Takes::kNothing},
    {"-lineinfo", Takes::kNothing},
    {"--dopt", Takes::kValue},
    {"-dopt", Takes::kValue},
    {"--Ofast-compile", Takes::kValue},
    {"-Ofc", Takes::kValue},
    {"--ptxas-options", Takes::kValue},
    {"-Xptxas", Takes::kValue},
    {"--maxrregcount", Takes::kValue},
    {"-maxrregcount", Takes::kValue},
    {"--ftz", Takes::kBoolean},
    {"-ftz", Takes::kBoolean},
    {"--prec-sqrt", Takes::kBoolean},
    {"-prec-sqrt", Takes::kBoolean},
    {"--prec-div", Takes::kBoolean},
    {"-prec-div", Takes::kBoolean},
    {"--fmad", Takes::kBoolean},
    {"-fmad", Takes::kBoolean},
    {"--use_fast_math", Takes::kNothing},
    {"-use_fast_math", Takes::kNothing},
    {"--extra-device-vectorization", Takes::kNothing},
    {"-extra-device-vectorization", Takes::kNothing},
    {"--modify-stack-limit", Takes::kBoolean},
    {"-modify-stack-limit", Takes::kBoolean},
    {"--dlink-time-opt", Takes::kNothing},
    {"-dlto", Takes::kNothing},
    {"--gen-opt-lto", Takes::kNothing},
    {"--no-source-include", Takes::kNothing},
    {"-no-source-include", Takes::kNothing},
    {"--builtin-move-forward", Takes::kBoolean},
    {"-builtin-move-forward", Takes::kBoolean},
    {"--builtin-initializer-list", Takes::kBoolean},
    {"-builtin-initializer-list", Takes::kBoolean},
    {"--disable-warnings", Takes::kNothing},
    {"-w", Takes::kNothing},
    {"--Wreorder", Takes::kNothing},
    {"--warning-as-error", Takes::kValue},
    {"-Werror", Takes::kValue},
    {"--restrict", Takes::kNothing},
    {"-restrict", Takes::kNothing},
    {"--device-as-default-execution-space", Takes::kNothing},
    {"-default-device", Takes::kNothing},
    {"--device-int128", Takes::kNothing},
    {"-device-int128", Takes::kNothing},
    {"--optimization-info", Takes::kValue},
    {"-opt-info", Takes::kValue},
    {"--display-error-number", Takes::kNothing},
    {"-err-no", Takes::kNothing},
    {"--no-display-error-number", Takes::kNothing},
    {"-no-err-no", Takes::kNothing},
    {"--diag-error", Takes::kValue},
    {"-diag-error", Takes::kValue},
    {"--diag-suppress", Takes::kValue},
    {"-diag-suppress", Takes::kValue},
    {"--diag-warn", Takes::kValue},
    {"-diag-warn", Takes::kValue},
    {"--brief-diagnostics", Takes::kBoolean},
    {"-brief-diag", Takes::kBoolean},
    {"--time", Takes::kValue},
    {"-time", Takes::kValue},
    {"--split-compile", Takes::kValue},
    {"-split-compile", Takes::kValue},
    {"--minimal", Takes::kNothing},
    {"-minimal", Takes::kNothing},
    {"--version-ident", Takes::kBoolean},
    {"--fdevice-syntax-only", Takes::kNothing},
};

class Reader {
 public:
  Reader(int count, const char* const* options, CompileOptions* read, std::string* log)
      : count_(count), options_(options), read_(read), log_(log) {}

  bool run() {
    for (; at_ < count_; ++at_) {
      if (options_[at_] == nullptr || !one(options_[at_])) return false;
    }
    return true;
  }

 private:
  bool one(const std::string& option) {
    std::string value;
    if (takes(option, "--gpu-architecture", &value) || takes(option, "-arch", &value)) return architecture(value);
    if (takes(option, "--std", &value) || takes(option, "-std", &value)) return standard(value);
    if (takes(option, "--define-macro", &value) || joined(option, "-D", &value)) return passOn("-D", value);
    if (takes(option, "--undefine-macro", &value) || joined(option, "-U", &value)) return passOn("-U", value);
    if (takes(option, "--include-path", &value) || joined(option, "-I", &value)) return passOn("-I", value);
    if (takes(option, "--pre-include", &value) || takes(option, "-include", &value)) {
      read_->passed_on.push_back("-include");
      read_->passed_on.push_back(value);
      return true;
    }
    for (const Option& known : kOptions) {
      if (known.takes == Takes::kNothing ? option == known.name : takes(option, known.name, &value)) {
        const bool boolean = value == "true" || value == "false";
        return known.takes != Takes::kBoolean || boolean || unknown(option);
      }
    }
    return unknown(option);
  }

  // "name=value", or the value is the next option.
  bool takes(const std::string& option, const std::string& name, std::string* value) {
    if (option == name) {
      if (at_ + 1 >= count_) return false;
      *value = options_[++at_];
      return true;
    }
    if (option.rfind(name + "=", 0) != 0) return false;
    *value = option.substr(name.size() + 1);
    return true;
  }

  bool joined(const std::string& option, const std::string& name, std::string* value) {
    if (option.rfind(name, 0) != 0) return false;
    *value = option.substr(name.size());
    if (value->empty() && at_ + 1 < count_) *value = options_[++at_];
    return !value->empty();
  }

  bool architecture(const std::string& value) {
    read_->real = value.rfind("sm_", 0) == 0;
    const size_t digits = read_->real ? 3 : 8;
    if (!read_->real && value.rfind("compute_", 0) != 0) return unknown("--gpu-architecture=" + value);
    char* end = nullptr;
    read_->architecture = static_cast<int>(strtol(value.c_str() + digits, &end, 10));
    const bool suffix = *end == 0 || ((*end == 'a' || *end == 'f') && end[1] == 0);
    return (suffix && read_->architecture >= 50 && read_->architecture <= 129) || unknown("--gpu-architecture=" + value);
  }

  bool standard(const std::string& value) {
    for (const char* known : {"c++03", "c++11", "c++14", "c++17", "c++20"}) {
      if (value != known) continue;
      read_->standard = value == "c++20" ? "c++20" : "c++17";  // what finds the kernels is C++17
      return true;
    }
    return unknown("--std=" + value);
  }

  bool passOn(const char* option, const std::string& value) {
    read_->passed_on.push_back(option + value);
    return true;
  }

  bool unknown(const std::string& option) {
    *log_ = "nvrtc: error: invalid value for option or unrecognized option '" + option + "'\n";
    return false;
  }

  const int count_;
  const char* const* const options_;
  CompileOptions* const read_;
  std::string* const log_;
  int at_ = 0;
};

}  // namespace

bool readOptions(int count, const char* const* options, CompileOptions* read, std::string* log) {
  return Reader(count, options, read, log).run();
}

}  // namespace manyrt::simulated
