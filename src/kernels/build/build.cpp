// The pipeline from OpenCL C to a loaded object: options, key, cache; and where that has nothing, preprocessor, parser,
// lowering, compiler. Also the list of what is being built and what is loaded, by key, so that nothing is built twice.
#include "kernels/build/build.h"

#include <condition_variable>
#include <cstring>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <new>

#include "base/thread.h"
#include "kernels/build/cache.h"
#include "kernels/build/compiler.h"
#include "kernels/build/options.h"
#include "kernels/build/sha256.h"
#include "kernels/front/parser.h"
#include "kernels/lower/cpu.h"

namespace manyrt::kernels {
namespace {

// Counts up when the front end, the lowering, the preludes or the flags below change what a source becomes.
constexpr uint32_t kForm = 5;

// ---- Flags ----

std::vector<std::string> flagsFor(const BuildOptions& options, const CpuUnit& unit) {
  std::vector<std::string> flags = {
    "-std=c++17",
    options.optimize ? "-O3" : "-O0",
#if defined(__aarch64__)
    "-mcpu=native",
#elif defined(__x86_64__)
    "-march=native",
#endif
    "-pipe",
    "-fPIC",
    "-w",
    // These change no result: kernels see neither errno nor floating-point exceptions. What is multiplied and added may be
    // rounded once, as OpenCL C allows.
    "-fno-math-errno",
    unit.contract ? "-ffp-contract=fast" : "-ffp-contract=off",
    "-fopenmp-simd",
    // Unwind tables stay: what fibers throw passes through a kernel.
    "-fno-exceptions",
    "-fasynchronous-unwind-tables",
    "-fno-rtti",
    "-fvisibility=hidden",
    "-fno-semantic-interposition",
    "-fno-stack-protector",
    "-fno-ident"
  };
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
  std::map<Digest, Entry> entries;
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
  Landing(const Digest& key, std::shared_ptr<Flight> flight) : key_(key), flight_(std::move(flight)) {}
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
  const Digest& key_;
  const std::shared_ptr<Flight> flight_;
};

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
  Status translate(CpuUnit* unit, std::string* log);
  Status translateHere(CpuUnit* unit, std::string* log);
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
Status Pipeline::translate(CpuUnit* unit, std::string* log) {
  struct Call {
    Pipeline* pipeline;
    CpuUnit* unit;
    std::string* log;
    Status status;
    std::exception_ptr thrown;
  } call{this, unit, log, Status(), nullptr};
  runOnLargeStack(
      [](void* user) {
        Call& given = *static_cast<Call*>(user);
        try {
          given.status = given.pipeline->translateHere(given.unit, given.log);
        } catch (...) {
          given.thrown = std::current_exception();
        }
      },
      &call);
  if (call.thrown) std::rethrow_exception(call.thrown);
  return call.status;
}

Status Pipeline::translateHere(CpuUnit* unit, std::string* log) {
  RT_TRY(preprocessOnce(log));
  LanguageOptions language;
  language.single_precision_constants = options_.single_precision_constants;
  if (!parse(&program_, language, diagnostics_) || diagnostics_.failed()) return refused(log);
  if (!lowerToCpu(unit, program_, sources_, options_, diagnostics_) || diagnostics_.failed()) return refused(log);
  const std::string& warnings = diagnostics_.log();
  if (options_.warnings_are_errors && !options_.no_warnings && !warnings.empty()) {
    log->append(warnings);
    return Status::error(RT_ERROR_BUILD_FAILED, "\"%s\" has warnings, which -Werror makes errors.", name());
  }
  if (!options_.no_warnings) log->append(warnings);
  for (const std::string& remark : unit->remarks) log->append(remark).append("\n");
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

Status Pipeline::build(Flight* flight) {
  if (fromCache(flight)) return Status();
  CpuUnit unit;
  RT_TRY(translate(&unit, &flight->log));
  CompileJob job{unit.text, flagsFor(options_, unit)};
  std::vector<unsigned char> object;
  std::string output;
  Status status = compile(&object, &output, compiler_, job);
  if (!status.ok()) {
    flight->log += output;
    return status;
  }
  RT_TRY(Object::load(&flight->object, object.data(), object.size(), name()));
  const uint32_t length = static_cast<uint32_t>(flight->log.size());
  std::vector<unsigned char> data(sizeof length);
  memcpy(data.data(), &length, sizeof length);
  data.insert(data.end(), flight->log.begin(), flight->log.end());
  data.insert(data.end(), object.begin(), object.end());
  cache::store(key_, data.data(), data.size());
  return Status();
}

Status Pipeline::run(Ref<Object>* object) {
  RT_TRY(parseOptions(&options_, request_.options));
  options_.preprocessor.headers.insert(options_.preprocessor.headers.end(), request_.headers.begin(), request_.headers.end());
  RT_TRY(findCompiler(&compiler_));
  RT_TRY(makeKey());
  Registry& known = registry();
  std::unique_lock lock(known.mutex);
  Entry& entry = known.entries[key_];
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
    known.entries.erase(key_);
    return Status::bare(RT_ERROR_OUT_OF_MEMORY);
  }
  entry.flight = own;
  lock.unlock();
  {
    Landing landing(key_, own);
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
