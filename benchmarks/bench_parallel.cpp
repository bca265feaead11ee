// An empty parallel-for over all cores (P14): a launch and its synchronise against an OpenMP region. Beside it a cache line
// goes to another core and back: so much it costs to tell one other thread and hear from it.
#include "machine.h"
#include "peers.h"

namespace {

using namespace bench;

rtStream_t stream;
rtKernel_t kernel;

void launch(uint32_t groups, uint32_t flags) {
  rtLaunchOptions_t options = RT_LAUNCH_OPTIONS_INIT;
  options.flags = flags;
  const uint32_t grid[] = {groups, 1, 1}, group[] = {1, 1, 1};
  RT_CHECK(rtLaunchKernelWithOptions(kernel, grid, group, 0, &options, nullptr, 0, stream));
  RT_CHECK(rtStreamSynchronize(stream));
}

}  // namespace

int main(int argc, char** argv) {
  begin(&argc, argv);
  prepareEnvironment();
  const uint32_t cores = static_cast<uint32_t>(coreCount());
  static std::string pthread_why, tbb_why, gomp_why, omp_why;
  static auto pocl = OpenClPeer::find("pthread", &pthread_why);
  if (pocl) {
    pocl->launch(64);
    pocl->finish();
  }
  static std::unique_ptr<OpenMpPeer> gomp, omp;
  for (auto& [name, peer, why] : {std::tuple{"libgomp", &gomp, &gomp_why}, {"libomp", &omp, &omp_why}}) {
    Pinning pinning;
    *peer = OpenMpPeer::find(name, why);
    if (*peer) (*peer)->parallel();
    pinning.done();
  }
  static std::unique_ptr<TbbPeer> tbb;
  {
    Pinning pinning;
    tbb = TbbPeer::find(&tbb_why);
    if (tbb) tbb->group(4000);
    pinning.done();
  }
  {
    Pinning pinning;
    rtContext_t context = createContext("cpu", 0);
    stream = createStream(context);
    kernel = createKernel(context, emptyKernel, {});
    launch(cores, RT_LAUNCH_COOPERATIVE);  // starts every worker
    pinning.done();
  }
  pinHere(0);
  note("peer_opencl", OpenClPeer::version());
  note("peer_tbb", TbbPeer::version());
  note("peer_libgomp", gomp ? gomp->compiler() : "missing");
  note("peer_libomp", omp ? omp->compiler() : "missing");

  Comparison comparison("P14_parallel_for");
  comparison.ours("manyrt_launch", hot([cores] { launch(cores, 0); }));
  comparison.ours("manyrt_cooperative", hot([cores] { launch(cores, RT_LAUNCH_COOPERATIVE); }));
  comparison.ours("manyrt_launch_64_per_core", hot([cores] { launch(64 * cores, 0); }));
  auto openMp = [&](const std::string& name, OpenMpPeer* peer, const std::string& why) {
    if (peer != nullptr) {
      comparison.peer(name, hot([peer] { peer->parallel(); }));
    } else {
      comparison.missing(name, why);
    }
  };
  openMp("libgomp", gomp.get(), gomp_why);
  openMp("libomp", omp.get(), omp_why);
  if (tbb) {
    comparison.peer("tbb_parallel_for", hot([cores] { tbb->parallelFor(static_cast<int>(cores)); }));
  } else {
    comparison.missing("tbb_parallel_for", tbb_why);
  }
  if (pocl) {
    comparison.peer("pocl_pthread", hot([cores] {
                      pocl->launch(cores);
                      pocl->finish();
                    }));
  } else {
    comparison.missing("pocl_pthread", pthread_why);
  }
  comparison.floor("ping_pong", pingPong);
  registerComparison(std::move(comparison));
  return finish();
}
