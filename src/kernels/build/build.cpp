// The pipeline from OpenCL C to a loaded object: options, key, cache; and where that has nothing, front end, lowering,
// compiler. Also the list of what is loaded, by key, so that nothing is built twice.
#include "kernels/build/build.h"

#include <cstring>
#include <map>
#include <mutex>

#include "kernels/build/cache.h"
#include "kernels/build/compiler.h"
#include "kernels/build/flights.h"
#include "kernels/build/front_end.h"
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

// ---- What is built and loaded ----

struct Built {
  Ref<Object> object;
  std::string log;
};

struct Loaded {
  Object* object = nullptr;  // not owned
  std::string log;
};

struct Registry {
  Flights<Built> flights;
  std::map<Digest, Loaded> loaded;  // under the lock of the flights
};
Registry& registry() {
  static Registry* instance = new Registry;  // never destroyed: objects may go after the last static
  return *instance;
}

// The last Ref is gone; whoever finds the entry at this moment fails to retain and makes a new one.
void forget(const Object* object) {
  Registry& known = registry();
  std::lock_guard lock(known.flights.mutex());
  for (auto entry = known.loaded.begin(); entry != known.loaded.end(); ++entry) {
    if (entry->second.object != object) continue;
    known.loaded.erase(entry);
    return;
  }
}

// ---- The stages ----

class Pipeline {
 public:
  Pipeline(const BuildRequest& request, std::string* log) : front_end_(request), log_(*log) {}
  Status run(Ref<Object>* object);

 private:
  Status makeKey();
  Status build(Built* built);
  bool fromCache(Built* built);
  Status translate(CpuUnit* unit, std::string* log);

  FrontEnd front_end_;
  std::string& log_;
  Compiler compiler_;
  Digest key_{};
};

Status Pipeline::makeKey() {
  Sha256 hash;
  addNumber(&hash, kForm);
  hash.addPart(cpuIdentity());
  hash.addPart(compiler_.identity);
  RT_TRY(front_end_.addToKey(&hash, &log_));
  key_ = hash.finish();
  return Status();
}

Status Pipeline::translate(CpuUnit* unit, std::string* log) {
  RT_TRY(front_end_.translate(
      log, [&](Program& program, const Sources& sources, const BuildOptions& options, Diagnostics& diagnostics) {
        return lowerToCpu(unit, program, sources, options, diagnostics);
      }));
  for (const std::string& remark : unit->remarks) log->append(remark).append("\n");
  return Status();
}

// An entry: the length of the log as four bytes, the log, the object.
bool Pipeline::fromCache(Built* built) {
  std::vector<unsigned char> data;
  uint32_t length = 0;
  if (!cache::load(&data, key_) || data.size() < sizeof length) return false;
  memcpy(&length, data.data(), sizeof length);
  const size_t start = sizeof length + length;
  if (start > data.size()) return false;
  if (!Object::load(&built->object, data.data() + start, data.size() - start, front_end_.name()).ok()) return false;
  built->log.assign(reinterpret_cast<const char*>(data.data()) + sizeof length, length);
  return true;
}

Status Pipeline::build(Built* built) {
  if (fromCache(built)) return Status();
  CpuUnit unit;
  RT_TRY(translate(&unit, &built->log));
  CompileJob job{unit.text, flagsFor(front_end_.options(), unit)};
  std::vector<unsigned char> object;
  std::string output;
  Status status = compile(&object, &output, compiler_, job);
  if (!status.ok()) {
    built->log += output;
    return status;
  }
  RT_TRY(Object::load(&built->object, object.data(), object.size(), front_end_.name()));
  const uint32_t length = static_cast<uint32_t>(built->log.size());
  std::vector<unsigned char> data(sizeof length);
  memcpy(data.data(), &length, sizeof length);
  data.insert(data.end(), built->log.begin(), built->log.end());
  data.insert(data.end(), object.begin(), object.end());
  cache::store(key_, data.data(), data.size());
  return Status();
}

Status Pipeline::run(Ref<Object>* object) {
  RT_TRY(front_end_.readOptions());
  RT_TRY(findCompiler(&compiler_));
  RT_TRY(makeKey());
  Registry& known = registry();
  const auto kept = [&](Built* found) {
    const auto entry = known.loaded.find(key_);
    if (entry == known.loaded.end() || !entry->second.object->tryRetain()) return false;
    found->object = Ref<Object>::adopt(entry->second.object);
    found->log = entry->second.log;
    return true;
  };
  const auto keep = [&](const Built& made) {
    known.loaded[key_] = {made.object.get(), made.log};
    made.object->watch(forget);
  };
  Built built;
  const Status status = known.flights.run(
      &built, key_, kept, [&](Built* made) { return build(made); }, keep);
  log_ += built.log;
  *object = std::move(built.object);
  return status;
}

}  // namespace

Status buildForCpu(Ref<Object>* object, std::string* log, const BuildRequest& request) {
  return Pipeline(request, log).run(object);
}

}  // namespace manyrt::kernels
