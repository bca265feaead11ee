// The pipeline from OpenCL C to a loaded object: options, key, cache; and where that has nothing, preprocessor, parser,
// lowering, compiler. Also the list of what is being built and what is loaded, by key, so that nothing is built twice.
#include "kernels/build/build.h"

#include <algorithm>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <thread>

#include "base/config.h"
#include "base/log.h"
#include "base/thread.h"
#include "kernels/build/background.h"
#include "kernels/build/cache.h"
#include "kernels/build/compiler.h"
#include "kernels/build/options.h"
#include "kernels/build/sha256.h"
#include "kernels/front/parser.h"
#include "kernels/lower/cpu.h"

namespace manyrt::kernels {
namespace {

// Counts up when the front end, the lowering, the preludes or the flags below change what a source becomes.
constexpr uint32_t kForm = 6;

// Of gcc: registers are used and dead code is gone, in half the time of -O1. clang takes it for -O1.
constexpr char kQuickLevel[] = "-Og";

// Compilers that work on one quick build; each takes some 10 ms to start.
uint32_t mostTexts() { return std::clamp(std::thread::hardware_concurrency(), 1u, 8u); }

// ---- Flags ----

constexpr int kBackgroundNiceness = 5;  // a quarter of a busy core: what is compiled makes the others faster

// What RT_CPU_BUILD asks for.
enum class Mode : uint8_t { kTiered, kOptimized, kQuick };

Mode modeFromEnvironment() {
  const char* value = config::get(config::Variable::kCpuBuild);
  if (value == nullptr || strcmp(value, "tiered") == 0) return Mode::kTiered;
  if (strcmp(value, "optimized") == 0) return Mode::kOptimized;
  if (strcmp(value, "quick") == 0) return Mode::kQuick;
  log::write(RT_LOG_WARNING, "RT_CPU_BUILD=%s is none of tiered, optimized and quick and is not used.", value);
  return Mode::kTiered;
}

// Variants are exchanged only where they give the same bits; -cl-opt-disable has one form, and with -g the lines of that one
// are what is asked for.
bool hasOneForm(const BuildOptions& options) {
  return !options.optimize || options.debug || options.unsafe_math || options.finite_math || options.no_signed_zeros;
}

std::vector<std::string> flagsFor(const BuildOptions& options, const CpuUnit& unit, CpuForm form) {
  const bool quick = form == CpuForm::kQuick;
  std::vector<std::string> flags = {
    "-std=c++17",
    !options.optimize ? "-O0"
    : quick           ? kQuickLevel
                      : "-O3",
#if defined(__aarch64__)
    "-mcpu=native",
#elif defined(__x86_64__)
    "-march=native",
#endif
    "-pipe",
    "-fPIC",
    "-w",
    // These change no result: kernels see neither errno nor floating-point exceptions. The lowering says which products and
    // sums are rounded once.
    "-fno-math-errno",
    "-ffp-contract=off",
    // Unwind tables stay: what fibers throw passes through a kernel.
    "-fno-exceptions",
    "-fasynchronous-unwind-tables",
    "-fno-rtti",
    "-fvisibility=hidden",
    "-fno-semantic-interposition",
    "-fno-stack-protector",
    "-fno-ident"
  };
#if defined(__x86_64__)
  if (quick) flags.emplace_back("-mno-avx512f");  // nothing is vectorised, and compilers prepare each register that there is
#endif
  if (!quick) flags.emplace_back("-fopenmp-simd");
  if (unit.fibers) flags.emplace_back("-fstack-clash-protection");  // no frame skips the guard of a fiber's stack
  if (options.debug) flags.emplace_back("-g");
  if (options.no_signed_zeros || options.unsafe_math) flags.emplace_back("-fno-signed-zeros");
  if (options.finite_math) flags.emplace_back("-ffinite-math-only");
  if (options.unsafe_math) {
    flags.insert(flags.end(), {"-fassociative-math", "-freciprocal-math", "-funsafe-math-optimizations"});
  }
  return flags;
}

// ---- The key ----

// Whether a preprocessor could find an #include: the word stands there, line splices left out, be it in a comment. Only
// then can files outside of the request decide what the source means.
bool mayInclude(std::string_view text) {
  constexpr std::string_view kWord = "include";
  size_t matched = 0;
  for (size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\') {
      size_t end = at + 1;
      while (end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r')) ++end;
      if (end < text.size() && text[end] == '\n') {
        at = end;
        continue;
      }
    }
    matched = text[at] == kWord[matched] ? matched + 1 : text[at] == kWord[0] ? 1 : 0;
    if (matched == kWord.size()) return true;
  }
  return false;
}

void addNumber(Sha256* hash, uint64_t number) { hash->add(&number, sizeof number); }

void addTokens(Sha256* hash, const Tokens& tokens, const Sources& sources) {
  std::string_view file;
  for (const Token& token : tokens) {
    if (const std::string& name = sources.name(token.where.file); name != file) {
      hash->addPart(name);
      file = name;
    }
    addNumber(hash, static_cast<uint64_t>(token.kind) << 48 | uint64_t{token.space_before} << 41 |
                        uint64_t{token.line_start} << 40 | token.where.line);
    addNumber(hash, token.where.column);
    hash->addPart(token.text);
  }
}

// ---- What is built and loaded ----

// One build, for all who ask for it while it runs.
struct Flight {
  std::condition_variable landed;
  bool done = false;
  Status status;
  Ref<Object> object;
  std::string log;
};

struct Entry {
  std::shared_ptr<Flight> flight;  // null: built
  Object* object = nullptr;        // not owned; null until built
  std::string log;
};

struct Registry {
  std::mutex mutex;
  std::map<std::pair<Digest, Mode>, Entry> entries;  // tiers differ in what they wait for
};
Registry& registry() {
  static Registry* instance = new Registry;  // never destroyed: objects may go after the last static
  return *instance;
}

// The last Ref is gone; whoever finds the entry at this moment fails to retain and makes a new one.
void forget(const Object* object) {
  Registry& known = registry();
  std::lock_guard lock(known.mutex);
  for (auto entry = known.entries.begin(); entry != known.entries.end(); ++entry) {
    if (entry->second.object != object) continue;
    known.entries.erase(entry);
    return;
  }
}

// Whatever ends a build, those who wait for it go on.
class Landing {
 public:
  Landing(std::pair<Digest, Mode> key, std::shared_ptr<Flight> flight) : key_(std::move(key)), flight_(std::move(flight)) {}
  Landing(const Landing&) = delete;
  Landing& operator=(const Landing&) = delete;
  ~Landing() {
    Registry& known = registry();
    std::lock_guard lock(known.mutex);
    auto entry = known.entries.find(key_);
    if (flight_->status.ok() && flight_->object) {
      entry->second.object = flight_->object.get();
      entry->second.log.swap(log_copy);
      entry->second.flight = nullptr;
      flight_->object->watch(forget);
    } else {
      if (flight_->status.ok()) flight_->status = Status::bare(RT_ERROR_OUT_OF_MEMORY);  // an exception ended it
      known.entries.erase(entry);
    }
    flight_->done = true;
    flight_->landed.notify_all();
  }
  std::string log_copy;

