// One build for the CPU, step by step. cpu.cpp runs all steps for one source. For many sources, cpu_many.cpp runs the steps
// before and after the compiler, which several share. Also the list of what is being built and what is loaded, by key, so that
// nothing is built twice.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/single_flight.h"
#include "compiler/ahead.h"
#include "compiler/build.h"
#include "compiler/pipeline/cpu_unit.h"
#include "compiler/pipeline/front_end.h"
#include "compiler/pipeline/kept_files.h"
#include "compiler/pipeline/sanitizer.h"
#include "compiler/toolchain/compiler.h"
#include "compiler/toolchain/cpu_target.h"

namespace manyrt::compiler {

enum class CpuMode : uint8_t { kTiered, kOptimized, kQuick };  // what -rt-tier or RT_CPU_BUILD asks for

struct CpuBuilt {
  Ref<Object> object;
  std::string log;
};

using CpuBuildKey = std::pair<Digest, CpuMode>;  // tiers differ in what they wait for
using CpuFlights = SingleFlight<CpuBuilt, CpuBuildKey>;

struct CpuRegistry {
  struct Loaded {
    Object* object = nullptr;  // not owned
    std::string log;
  };
  CpuFlights flights;
  std::map<CpuBuildKey, Loaded> loaded;  // under the lock of the flights

  bool find(CpuBuilt* found, const CpuBuildKey& key);       // under it
  void keep(const CpuBuilt& made, const CpuBuildKey& key);  // under it; throws bad_alloc
};
CpuRegistry& cpuRegistry();

struct Improvement;

class CpuPipeline {
 public:
  // Both outlive it, and so does the level.
  CpuPipeline(const BuildRequest& request, std::string* log, const CpuLevel& level = nativeCpuLevel())
      : request_(request), front_end_(request), log_(*log), level_(level) {}
  CpuPipeline(const CpuPipeline&) = delete;
  CpuPipeline& operator=(const CpuPipeline&) = delete;

  // All steps below, and a build at a time for each key.
  Status run(Ref<Object>* object);
  // The optimised code for the level, which may not be this processor's: nothing is loaded. Reads the cache and writes it.
  Status runAhead(CpuCode* code);
  // The same code as text.
  Status runToText(std::string* text, CpuText form);
  // The optimised text of a build that is under way, for groups that have been launched since.
  Status jobLater(CompileJob* job, const Improvement& work, BuildOptions::Groups groups, std::string* log);

  // ---- The steps, in this order ----

  Status prepare();  // options, compiler and key
  CpuBuildKey key() const { return {key_, mode_}; }
  // The object from the cache, and then `complete`; else the texts to be compiled.
  Status makeTexts(bool* complete, CpuBuilt* built);
  // Then one of the two: a compiler for this build alone, or the part of an object that a compiler has made for several.
  Status compileAlone(CpuBuilt* built);
  void takePart(CpuBuilt* built, Ref<Object> part);  // throws bad_alloc
  Origin origin() const { return origin_; }

  // ---- For builds of many at once ----

  // Over how many compilers the kernels of one source are spread.
  void limitTexts(uint32_t most) { most_texts_ = most; }
  // The build's work in the background is put there instead of being started. The caller calls it once; it throws nothing.
  void holdBackground(std::function<void()>* held) { held_ = held; }
  // Whether a compiler may make the object together with others of the same flags. It may for quick code that optimised code is
  // to replace: nothing that stays depends on what it was compiled with. Code with lines for tools has a compiler of its own.
  bool mayShareCompiler() const;
  CompileJob quickJob() const;  // of this build alone
  const CpuUnit& quickUnit() const { return quick_; }
  const Compiler& compiler() const { return compiler_; }
  const char* name() const { return front_end_.name(); }

 private:
  // An #include may find another text by then.
  bool isTranslatedAgain() const {
    bool includes = mayInclude(request_.source);
    for (const std::string_view more : request_.more) includes = includes || mayInclude(more);
    return !includes;
  }
  Status makeKey();
  Status build(CpuBuilt* built);
  Status prepareAhead();
  bool codeFromCache(CpuCode* code);
  bool fromCache(CpuBuilt* built);
  Status load(CpuBuilt* built, const std::vector<unsigned char>& object, bool refused);
  void describe(CpuBuilt* built, bool is_quick) const;
  void improveLater(CpuBuilt* built, const CpuUnit* optimized);
  CompileJob backgroundJob(const CpuUnit& optimized);
  Status compileTo(std::vector<unsigned char>* object, CpuBuilt* built, const CpuUnit& unit, CpuForm form);
  Status compileSafely(std::vector<unsigned char>* object, CpuBuilt* built, Status refused);
  Status compileWithOwnNames(std::vector<unsigned char>* object, CpuBuilt* built, Status refused);
  Status translate(FrontEnd* front_end, CpuUnit* optimized, CpuUnit* quick, std::string* log);

  const BuildRequest& request_;
  FrontEnd front_end_;
  std::string& log_;
  const CpuLevel& level_;
  bool ahead_ = false;  // nothing will be known of launches
  Compiler compiler_;
  KernelSanitizer sanitizer_;
  KeptFiles kept_;
  CpuMode mode_ = CpuMode::kTiered;
  bool users_names_ = true;
  uint32_t most_texts_ = 0;                // 0: as many as is fastest for one build
  std::function<void()>* held_ = nullptr;  // null: started at once
  Origin origin_ = Origin::kBuilt;
  Digest key_{};
  BuildOptions::Groups launched_;  // by kernel, before optimised code is made
  // Made by makeTexts().
  CpuUnit optimized_, quick_;
  bool quickly_ = false;  // the call waits for quick code
  bool both_ = false;     // and there is the optimised text already
};

}  // namespace manyrt::compiler
