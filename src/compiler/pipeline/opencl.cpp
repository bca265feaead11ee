// The pipeline to an OpenClImage: options, key, cache; and where that has nothing, the front end and a text.
#include <algorithm>
#include <array>
#include <iterator>
#include <set>

#include "base/entry_bytes.h"
#include "base/trace.h"
#include "compiler/ahead.h"
#include "compiler/build.h"
#include "compiler/builtins/builtins.h"
#include "compiler/builtins/prototype.h"
#include "compiler/cache/cache.h"
#include "compiler/cache/opencl_entry.h"
#include "compiler/lowering/opencl/program.h"
#include "compiler/lowering/program_facts.h"
#include "compiler/pipeline/front_end.h"

namespace manyrt::compiler {
namespace {

// Counts up when the front end, the lowering or the options below change what a source becomes.
constexpr uint32_t kOpenClForm = 12;

// A macro is not expanded inside itself: each is the function again, for the three dimensions that there are.
constexpr char kRightSizes[] =
    "#define get_global_size(d) ((d) < 3 ? get_global_size(d) : 1)\n"
    "#define get_local_size(d) ((d) < 3 ? get_local_size(d) : 1)\n"
    "#define get_num_groups(d) ((d) < 3 ? get_num_groups(d) : 1)\n";

// A launch has no number of dimensions in rt.h: it is that of the last one with more than one work-item, however it is
// enqueued.
constexpr char kDimensions[] = "#define get_work_dim() (get_global_size(2) > 1 ? 3u : get_global_size(1) > 1 ? 2u : 1u)\n";

// Functions of later versions of the language, of those that drivers of 1.2 have.
struct LaterFunction {
  const char* name;
  const char* macro;
};
constexpr LaterFunction kLaterFunctions[] = {
    {"get_global_linear_id",
     "#define get_global_linear_id() (((get_global_id(2) - get_global_offset(2)) * get_global_size(1) + (get_global_id(1) - "
     "get_global_offset(1))) * get_global_size(0) + (get_global_id(0) - get_global_offset(0)))\n"},
    {"get_local_linear_id",
     "#define get_local_linear_id() ((get_local_id(2) * get_local_size(1) + get_local_id(1)) * get_local_size(0) + "
     "get_local_id(0))\n"},
    {"get_enqueued_local_size", "#define get_enqueued_local_size(d) get_local_size(d)\n"},
    {"work_group_barrier", "#define work_group_barrier(flags) barrier(flags)\n"}};

std::string laterFunctions(const Program& program) {
  std::string text;
  for (const LaterFunction& later : kLaterFunctions) {
    const auto calls = [&](const Function& function) {
      return std::any_of(function.builtins.begin(), function.builtins.end(),
                         [&](const Builtin* each) { return each->function->name == later.name; });
    };
    if (std::any_of(program.functions().begin(), program.functions().end(), calls)) text += later.macro;
  }
  return text;
}

// Conversions of bfloat16 are text of this library's, under names that no driver has: the functions that the program calls.
std::string bfloatConversions(const Program& program) {
  std::string text;
  std::set<const Builtin*> known;
  for (const Function& function : program.functions()) {
    for (const Builtin* builtin : function.builtins) {
      const bool narrows = builtin->name == "intel_convert_bfloat16_as_ushort";
      if ((!narrows && builtin->name != "intel_convert_as_bfloat16_float") || !known.insert(builtin).second) continue;
      const std::string n = builtin->components > 1 ? std::to_string(builtin->components) : "", name = builtin->function->name;
      text += "#define " + name + " mrt_" + name + "\n";
      if (narrows) {
        text += "ushort" + n + " " + name + "(float" + n + " x) { uint" + n + " u = as_uint" + n +
                "(x); return convert_ushort" + n +
                "((u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : (u + 0x7fffu + (u >> 16 & 1u)) >> 16); }\n";
      } else {
        text +=
            "float" + n + " " + name + "(ushort" + n + " x) { return as_float" + n + "(convert_uint" + n + "(x) << 16); }\n";
      }
    }
  }
  return text;
}

// Integer dot products, under the names that the lowering gives to their calls. Each pair of signs that the program uses has
// all of its functions.
std::string dotProducts(const Program& program) {
  std::string text;
  for (const char* letters : {"uu", "ss", "us", "su"}) {
    const std::string pair = letters;
    const bool used = std::any_of(program.dot_products.begin(), program.dot_products.end(), [&](const auto& each) {
      return each.second.ends_with("_" + pair) || each.second.find("_" + pair + "_") != std::string::npos;
    });
    if (!used) continue;
    const std::string result = pair == "uu" ? "uint" : "int", packed = "_4x8packed_" + pair + "_" + result;
    const auto bytes = [&](size_t i) { return std::string(pair[i] == 'u' ? "uchar4" : "char4"); };
    const std::string vectors = "(" + bytes(0) + " a, " + bytes(1) + " b";
    const std::string words = "(as_" + bytes(0) + "(a), as_" + bytes(1) + "(b)";
    const std::string dot = " mrt_dot_" + pair, sat = " mrt_dot_acc_sat_" + pair;
    text += result + dot + vectors + ") { " + result + "4 p = convert_" + result + "4(a) * convert_" + result +
            "4(b); return p.x + p.y + p.z + p.w; }\n";
    text += result + sat + vectors + ", " + result + " c) { return add_sat(" + dot + "(a, b), c); }\n";
    text += result + " mrt_dot" + packed + "(uint a, uint b) { return" + dot + words + "); }\n";
    text += result + " mrt_dot_acc_sat" + packed + "(uint a, uint b, " + result + " c) { return" + sat + words + ", c); }\n";
  }
  return text;
}

bool asksForDimensions(const Program& program) {
  return std::any_of(program.functions().begin(), program.functions().end(), [](const Function& function) {
    return std::any_of(function.builtins.begin(), function.builtins.end(), [](const Builtin* each) {
      return each->kind == BuiltinKind::kWorkItem && each->work_item == WorkItem::kWorkDim;
    });
  });
}

bool hasEmptyKernel(const std::vector<OpenClKernel>& kernels) {
  return std::any_of(kernels.begin(), kernels.end(), [](const OpenClKernel& kernel) { return kernel.arguments.empty(); });
}

bool callsKernel(const Program& program) {
  return std::any_of(program.functions().begin(), program.functions().end(), [](const Function& function) {
    return std::any_of(function.callees.begin(), function.callees.end(), [](const Function* each) { return each->is_kernel; });
  });
}

// -cl-kernel-arg-info: so that what the driver makes of it can be loaded as a binary, too.
std::string optionsFor(const BuildOptions& options, const OpenClTarget& target, const std::vector<OpenClKernel>& kernels,
                       bool optimize) {
  std::string words = "-cl-std=CL1.2";
  if (!target.no_empty_arg_info || !hasEmptyKernel(kernels)) words += " -cl-kernel-arg-info";
  if (target.rounds_division && !options.unsafe_math) words += " -cl-fp32-correctly-rounded-divide-sqrt";
  if (options.single_precision_constants) words += " -cl-single-precision-constant";
  if (options.flush_denormals) words += " -cl-denorms-are-zero";
  if (!optimize) words += " -cl-opt-disable";
  if (options.relaxed_math) return words + " -cl-fast-relaxed-math";
  if (options.unsafe_math)
    return words + " -cl-unsafe-math-optimizations" + (options.finite_math ? " -cl-finite-math-only" : "");
  if (options.mad) words += " -cl-mad-enable";
  if (options.no_signed_zeros) words += " -cl-no-signed-zeros";
  if (options.finite_math) words += " -cl-finite-math-only";
  return words;
}

// "double" and the vectors of it.
bool namesDouble(const Token& token) {
  constexpr std::string_view kWord = "double";
  if (token.kind != TokenKind::kIdentifier || !token.text.starts_with(kWord)) return false;
  return token.text.find_first_not_of("0123456789", kWord.size()) == std::string_view::npos;
}

bool checkDoubles(const Program& program, Diagnostics& diagnostics) {
  for (const Token& token : program.tokens) {
    if (!namesDouble(token)) continue;
    diagnostics.error(token.where, "This device has no double precision (RT_CAPABILITY_DOUBLE is 0): write float.");
    return false;
  }
  return true;
}

uint64_t localBytes(const Function& kernel) {
  uint64_t bytes = 0;
  for (const Variable* variable : kernel.locals) {
    const uint64_t alignment = std::max<uint64_t>({1, alignmentOf(variable->type), variable->alignment});
    bytes = (bytes + alignment - 1) / alignment * alignment + sizeOf(variable->type);
  }
  return bytes;
}

bool describe(OpenClImage* image, const OpenClTarget& target, const BuildOptions& options, const Program& program,
              const Sources& sources, Diagnostics& diagnostics) {
  if (!checkCallDepth(program, diagnostics) || (!target.doubles && !checkDoubles(program, diagnostics))) return false;
  std::vector<std::string> symbols;
  const std::string text = lowerToOpenCl(
      program, sources, target.hidden_offsets ? OpenClPointers::kHiddenOffsets : OpenClPointers::kAddresses, &symbols);
  for (const Function* kernel : program.kernels) {
    OpenClKernel described;
    described.name = kernel->name;
    described.symbol = symbols[image->kernels.size()];
    const uint32_t* asked = options.group_size;
    for (int d = 0; d < 3; ++d) {
      described.required_group[d] = kernel->required_group_size[0] != 0 ? kernel->required_group_size[d] : asked[d];
    }
    for (const Variable* parameter : kernel->parameters) {
      ArgumentFacts facts = argumentFacts(*parameter);
      described.arguments.push_back(
          {facts.size, facts.kind, parameter->name, std::move(facts.type_name), parameter->type->isRecord(), facts.use});
    }
    described.local_bytes = localBytes(*kernel);
    image->kernels.push_back(std::move(described));
  }
  image->follows_addresses = mayFollowAddresses(program);
  image->optimized = options.optimize || (target.optimized_calls && callsKernel(program));
  image->options = optionsFor(options, target, image->kernels, image->optimized);
  image->text = target.wrong_sizes ? kRightSizes : "";
  if (asksForDimensions(program)) image->text += kDimensions;
  image->text += laterFunctions(program);
  image->text += bfloatConversions(program);
  image->text += dotProducts(program);
  image->text += text;
  return true;
}

// A driver's binary of a text depends on these.
void addTarget(Blake2b* hash, const OpenClTarget& target) {
  addNumber(hash, kOpenClForm);
  hash->addPart(target.identity);
  addNumber(hash, uint64_t{target.hidden_offsets} | uint64_t{target.doubles} << 1 | uint64_t{target.atomics_64} << 2 |
                      uint64_t{target.wrong_sizes} << 3 | uint64_t{target.rounds_division} << 4 |
                      uint64_t{target.no_empty_arg_info} << 6 | uint64_t{target.optimized_calls} << 7 |
                      uint64_t{target.halves} << 8);
}

}  // namespace

std::string openClPart(const OpenClImage& image) {
  EntryWriter out;
  out.text(image.options);
  const std::vector<unsigned char> entry = writeOpenClEntry(image);
  out.block(entry.data(), entry.size());
  const std::vector<unsigned char> bytes = out.take();
  return std::string(bytes.begin(), bytes.end());
}

bool readOpenClPart(OpenClImage* image, std::string_view data) {
  EntryReader in(reinterpret_cast<const unsigned char*>(data.data()), data.size());
  const unsigned char* entry = nullptr;
  uint64_t bytes = 0;
  return in.text(&image->options) && in.block(&entry, &bytes) && in.atEnd() &&
         readOpenClEntry(image, entry, static_cast<size_t>(bytes));
}

std::string openClPartTarget(const OpenClTarget& target) {
  Blake2b hash;
  hash.addPart("part of an image for OpenCL");
  addTarget(&hash, target);
  constexpr size_t kDigits = 32;
  return hexadecimal(hash.finish()).substr(0, kDigits);
}

// ---- Lowered ahead of time ----

// A capability that a text needs of its device, as a word of the part's target.
struct OpenClNeed {
  const char* word;
  const char* sentence;
  bool OpenClTarget::*has;
  std::array<std::string_view, 2> mentions;  // words of a source that may depend on it
};
constexpr OpenClNeed kNeeds[] = {{"doubles", "needs double precision", &OpenClTarget::doubles, {"double", "cl_khr_fp64"}},
                                 {"halves", "needs half precision", &OpenClTarget::halves, {"half", "cl_khr_fp16"}},
                                 {"atomics_64", "needs 64-bit atomics", &OpenClTarget::atomics_64, {"cl_khr_int64", "atom_"}}};

constexpr std::string_view kTextWord = "text", kAddressesWord = "addresses", kOffsetsWord = "offsets";

// The text with a space for each comment. A "//" or "/*" inside a literal begins none.
std::string withoutComments(std::string_view text) {
  std::string kept;
  for (size_t at = 0; at < text.size();) {
    size_t end = at + 1;
    if (text.substr(at, 2) == "/*") {
      end = text.find("*/", at + 2);
      end = end == std::string_view::npos ? text.size() : end + 2;
      kept += ' ';
    } else if (text.substr(at, 2) == "//") {
      do {  // a backslash before the end of a line continues it
        end = std::min(text.find('\n', end + 1), text.size());
      } while (end < text.size() && text[end - 1] == '\\');
      kept += ' ';
    } else if (text[at] == '"' || text[at] == '\'') {
      while (end < text.size() && text[end] != text[at] && text[end] != '\n') end += text[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, text.size());
      kept += text.substr(at, end - at);
    } else {
      kept += text[at];
    }
    at = end;
  }
  return kept;
}

// A program whose text names nothing that a device may lack is the same for every device.
std::string targetOf(const OpenClTarget& target, const Sources& sources) {
  std::string words = std::string(kTextWord) + " " + std::string(target.hidden_offsets ? kOffsetsWord : kAddressesWord);
  std::string text;
  for (uint32_t file = 0; file < sources.count(); ++file) text += withoutComments(sources.text(file)) + '\n';
  for (const OpenClNeed& need : kNeeds) {
    const auto mentioned = [&](std::string_view word) { return text.find(word) != std::string::npos; };
    if (std::any_of(need.mentions.begin(), need.mentions.end(), mentioned)) words.append(" ").append(need.word);
  }
  return words;
}

// The options that decide those of the driver.
std::string languageOptions(const char* options) {
  std::vector<std::string> words;
  std::string kept;
  if (!splitWords(&words, options).ok()) return kept;
  for (const std::string& word : words) {
    if (word.starts_with("-cl-") && !word.starts_with("-cl-std")) kept += (kept.empty() ? "" : " ") + word;
  }
  return kept;
}

struct LoweredProgram {
  BuildOptions options;
  bool calls_kernels = false;
  OpenClImage image;  // its binary is the text
};

bool suitsOpenClText(std::string_view part_target, const OpenClTarget& target, std::string* why_not) {
  const auto take = [&] {
    const size_t end = std::min(part_target.find(' '), part_target.size());
    const std::string_view word = part_target.substr(0, end);
    part_target.remove_prefix(std::min(end + 1, part_target.size()));
    return word;
  };
  if (take() != kTextWord || take() != (target.hidden_offsets ? kOffsetsWord : kAddressesWord)) {
    *why_not = "is for another way of addressing memory";
    return false;
  }
  while (!part_target.empty()) {
    const std::string_view word = take();
    const auto need =
        std::find_if(std::begin(kNeeds), std::end(kNeeds), [&](const OpenClNeed& each) { return word == each.word; });
    if (need == std::end(kNeeds)) {
      *why_not = "needs something that this library does not know";
      return false;
    }
    if (!(target.*need->has)) {
      *why_not = std::string(need->sentence) + ", which the device does not have";
      return false;
    }
  }
  return true;
}

Status lowerForOpenCl(OpenClText* made, bool hidden_offsets, const BuildRequest& request) {
  OpenClTarget target;  // that has everything
  target.hidden_offsets = hidden_offsets;
  FrontEnd front_end(request);
  RT_TRY(front_end.readOptions());
  front_end.refuseSubGroups();
  OpenClImage image;
  bool calls = false;
  RT_TRY(front_end.translate(
      &made->log, [&](Program& program, const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics) {
        if (!describe(&image, target, options, program, sources, diagnostics)) return false;
        calls = callsKernel(program);
        made->target = targetOf(target, sources);
        return true;
      }));
  made->text = image.text;
  image.log = made->log;
  image.binary.assign(image.text.begin(), image.text.end());
  EntryWriter out;
  out.text(languageOptions(request.options));
  out.number(calls ? 1 : 0);
  const std::vector<unsigned char> entry = writeOpenClEntry(image);
  out.block(entry.data(), entry.size());
  const std::vector<unsigned char> bytes = out.take();
  made->data.assign(bytes.begin(), bytes.end());
  return Status();
}

bool OpenClBuild::beginLowered(std::string_view part, const Digest& hash) {
  auto read = std::make_unique<LoweredProgram>();
  EntryReader in(reinterpret_cast<const unsigned char*>(part.data()), part.size());
  std::string options;
  uint32_t calls = 0;
  const unsigned char* entry = nullptr;
  uint64_t bytes = 0;
  if (!in.text(&options) || !in.number(&calls, 1) || !in.block(&entry, &bytes) || !in.atEnd() ||
      options.find('\0') != std::string::npos || languageOptions(options.c_str()) != options ||
      !parseOptions(&read->options, options.c_str()).ok() ||
      !readOpenClEntry(&read->image, entry, static_cast<size_t>(bytes))) {
    return false;
  }
  read->calls_kernels = calls != 0;
  Blake2b key;
  key.addPart("text of an image for OpenCL");
  addTarget(&key, target_);
  key.add(hash.data(), hash.size());
  key_ = key.finish();
  lowered_ = std::move(read);
  return true;
}

// ---- From a source ----

OpenClBuild::OpenClBuild(const OpenClTarget& target, const BuildRequest& request)
    : target_(target), front_end_(std::make_unique<FrontEnd>(request)) {}

OpenClBuild::~OpenClBuild() = default;

const char* OpenClBuild::name() const { return front_end_->name(); }

Status OpenClBuild::begin(std::string* log) {
  RT_TRY(front_end_->readOptions());
  if (!target_.doubles) front_end_->undefine("cl_khr_fp64");
  if (!target_.halves) front_end_->refuseHalves();
  front_end_->refuseSubGroups();  // drivers have them in OpenCL C 2.0 and later alone
  if (!target_.atomics_64) {
    front_end_->undefine("cl_khr_int64_base_atomics");
    front_end_->undefine("cl_khr_int64_extended_atomics");
  }
  Blake2b hash;
  hash.addPart("OpenCL C for OpenCL");
  addTarget(&hash, target_);
  RT_TRY(front_end_->addToKey(&hash, log));
  key_ = hash.finish();
  return Status();
}

bool OpenClBuild::fromCache(OpenClImage* image) {
  trace::BuildStep step("cache miss", name());
  cache::Entry data;
  if (!cache::load(&data, key_) || !readOpenClEntry(image, data.data(), data.size())) return false;
  image->options = optionsFor(lowered_ ? lowered_->options : front_end_->options(), target_, image->kernels, image->optimized);
  image->hidden_offsets = target_.hidden_offsets;
  step.rename("cache hit");
  return true;
}

void OpenClBuild::store(const OpenClImage& image) {
  const std::vector<unsigned char> data = writeOpenClEntry(image);
  cache::store(cache::directory(), key_, data.data(), data.size());
}

Status OpenClBuild::translate(OpenClImage* image) {
  if (lowered_) {
    *image = lowered_->image;
    image->text = target_.wrong_sizes ? kRightSizes : "";
    image->text.append(image->binary.begin(), image->binary.end());
    image->binary.clear();
    image->optimized = lowered_->options.optimize || (target_.optimized_calls && lowered_->calls_kernels);
    image->options = optionsFor(lowered_->options, target_, image->kernels, image->optimized);
  }
  image->hidden_offsets = target_.hidden_offsets;
  if (lowered_) return Status();
  return front_end_->translate(
      &image->log, [&](Program& program, const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics) {
        return describe(image, target_, options, program, sources, diagnostics);
      });
}

}  // namespace manyrt::compiler