 private:
  const std::pair<Digest, Mode> key_;
  const std::shared_ptr<Flight> flight_;
};

// ---- Better code, later ----

struct Improvement {
  Ref<Object> object;  // that is to have better code
  Digest key;
  std::string name;
  std::string log;  // of the build, which the cache keeps too
  const FiberCalls* fibers = nullptr;
  Compiler compiler;
  cache::Place place;
  CompileJob job;
};

void store(const cache::Place& place, const Digest& key, const std::string& log, const std::vector<unsigned char>& object);

void reportUnimproved(const std::string& name, const Status& status) {
  log::write(RT_LOG_WARNING, "The optimised code of \"%s\" could not be made, and the first stays: %s", name.c_str(),
             status.message()[0] != '\0' ? status.message() : errorString(status.code()));
}

// Whether kernels of the other table may take the place of this one's in the middle of a launch.
bool mayReplace(const rtHostModule_t& one, const rtHostModule_t& other) {
  if (one.kernel_count != other.kernel_count) return false;
  for (uint32_t i = 0; i < one.kernel_count; ++i) {
    const rtHostModuleKernel_t& a = one.kernels[i];
    const rtHostModuleKernel_t& b = other.kernels[i];
    if (strcmp(a.name, b.name) != 0 || a.arg_count != b.arg_count || a.local_bytes != b.local_bytes ||
        a.scratch_bytes < b.scratch_bytes || a.scratch_bytes_per_item < b.scratch_bytes_per_item) {
      return false;
    }
  }
  return true;
}

Status tryToImprove(const Improvement& work, int cancel) {
  CompileJob job = work.job;
  job.cancel = cancel;
  std::vector<unsigned char> code;
  std::string output;
  RT_TRY(compile(&code, &output, work.compiler, job));
  Ref<Object> better;
  RT_TRY(Object::load(&better, code.data(), code.size(), work.name.c_str()));
  const auto* table = static_cast<const rtHostModule_t*>(better->symbol(kModuleSymbol));
  const auto* now = static_cast<const rtHostModule_t*>(work.object->symbol(kModuleSymbol));
  if (table == nullptr || now == nullptr || !mayReplace(*now, *table)) {
    return Status::error(RT_ERROR_INTERNAL, "its table differs.");
  }
  if (auto* fibers = static_cast<const FiberCalls**>(better->symbol(kFibersSymbol))) *fibers = work.fibers;
  store(work.place, work.key, work.log, code);
  work.object->setBetter(std::move(better), table->kernels);
  return Status();
}

void improve(const Improvement& work, int cancel) {
  const Status status = tryToImprove(work, cancel);
  if (!status.ok() && status.code() != RT_ERROR_SHUT_DOWN) reportUnimproved(work.name, status);
}

// ---- The stages ----

class Pipeline {
 public:
  Pipeline(const BuildRequest& request, std::string* log) : request_(request), log_(*log), diagnostics_(sources_) {}
  Status run(Ref<Object>* object);

