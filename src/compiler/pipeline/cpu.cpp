// The pipeline from OpenCL C to a loaded object: options, key, cache; and where that has nothing, preprocessor, parser,
// lowering, compiler. Also the code that takes the place of quick code later.
#include <algorithm>
#include <array>
#include <cstring>
#include <mutex>
#include <new>
#include <optional>
#include <thread>

#include "base/config.h"
#include "base/log.h"
#include "base/trace.h"
#include "compiler/cache/cache.h"
#include "compiler/pipeline/background.h"
#include "compiler/pipeline/cpu_flags.h"
#include "compiler/pipeline/cpu_pipeline.h"
#include "compiler/pipeline/failure.h"
#include "compiler/toolchain/elf.h"

namespace manyrt::compiler {
namespace {

// Counts up when the front end, the lowering, the library or the flags below change what a source becomes.
constexpr uint32_t kCpuForm = 55;

// Compilers that work on one quick build; each takes some 10 ms to start.
uint32_t mostTexts() { return std::clamp(std::thread::hardware_concurrency(), 1u, 8u); }

// Names in the folder of KeptFiles.
constexpr char kQuickFile[] = "quick.so", kOptimizedFile[] = "optimised.so";

constexpr int kBackgroundNiceness = 5;  // a quarter of a busy core: what is compiled makes the others faster

CpuMode modeOf(Tier tier) {
  if (tier != Tier::kDefault)
    return tier == Tier::kTiered ? CpuMode::kTiered : tier == Tier::kOptimized ? CpuMode::kOptimized : CpuMode::kQuick;
  const char* value = config::get(config::Variable::kCpuBuild);
  if (value == nullptr || strcmp(value, "tiered") == 0) return CpuMode::kTiered;
  if (strcmp(value, "optimized") == 0) return CpuMode::kOptimized;
  if (strcmp(value, "quick") == 0) return CpuMode::kQuick;
  log::write(RT_LOG_WARNING, "RT_CPU_BUILD=%s is none of tiered, optimized and quick and is not used.", value);
  return CpuMode::kTiered;
}

// Forms are exchanged only where they give the same bits. With -cl-opt-disable there is one form; with -g the user wants the
// lines of one.
bool hasOneForm(const BuildOptions& options) {
  return !options.optimize || options.debug || options.unsafe_math || options.finite_math || options.no_signed_zeros;
}

CompileJob jobFor(const BuildOptions& options, const CpuUnit& unit, CpuForm form, const KernelSanitizer& sanitizer,
                  const KeptFiles& kept, const CpuLevel& level) {
  CompileJob job{unit.texts, cpuFlags(options, unit, form, sanitizer, kept, level)};
  job.folder = kept.folder();
  if (options.optimize) job.simpler = form == CpuForm::kQuick || sanitizer.watches() ? "-O0" : "-O1";
  return job;
}

// ---- What is built and loaded ----

// The last Ref is gone. A build that finds the entry at this moment fails to retain it and makes a new one.
void forget(const Object* object) {
  CpuRegistry& known = cpuRegistry();
  std::lock_guard lock(known.flights.mutex());
  for (auto entry = known.loaded.begin(); entry != known.loaded.end(); ++entry) {
    if (entry->second.object != object) continue;
    known.loaded.erase(entry);
    return;
  }
}

}  // namespace

CpuRegistry& cpuRegistry() {
  static CpuRegistry* instance = new CpuRegistry;  // never destroyed: objects may go after the last static
  return *instance;
}

bool CpuRegistry::find(CpuBuilt* found, const CpuBuildKey& key) {
  const auto entry = loaded.find(key);
  if (entry == loaded.end() || !entry->second.object->tryRetain()) return false;
  found->object = Ref<Object>::adopt(entry->second.object);
  found->log = entry->second.log;
  return true;
}

void CpuRegistry::keep(const CpuBuilt& made, const CpuBuildKey& key) {
  loaded[key] = {made.object.get(), made.log};
  made.object->watch(forget);
}

// ---- Better code, later ----

// A copy of a build's request, for the time after its call.
struct KeptRequest {
  std::string source;
  std::vector<std::string> more;
  std::string options, name;
  std::vector<Header> headers;

  explicit KeptRequest(const BuildRequest& from)
      : source(from.source),
        more(from.more.begin(), from.more.end()),
        options(from.options),
        name(from.name),
        headers(from.headers) {}
  BuildRequest request() const {
    BuildRequest again;
    again.source = source;
    again.more.assign(more.begin(), more.end());
    again.options = options.c_str();
    again.name = name.c_str();
    again.headers = headers;
    return again;
  }
};

struct Improvement {
  std::shared_ptr<const KeptRequest> request;
  Ref<Object> object;  // that is to have better code
  Digest key;
  std::string name;
  std::string log;  // of the build, which the cache keeps too
  const FiberCalls* fibers = nullptr;
  Compiler compiler;
  cache::Directory directory;
  KernelSanitizer sanitizer;
  KeptFiles kept;
  std::optional<CompileJob> job;  // nothing: the source is translated again
  int64_t since = 0;              // when the quick code was there
};

namespace {

void store(const cache::Directory& directory, const Digest& key, const std::string& log,
           const std::vector<unsigned char>& object);

void reportUnimproved(const std::string& name, const Status& status) {
  log::write(RT_LOG_WARNING, "The optimised code of \"%s\" could not be made, and the first stays: %s", name.c_str(),
             status.message()[0] != '\0' ? status.message() : errorString(status.code()));
}

// The kernels of the other object; nothing: they may not take the place of this one's.
std::optional<std::vector<KernelCode>> replacements(const Object& object, const Object& better) {
  std::vector<KernelCode> codes;
  const auto* table = static_cast<const rtHostModule_t*>(object.symbol(kModuleSymbol));
  const auto* other_table = static_cast<const rtHostModule_t*>(better.symbol(kModuleSymbol));
  if (table == nullptr || other_table == nullptr) return std::nullopt;
  const rtHostModule_t &one = *table, &other = *other_table;
  const auto* traits = static_cast<const unsigned char*>(better.symbol(kTraitsSymbol));
  if (one.kernel_count != other.kernel_count) return std::nullopt;
  for (uint32_t i = 0; i < one.kernel_count; ++i) {
    const rtHostModuleKernel_t& a = one.kernels[i];
    const rtHostModuleKernel_t& b = other.kernels[i];
    if (strcmp(a.name, b.name) != 0 || a.arg_count != b.arg_count) return std::nullopt;
    codes.push_back(KernelCode::of(b, traits, i));
  }
  return codes;
}

// The kernels of a table, as a log's line has them: "scale", "add" and 3 more.
std::string namesOf(const rtHostModule_t& table) {
  constexpr uint32_t kMost = 4;
  std::string names;
  for (uint32_t i = 0; i < table.kernel_count && i < kMost; ++i) {
    names += (i == 0 ? "\"" : ", \"") + std::string(table.kernels[i].name) + "\"";
  }
  if (table.kernel_count > kMost) names += " and " + std::to_string(table.kernel_count - kMost) + " more";
  return names;
}

const char* stepOf(CpuForm form) { return form == CpuForm::kQuick ? "compiler, quick code" : "compiler, optimised code"; }

// The job for the groups that were launched meanwhile, and its log.
Status jobForLaunches(CompileJob* job, const Improvement& work, std::string* log);

// Compiles a job and loads what comes of it.
Status makeBetter(Ref<Object>* better, std::vector<unsigned char>* code, const Improvement& work, CompileJob job, int cancel) {
  job.cancel = cancel;
  std::string output;
  {
    const trace::BuildStep step(stepOf(CpuForm::kOptimized), work.name.c_str());
    RT_TRY(orDefect(compile(code, &output, work.compiler, job), work.name.c_str(), output, job.texts));
  }
  const std::string path = work.kept.keepObject(kOptimizedFile, *code);
  RT_TRY(Object::load(better, code->data(), code->size(), work.name.c_str(), path));
  return replacements(*work.object, **better) ? Status() : Status::error(RT_ERROR_INTERNAL, "its table differs.");
}

Status tryToImprove(const Improvement& work, int cancel) {
  std::vector<unsigned char> code;
  Ref<Object> better;
  std::string log = work.log;
  CompileJob job;
  if (work.job) {
    job = *work.job;
  } else {
    RT_TRY(jobForLaunches(&job, work, &log));
  }
  RT_TRY(makeBetter(&better, &code, work, std::move(job), cancel));
  const auto* table = static_cast<const rtHostModule_t*>(better->symbol(kModuleSymbol));
  if (auto* fibers = static_cast<const FiberCalls**>(better->symbol(kFibersSymbol))) *fibers = work.fibers;
  better->setTier(Object::Tier::kOptimized);
  better->setTarget(cpuTarget(work.sanitizer.word()));
  store(work.directory, work.key, log, code);
  std::vector<KernelCode> codes = *replacements(*work.object, *better);
  work.object->setBetter(std::move(better), std::move(codes));
  log::write(RT_LOG_INFO, "The optimised code of \"%s\" (%s) has taken the place of the quick code, %.2f s after it.",
             work.name.c_str(), namesOf(*table).c_str(), static_cast<double>(nowNanoseconds() - work.since) * 1e-9);
  trace::improved(work.name.c_str());
  return Status();
}

std::string reasonOf(const Status& status) {
  return status.message()[0] != '\0' ? status.message() : errorString(status.code());
}

void improve(const Improvement& work, int cancel) {
  Status status;
  try {
    status = tryToImprove(work, cancel);
  } catch (const std::bad_alloc&) {  // calls that wait for the code have to go on
    if (work.object->improvement() == Object::Improvement::kPending) work.object->failBetter("");
    throw;
  }
  if (status.ok()) return;
  if (status.code() != RT_ERROR_SHUT_DOWN) reportUnimproved(work.name, status);
  work.object->failBetter(reasonOf(status));
}

void beginImprovement(const Improvement& work) {
  const Status status =
      background::submit([work](int cancel) { improve(work, cancel); }, [object = work.object] { return object->urgency(); });
  if (status.ok()) return;
  reportUnimproved(work.name, status);
  work.object->failBetter(reasonOf(status));
}

void store(const cache::Directory& directory, const Digest& key, const std::string& log,
           const std::vector<unsigned char>& object) {
  const uint32_t length = static_cast<uint32_t>(log.size());
  std::vector<unsigned char> data(sizeof length);
  memcpy(data.data(), &length, sizeof length);
  data.insert(data.end(), log.begin(), log.end());
  data.insert(data.end(), object.begin(), object.end());
  cache::store(directory, key, data.data(), data.size());
}

}  // namespace

// ---- The steps ----

Status CpuPipeline::makeKey() {
  Blake2b hash;
  addNumber(&hash, kCpuForm);
  hash.addPart(&level_ == &nativeCpuLevel() ? cpuIdentity() : level_.target);
  if (ahead_) hash.addPart("ahead of time");
  hash.addPart(compiler_.identity);
  hash.addPart(sanitizer_.key());
  hash.addPart(kept_.key());
  addNumber(&hash, mode_ == CpuMode::kQuick ? 1 : 0);  // the other two: the same code
  RT_TRY(front_end_.addToKey(&hash, &log_));
  key_ = hash.finish();
  return Status();
}

Status CpuPipeline::translate(FrontEnd* front_end, CpuUnit* optimized, CpuUnit* quick, std::string* log) {
  std::string defect;
  const Status status = front_end->translate(log, [&](Program& program, const Sources& sources, const BuildOptions& options,
                                                      Diagnostics& diagnostics) {
    BuildOptions own = options;
    own.exact_lines = sanitizer_.watches() || kept_.debugs();
    own.repeats_lines = own.exact_lines || kept_.profiles() || options.debug;
    own.users_names = kept_.debugs() && users_names_;
    kept_.keepSources(sources);
    own.lanes = level_.lanes;
    own.launched_groups = launched_;
    const auto make = [&](CpuUnit* unit, CpuForm form) {
      return makeCpuUnit(unit, form, most_texts_ != 0 ? most_texts_ : mostTexts(), &defect, program, sources, own, diagnostics);
    };
    if (optimized != nullptr && !make(optimized, CpuForm::kOptimized)) {
      if (diagnostics.failed()) return false;
      // A defect of a pass for lanes: simple code is right, and slower.
      log->append("warning: The optimised code could not be made, and simple code runs instead: " + defect + ".\n");
      if (!make(optimized, CpuForm::kQuick)) return false;
    }
    return quick == nullptr || make(quick, CpuForm::kQuick);
  });
  if (!status.ok() && status.code() == RT_ERROR_BUILD_FAILED && !defect.empty())
    return Status::error(RT_ERROR_INTERNAL, "The code of \"%s\" could not be made: %s.", front_end->name(), defect.c_str());
  RT_TRY(status);
  if (front_end_.options().no_warnings) return Status();
  for (const std::string& remark : (optimized != nullptr ? *optimized : *quick).remarks) log->append(remark).append("\n");
  return Status();
}

// An entry: the length of the log as four bytes, the log, the object.
bool CpuPipeline::fromCache(CpuBuilt* built) {
  trace::BuildStep step("cache miss", front_end_.name());
  cache::Entry data;
  uint32_t length = 0;
  if (kept_.debugs() || !cache::load(&data, key_) || data.size() < sizeof length) return false;
  memcpy(&length, data.data(), sizeof length);
  const size_t start = sizeof length + length;
  if (start > data.size()) return false;
  std::string path;
  if (kept_.wanted()) {
    path = kept_.keepObject(kOptimizedFile, {data.data() + start, data.data() + data.size()});
    if (request_.more.empty()) kept_.keepText(front_end_.name(), request_.source);
  }
  if (!Object::load(&built->object, data.data() + start, data.size() - start, front_end_.name(), path).ok()) return false;
  built->object->setTier(mode_ == CpuMode::kQuick && !hasOneForm(front_end_.options()) ? Object::Tier::kQuick
                                                                                       : Object::Tier::kOptimized);
  built->object->setTarget(cpuTarget(sanitizer_.word()));
  built->log.assign(reinterpret_cast<const char*>(data.data()) + sizeof length, length);
  step.rename("cache hit");
  return true;
}

Status CpuPipeline::compileTo(std::vector<unsigned char>* object, CpuBuilt* built, const CpuUnit& unit, CpuForm form) {
  const trace::BuildStep step(stepOf(form), front_end_.name());
  const CompileJob job = jobFor(front_end_.options(), unit, form, sanitizer_, kept_, level_);
  for (size_t i = 0; i < unit.texts.size(); ++i) {
    kept_.keepText("unit" + std::to_string(i) + (form == CpuForm::kQuick && !kept_.debugs() ? ".quick.cpp" : ".cpp"),
                   unit.texts[i]);
  }
  std::string output;
  Status status = compile(object, &output, compiler_, job);
  if (status.ok()) return status;
  built->log += output;
  return orDefect(std::move(status), front_end_.name(), output, unit.texts);
}

Status CpuPipeline::makeTexts(bool* complete, CpuBuilt* built) {
  *complete = false;
  if (kept_.wanted()) kept_.choose(key_);
  origin_ = Origin::kCached;
  if (fromCache(built)) {
    *complete = true;
    return Status();
  }
  origin_ = Origin::kBuilt;
  quickly_ = kept_.debugs() || (mode_ != CpuMode::kOptimized && !hasOneForm(front_end_.options()));
  // Optimised code of a source that can be read again is translated when it is compiled, off the caller's time.
  both_ = quickly_ && mode_ == CpuMode::kTiered && !isTranslatedAgain();
  return translate(&front_end_, !quickly_ || both_ ? &optimized_ : nullptr, quickly_ ? &quick_ : nullptr, &built->log);
}

Status CpuPipeline::compileAlone(CpuBuilt* built) {
  const CpuForm form = quickly_ ? CpuForm::kQuick : CpuForm::kOptimized;
  std::vector<unsigned char> object;
  Status status = compileTo(&object, built, quickly_ ? quick_ : optimized_, form);
  const bool refused = status.code() == RT_ERROR_INTERNAL && !quickly_;
  if (refused) status = compileSafely(&object, built, std::move(status));
  if (status.code() == RT_ERROR_INTERNAL && kept_.debugs()) status = compileWithOwnNames(&object, built, std::move(status));
  RT_TRY(status);
  return load(built, object, refused);
}

void CpuPipeline::describe(CpuBuilt* built, bool is_quick) const {
  built->object->setTier(is_quick ? Object::Tier::kQuick : Object::Tier::kOptimized);
  built->object->setTarget(cpuTarget(sanitizer_.word()));
}

Status CpuPipeline::load(CpuBuilt* built, const std::vector<unsigned char>& object, bool refused) {
  const std::string path = kept_.keepObject(quickly_ ? kQuickFile : kOptimizedFile, object);
  RT_TRY(Object::load(&built->object, object.data(), object.size(), front_end_.name(), path));
  describe(built, quickly_ || refused);
  if (quickly_ && mode_ == CpuMode::kTiered) {
    improveLater(built, both_ ? &optimized_ : nullptr);
  } else if (!refused && !kept_.debugs()) {  // the cache has no code that is slower than it has to be
    store(cache::directory(), key_, built->log, object);
  }
  return Status();
}

void CpuPipeline::takePart(CpuBuilt* built, Ref<Object> part) {
  built->object = std::move(part);
  describe(built, true);
  improveLater(built, both_ ? &optimized_ : nullptr);
}

Status CpuPipeline::build(CpuBuilt* built) {
  bool complete = false;
  RT_TRY(makeTexts(&complete, built));
  return complete ? Status() : compileAlone(built);
}

bool CpuPipeline::mayShareCompiler() const {
  return quickly_ && mode_ == CpuMode::kTiered && !kept_.wanted() && !sanitizer_.watches() && quick_.texts.size() == 1 &&
         !quick_.constructor && quick_.largest <= kLongKernel;
}

CompileJob CpuPipeline::quickJob() const {
  return jobFor(front_end_.options(), quick_, CpuForm::kQuick, sanitizer_, kept_, level_);
}

// The compiler refuses the optimised text of a program that is right, which is a defect of the lowering. The quick text is
// another one, so that the program runs all the same; the log and the messages say that it is slower.
Status CpuPipeline::compileSafely(std::vector<unsigned char>* object, CpuBuilt* built, Status refused) {
  CpuUnit quick;
  std::string log;
  FrontEnd again_from_start(request_);  // a program is lowered once: that changes its tree
  if (!front_end_.options().optimize || !again_from_start.readOptions().ok()) return refused;
  if (!translate(&again_from_start, nullptr, &quick, &log).ok()) return refused;
  CpuBuilt again;
  if (!compileTo(object, &again, quick, CpuForm::kQuick).ok()) return refused;
  built->log += "warning: The optimised code could not be made, and simple code runs instead.\n";
  reportUnimproved(front_end_.name(), refused);
  return Status();
}

// A name of the user's means something else in C++: then all variables have names of the library's.
Status CpuPipeline::compileWithOwnNames(std::vector<unsigned char>* object, CpuBuilt* built, Status refused) {
  CpuUnit quick;
  std::string log;
  FrontEnd again_from_start(request_);
  users_names_ = false;
  if (!again_from_start.readOptions().ok() || !translate(&again_from_start, nullptr, &quick, &log).ok()) return refused;
  CpuBuilt again;
  if (!compileTo(object, &again, quick, CpuForm::kQuick).ok()) return refused;
  built->log += "warning: Variables have names of the library's in debuggers.\n";
  return Status();
}

// The cache gets what comes out of this alone: code that is there soon is no reason to keep slower code. The quick object
// stays loaded until it is done, so that a build of the same source meanwhile finds it.
// `optimized`: its text, if that is there by now.
void CpuPipeline::improveLater(CpuBuilt* built, const CpuUnit* optimized) {
  Improvement work;
  work.request = std::make_shared<const KeptRequest>(request_);
  work.sanitizer = sanitizer_;
  work.object = built->object;
  work.key = key_;
  work.name = front_end_.name();
  work.log = built->log;
  work.fibers = request_.fibers;
  work.compiler = compiler_;
  work.directory = cache::directory();
  work.kept = kept_;
  if (optimized != nullptr) work.job = backgroundJob(*optimized);
  work.since = nowNanoseconds();
  const auto* table = static_cast<const rtHostModule_t*>(built->object->symbol(kModuleSymbol));
  const uint32_t kernels = table != nullptr ? table->kernel_count : 0;
  if (held_ == nullptr) {
    built->object->expectBetter(kernels);
    beginImprovement(work);
    return;
  }
  *held_ = [work] {
    try {
      beginImprovement(work);
    } catch (const std::bad_alloc&) {  // other threads may have the object by now, and wait for better code
      work.object->failBetter("");
    }
  };
  built->object->expectBetter(kernels);
}

CompileJob CpuPipeline::backgroundJob(const CpuUnit& optimized) {
  for (size_t i = 0; i < optimized.texts.size(); ++i) kept_.keepText("unit" + std::to_string(i) + ".cpp", optimized.texts[i]);
  CompileJob job = jobFor(front_end_.options(), optimized, CpuForm::kOptimized, sanitizer_, kept_, level_);
  job.niceness = kBackgroundNiceness;
  return job;
}

Status CpuPipeline::jobLater(CompileJob* job, const Improvement& work, BuildOptions::Groups groups, std::string* log) {
  compiler_ = work.compiler;
  sanitizer_ = work.sanitizer;
  kept_ = work.kept;
  launched_ = std::move(groups);
  CpuUnit optimized;
  log->clear();
  RT_TRY(front_end_.readOptions());
  RT_TRY(translate(&front_end_, &optimized, nullptr, log));
  *job = backgroundJob(optimized);
  return Status();
}

namespace {

// Rows of groups say which dimension lanes go along, how many there are, and that nothing is left of a row. A group that is one
// row may be another one next time. It counts only where it fills vectors of any width: a trial with a few items does not
// decide for good.
Status jobForLaunches(CompileJob* job, const Improvement& work, std::string* log) {
  const auto* table = static_cast<const rtHostModule_t*>(work.object->symbol(kModuleSymbol));
  constexpr uint32_t kWidestLanes = 16;
  BuildOptions::Groups groups;
  for (uint32_t i = 0; table != nullptr && i < table->kernel_count; ++i) {
    const std::array<uint32_t, 3> group = work.object->launchedGroup(i);
    const bool is_row = group[1] == 1 && group[2] == 1, fills = group[0] % kWidestLanes == 0;
    if (group[0] != 0 && (!is_row || fills)) groups[table->kernels[i].name] = group;
  }
  const BuildRequest request = work.request->request();
  std::string unused;
  return CpuPipeline(request, &unused).jobLater(job, work, std::move(groups), log);
}

}  // namespace

// ---- Ahead of time ----

// No sanitizer and no debugger of this process has a part in code for another one.
Status CpuPipeline::prepareAhead() {
  ahead_ = true;
  mode_ = CpuMode::kOptimized;
  RT_TRY(front_end_.readOptions());
  return findCompiler(&compiler_);
}

bool CpuPipeline::codeFromCache(CpuCode* code) {
  cache::Entry data;
  uint32_t length = 0;
  if (!cache::load(&data, key_) || data.size() < sizeof length) return false;
  memcpy(&length, data.data(), sizeof length);
  const size_t start = sizeof length + length;
  if (start > data.size() || !checkSharedObject(data.data() + start, data.size() - start).empty()) return false;
  code->log.assign(reinterpret_cast<const char*>(data.data()) + sizeof length, length);
  code->object.assign(data.data() + start, data.data() + data.size());
  return true;
}

Status CpuPipeline::runAhead(CpuCode* code) {
  RT_TRY(prepareAhead());
  RT_TRY(makeKey());
  code->optimized = true;
  if (codeFromCache(code)) return Status();
  CpuUnit unit;
  CpuBuilt built;
  Status status = translate(&front_end_, &unit, nullptr, &built.log);
  if (status.ok()) status = compileTo(&code->object, &built, unit, CpuForm::kOptimized);
  if (status.code() == RT_ERROR_INTERNAL) {
    status = compileSafely(&code->object, &built, std::move(status));
    code->optimized = false;
  }
  code->log = std::move(built.log);
  if (status.ok() && code->optimized) store(cache::directory(), key_, code->log, code->object);
  return status;
}

Status CpuPipeline::runToText(std::string* text, CpuText form) {
  RT_TRY(prepareAhead());
  CpuUnit unit;
  RT_TRY(translate(&front_end_, &unit, nullptr, &log_));
  if (form == CpuText::kAssembly) {
    std::string output;
    const CompileJob job = jobFor(front_end_.options(), unit, CpuForm::kOptimized, sanitizer_, kept_, level_);
    const Status status = compileToAssembly(text, &output, compiler_, job);
    if (!status.ok()) log_ += output;
    return orDefect(status, front_end_.name(), output, unit.texts);
  }
  for (const std::string& each : unit.texts) *text += each;
  return Status();
}

Status CpuPipeline::prepare() {
  RT_TRY(front_end_.readOptions());
  RT_TRY(findCompiler(&compiler_));
  RT_TRY(findKernelSanitizer(&sanitizer_));
  mode_ = modeOf(front_end_.options().tier);
  // A sanitizer's report has the lines from the object in memory.
  if (!sanitizer_.watches()) kept_ = KeptFiles::find(front_end_.options().debug);
  if (kept_.debugs()) mode_ = CpuMode::kQuick;
  return makeKey();
}

Status CpuPipeline::run(Ref<Object>* object) {
  RT_TRY(prepare());
  CpuRegistry& known = cpuRegistry();
  CpuBuilt built;
  origin_ = Origin::kProcess;
  const Status status = known.flights.run(
      &built, key(), [&](CpuBuilt* found) { return known.find(found, key()); }, [&](CpuBuilt* made) { return build(made); },
      [&](const CpuBuilt& made) { known.keep(made, key()); });
  if (request_.origin != nullptr) *request_.origin = origin_;
  log_ += built.log;
  *object = std::move(built.object);
  return status;
}

Status buildForCpu(Ref<Object>* object, std::string* log, const BuildRequest& request) {
  return CpuPipeline(request, log).run(object);
}

Status buildCpuCode(CpuCode* code, const CpuLevel& level, const BuildRequest& request) {
  RT_TRY(CpuPipeline(request, &code->log, level).runAhead(code));
  code->glibc = newestGlibc(&code->needs, code->object.data(), code->object.size());
  return Status();
}

Status cpuCodeText(std::string* text, std::string* log, CpuText form, const CpuLevel& level, const BuildRequest& request) {
  return CpuPipeline(request, log, level).runToText(text, form);
}

Status awaitBetter(const Object& object, Deadline deadline) {
  object.hurry();
  const auto is_settled = [&] { return object.improvement() != Object::Improvement::kPending; };
  if (!background::await(is_settled, deadline) && !is_settled())
    return Status::bare(deadline.passed() ? RT_ERROR_TIMEOUT : RT_ERROR_SHUT_DOWN);
  if (object.improvement() != Object::Improvement::kFailed) return Status();
  return Status::error(RT_ERROR_BUILD_FAILED, "The optimised code could not be made, and the first stays: %s",
                       object.whyNotBetter().c_str());
}

}  // namespace manyrt::compiler