 private:
  Status makeKey();
  Status preprocessOnce(std::string* log);
  Status build(Flight* flight);
  bool fromCache(Flight* flight);
  void improveLater(Flight* flight, const CpuUnit& optimized);
  Status compileTo(std::vector<unsigned char>* object, Flight* flight, const CpuUnit& unit, CpuForm form);
  Status translate(CpuUnit* optimized, CpuUnit* quick, std::string* log);
  Status translateHere(CpuUnit* optimized, CpuUnit* quick, std::string* log);
  Status refused(std::string* log);
  const char* name() const { return request_.name[0] != '\0' ? request_.name : "kernel.cl"; }

  const BuildRequest& request_;
  std::string& log_;
  BuildOptions options_;
  Compiler compiler_;
  Sources sources_;
  Diagnostics diagnostics_;
  Program program_;
  bool preprocessed_ = false;
  Mode mode_ = Mode::kTiered;
  Digest key_{};
};

Status Pipeline::refused(std::string* log) {
  log->append(diagnostics_.log());
  const uint32_t count = diagnostics_.errorCount();
  return Status::error(RT_ERROR_BUILD_FAILED, "\"%s\" has %u error%s.", name(), count, count == 1 ? "" : "s");
}

Status Pipeline::preprocessOnce(std::string* log) {
  if (preprocessed_) return Status();
  const uint32_t file = sources_.add(name(), std::string(request_.source));
  preprocessed_ = true;
  const bool good = preprocess(&program_.tokens, sources_, file, options_.preprocessor, diagnostics_);
  return good && !diagnostics_.failed() ? Status() : refused(log);
}

Status Pipeline::makeKey() {
  Sha256 hash;
  addNumber(&hash, MANYRT_VERSION_MAJOR * 10000 + MANYRT_VERSION_MINOR * 100 + MANYRT_VERSION_PATCH);
  addNumber(&hash, kForm);
  hash.addPart(cpuIdentity());
  hash.addPart(compiler_.identity);
  hash.addPart(options_.normalized);
  addNumber(&hash, mode_ == Mode::kQuick);  // the code of the other two is the same
  hash.addPart(name());
  hash.addPart(request_.source);
  addNumber(&hash, request_.headers.size());
  for (const Header& header : request_.headers) {
    hash.addPart(header.name);
    hash.addPart(header.text);
  }
  if (mayInclude(request_.source)) {
    RT_TRY(preprocessOnce(&log_));
    addTokens(&hash, program_.tokens, sources_);
    hash.addPart(diagnostics_.log());
  }
  key_ = hash.finish();
  return Status();
}

// On a stack of its own: how deep a program is nested is up to whoever wrote it.
Status Pipeline::translate(CpuUnit* optimized, CpuUnit* quick, std::string* log) {
  struct Call {
    Pipeline* pipeline;
    CpuUnit* optimized;
    CpuUnit* quick;
    std::string* log;
    Status status;
    std::exception_ptr thrown;
  } call{this, optimized, quick, log, Status(), nullptr};
  runOnLargeStack(
      [](void* user) {
        Call& given = *static_cast<Call*>(user);
        try {
          given.status = given.pipeline->translateHere(given.optimized, given.quick, given.log);
        } catch (...) {
          given.thrown = std::current_exception();
        }
      },
      &call);
  if (call.thrown) std::rethrow_exception(call.thrown);
  return call.status;
}

Status Pipeline::translateHere(CpuUnit* optimized, CpuUnit* quick, std::string* log) {
  RT_TRY(preprocessOnce(log));
  LanguageOptions language;
  language.single_precision_constants = options_.single_precision_constants;
  if (!parse(&program_, language, diagnostics_) || diagnostics_.failed()) return refused(log);
  const bool good = lowerToCpu(optimized, quick, mostTexts(), program_, sources_, options_, diagnostics_);
  if (!good || diagnostics_.failed()) return refused(log);
  const std::string& warnings = diagnostics_.log();
  if (options_.warnings_are_errors && !options_.no_warnings && !warnings.empty()) {
    log->append(warnings);
    return Status::error(RT_ERROR_BUILD_FAILED, "\"%s\" has warnings, which -Werror makes errors.", name());
  }
  if (!options_.no_warnings) log->append(warnings);
  for (const std::string& remark : optimized->remarks) log->append(remark).append("\n");
  return Status();
}

// An entry: the length of the log as four bytes, the log, the object.
bool Pipeline::fromCache(Flight* flight) {
  std::vector<unsigned char> data;
  uint32_t length = 0;
  if (!cache::load(&data, key_) || data.size() < sizeof length) return false;
  memcpy(&length, data.data(), sizeof length);
  const size_t start = sizeof length + length;
  if (start > data.size()) return false;
  if (!Object::load(&flight->object, data.data() + start, data.size() - start, name()).ok()) return false;
  flight->log.assign(reinterpret_cast<const char*>(data.data()) + sizeof length, length);
  return true;
}

void store(const cache::Place& place, const Digest& key, const std::string& log, const std::vector<unsigned char>& object) {
  const uint32_t length = static_cast<uint32_t>(log.size());
  std::vector<unsigned char> data(sizeof length);
  memcpy(data.data(), &length, sizeof length);
  data.insert(data.end(), log.begin(), log.end());
  data.insert(data.end(), object.begin(), object.end());
  cache::store(place, key, data.data(), data.size());
}

Status Pipeline::compileTo(std::vector<unsigned char>* object, Flight* flight, const CpuUnit& unit, CpuForm form) {
  std::string output;
  Status status = compile(object, &output, compiler_, {unit.texts, flagsFor(options_, unit, form)});
  if (!status.ok()) flight->log += output;
  return status;
}

Status Pipeline::build(Flight* flight) {
  if (fromCache(flight)) return Status();
  const bool quickly = mode_ != Mode::kOptimized && !hasOneForm(options_);
  CpuUnit optimized, quick;
  RT_TRY(translate(&optimized, quickly ? &quick : nullptr, &flight->log));
  std::vector<unsigned char> object;
  RT_TRY(quickly ? compileTo(&object, flight, quick, CpuForm::kQuick)
                 : compileTo(&object, flight, optimized, CpuForm::kOptimized));
  RT_TRY(Object::load(&flight->object, object.data(), object.size(), name()));
  if (quickly && mode_ == Mode::kTiered) {
    improveLater(flight, optimized);
  } else {
    store(cache::place(), key_, flight->log, object);
  }
  return Status();
}

// The cache gets what comes out of this alone: code that is there soon is no reason to keep slower code. The quick object
// stays loaded until it is done, so that whoever asks for the same meanwhile finds it.
void Pipeline::improveLater(Flight* flight, const CpuUnit& optimized) {
  Improvement work;
  work.object = flight->object;
  work.key = key_;
  work.name = name();
  work.log = flight->log;
  work.fibers = request_.fibers;
  work.compiler = compiler_;
  work.place = cache::place();
  work.job = {optimized.texts, flagsFor(options_, optimized, CpuForm::kOptimized), kBackgroundNiceness, -1};
  const Status status = background::submit([work](int cancel) { improve(work, cancel); });
  if (!status.ok()) reportUnimproved(work.name, status);
}

Status Pipeline::run(Ref<Object>* object) {
  RT_TRY(parseOptions(&options_, request_.options));
  options_.preprocessor.headers.insert(options_.preprocessor.headers.end(), request_.headers.begin(), request_.headers.end());
  RT_TRY(findCompiler(&compiler_));
  mode_ = modeFromEnvironment();
  RT_TRY(makeKey());
  Registry& known = registry();
  std::unique_lock lock(known.mutex);
  const std::pair<Digest, Mode> key(key_, mode_);
  Entry& entry = known.entries[key];
  if (entry.object != nullptr && entry.object->tryRetain()) {
    Ref<Object> found = Ref<Object>::adopt(entry.object);
    log_ += entry.log;
    lock.unlock();  // what *object held may go now, and then asks for the lock
    *object = std::move(found);
    return Status();
  }
  if (std::shared_ptr<Flight> other = entry.flight) {
    other->landed.wait(lock, [&] { return other->done; });
    lock.unlock();
    *object = other->object;
    log_ += other->log;
    return other->status;
  }
  entry.object = nullptr;
  std::shared_ptr<Flight> own;
  try {
    own = std::make_shared<Flight>();
  } catch (const std::bad_alloc&) {
    known.entries.erase(key);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  entry.flight = own;
  lock.unlock();
  {
    Landing landing(key, own);
    own->status = build(own.get());
    landing.log_copy = own->log;
    log_ += own->log;
  }
  *object = own->object;  // a copy: others may still have to take theirs
  return own->status;
}

}  // namespace

Status buildForCpu(Ref<Object>* object, std::string* log, const BuildRequest& request) {
  return Pipeline(request, log).run(object);
}

}  // namespace manyrt::kernels
