// The cost of a launch. P1 is the call itself over the null backend, P11 empty kernels through a worker or drained by the
// thread that waits. P12 is launch and synchronise, hot or after a pause.
#include <atomic>
#include <thread>

#include "machine.h"
#include "peers.h"

namespace {

using namespace bench;

constexpr int kQueued = 1000;  // commands after the gate
constexpr int kBatch = 4000;   // commands from one wait to the next

struct Peers {
  std::string basic_why, pthread_why, tbb_why, gomp_why, omp_why;
  std::unique_ptr<OpenClPeer> basic = OpenClPeer::find("basic", &basic_why);
  std::unique_ptr<OpenClPeer> pthread = OpenClPeer::find("pthread", &pthread_why);
  std::unique_ptr<TbbPeer> tbb;
  std::unique_ptr<OpenMpPeer> gomp, omp;
};
Peers* peers;

struct Launcher {
  rtContext_t context;
  rtStream_t stream;
  rtKernel_t kernel;

  Launcher(const char* device, uint32_t threads)
      : context(createContext(device, threads)),
        stream(createStream(context)),
        kernel(createKernel(context, emptyKernel, {})) {}
  void launch() const { RT_CHECK(rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, 0)); }
  void synchronise() const { RT_CHECK(rtStreamSynchronize(stream)); }
};

// ---- P1: the call alone

void registerCalls() {
  static rtContext_t context = createContext("null:0", 0);
  static rtStream_t stream = createStream(context), other = createStream(context);
  static rtKernel_t kernel = createKernel(context, emptyKernel,
                                          {{8, RT_ARG_POINTER},
                                           {8, RT_ARG_POINTER},
                                           {8, RT_ARG_POINTER},
                                           {8, RT_ARG_POINTER},
                                           {4, RT_ARG_VALUE},
                                           {4, RT_ARG_VALUE},
                                           {8, RT_ARG_VALUE},
                                           {4, RT_ARG_VALUE}});
  static void* pointers[4];
  for (void*& pointer : pointers) RT_CHECK(rtMalloc(&pointer, 4096, context));
  static uint32_t rows = 3, columns = 4;
  static uint64_t stride = 5;
  static float scale = 1;
  static void* args[] = {&pointers[0], &pointers[1], &pointers[2], &pointers[3], &rows, &columns, &stride, &scale};
  static rtEvent_t event;
  rtEventOptions_t options = RT_EVENT_OPTIONS_INIT;
  options.flags = RT_EVENT_DISABLE_TIMING;
  RT_CHECK(rtEventCreate(&event, &options, context));

  auto call = [](const char* name, auto function) {
    registerComparison(
        Comparison(name).ours("manyrt", hot(function)).floor("exported_call", exportedCall()).settle(false).budget(0.5));
  };
  call("P1_launch_null_8_args", [] { RT_CHECK(rtLaunchKernel(kernel, 64, 1, 1, 256, 1, 1, 0, stream, args, RT_ARGS_ALL)); });
  call("P1_event_record_null", [] { RT_CHECK(rtEventRecord(event, stream)); });
  call("P1_event_query_null", [] { RT_CHECK(rtEventQuery(event)); });
  call("P1_stream_wait_event_null", [] { RT_CHECK(rtStreamWaitEvent(event, other)); });
  call("P1_stream_query_null", [] { RT_CHECK(rtStreamQuery(stream)); });
  call("P1_stream_synchronize_null", [] { RT_CHECK(rtStreamSynchronize(stream)); });
}

// ---- P11: many empty kernels

void addTaskPeers(Comparison& comparison, bool in_order) {
  Peers& all = *peers;
  if (all.tbb) {
    comparison.peer("tbb_task_group", hot([&all] { all.tbb->group(kBatch); }, kBatch));
    if (in_order) comparison.peer("tbb_flow_graph", hot([&all] { all.tbb->graph(kBatch); }, kBatch));
    comparison.peer("tbb_enqueue", hot([&all] { all.tbb->enqueue(kBatch); }, kBatch));
  } else {
    comparison.missing("tbb_task_group", all.tbb_why);
  }
  auto openMp = [&](const std::string& name, OpenMpPeer* peer, const std::string& why) {
    if (peer != nullptr) {
      comparison.peer(name, hot([peer] { peer->tasks(kBatch); }, kBatch));
    } else {
      comparison.missing(name, why);
    }
  };
  openMp("libgomp_task", all.gomp.get(), all.gomp_why);
  openMp("libomp_task", all.omp.get(), all.omp_why);
}

void addPocl(Comparison& comparison, const std::string& name, OpenClPeer* peer, const std::string& why, int batch) {
  if (peer == nullptr) {
    comparison.missing(name, why);
    return;
  }
  comparison.peer(name, hot(
                            [peer, batch] {
                              for (int i = 0; i < batch; ++i) peer->launch(1);
                              peer->finish();
                            },
                            static_cast<uint64_t>(batch)));
}

// The caller only asks whether the stream is done: a worker runs everything.
void registerThroughWorker(const Launcher& one) {
  Comparison comparison("P11_through_worker");
  comparison.ours("manyrt", hot(
                                [&one] {
                                  for (int i = 0; i < kBatch; ++i) one.launch();
                                  // With a limit the waiting thread runs nothing: the worker does it all.
                                  RT_CHECK(rtStreamSynchronizeFor(10'000'000'000, one.stream));
                                },
                                kBatch));
  comparison.ours("manyrt_synchronize", hot(
                                            [&one] {
                                              for (int i = 0; i < kBatch; ++i) one.launch();
                                              one.synchronise();
                                            },
                                            kBatch));
  addTaskPeers(comparison, true);
  addPocl(comparison, "pocl_basic", peers->basic.get(), peers->basic_why, 200);
  addPocl(comparison, "pocl_pthread", peers->pthread.get(), peers->pthread_why, 200);
  comparison.floor("ping_pong", pingPong);
  registerComparison(std::move(comparison));
}

// The only worker is inside a kernel of another stream until it is let go, so the queue is the waiting thread's alone.
struct Hold {
  std::atomic<bool> entered{false}, release{false};

  static void kernel(const rtHostGroup_t*, void* const* args) {
    Hold& hold = **static_cast<Hold* const*>(args[0]);
    hold.entered.store(true);
    while (!hold.release.load(std::memory_order_acquire)) std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
};

void registerDrained(const Launcher& one) {
  static Hold hold;
  static rtStream_t held = createStream(one.context);
  static rtKernel_t kernel = createKernel(one.context, Hold::kernel, {{8, RT_ARG_POINTER}});
  static rtFence_t fence;
  static uint64_t gate = 0;
  RT_CHECK(rtFenceCreate(&fence, 0, one.context));
  Comparison comparison("P11_drained_by_waiter");
  comparison.before([] {
    hold.entered.store(false);
    hold.release.store(false);
    Hold* address = &hold;
    void* args[] = {&address};
    RT_CHECK(rtLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, held, args, 1));
    while (!hold.entered.load()) std::this_thread::sleep_for(std::chrono::microseconds(100));
  });
  comparison.after([] {
    hold.release.store(true);
    RT_CHECK(rtStreamSynchronize(held));
  });
  auto prepare = [&one] {
    RT_CHECK(rtStreamWaitFence(fence, ++gate, one.stream));
    for (int i = 0; i < kQueued; ++i) one.launch();
  };
  auto drain = [&one] {
    RT_CHECK(rtFenceSignal(gate, fence));
    one.synchronise();
  };
  comparison.ours("manyrt", [timed = single(prepare, drain)](int64_t budget) { return timed(budget) / kQueued; });
  // The same calls with nothing queued, as part of each.
  comparison.ours("manyrt_empty_queue", [timed = single([&one] { RT_CHECK(rtStreamWaitFence(fence, ++gate, one.stream)); },
                                                        drain)](int64_t budget) { return timed(budget) / kQueued; });
  comparison.floor("exported_call", exportedCall());
  registerComparison(std::move(comparison));
}

// ---- P12: launch and wait

enum class Pause { kNone, kSleep, kWork };

void pause(Pause kind) {
  static std::vector<uint64_t> words(1 << 17);
  if (kind == Pause::kSleep) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  if (kind != Pause::kWork) return;
  for (int64_t began = nanoseconds(); nanoseconds() - began < 1'000'000;) {
    for (size_t i = 0; i < 4096; ++i) words[(i * 4099) & (words.size() - 1)] += i;
  }
}

void registerRoundTrip(const char* name, Pause kind, const Launcher& all) {
  auto measure = [kind](auto call) -> Measure {
    if (kind == Pause::kNone) return hot(call);
    return single([kind] { pause(kind); }, call);
  };
  Comparison comparison(name);
  if (kind != Pause::kNone) comparison.budget(3);
  comparison.ours("manyrt", measure([&all] {
                    all.launch();
                    all.synchronise();
                  }));
  auto pocl = [&](const char* peer_name, OpenClPeer* peer, const std::string& why) {
    if (peer == nullptr) {
      comparison.missing(peer_name, why);
      return;
    }
    comparison.peer(peer_name, measure([peer] {
                      peer->launch(1);
                      peer->finish();
                    }));
  };
  pocl("pocl_basic", peers->basic.get(), peers->basic_why);
  pocl("pocl_pthread", peers->pthread.get(), peers->pthread_why);
  if (TbbPeer* tbb = peers->tbb.get(); tbb != nullptr) {
    comparison.peer("tbb_task_group", measure([tbb] { tbb->group(1); }));
    comparison.peer("tbb_flow_graph", measure([tbb] { tbb->graph(1); }));
  } else {
    comparison.missing("tbb_task_group", peers->tbb_why);
  }
  if (kind == Pause::kNone) {
    comparison.floor("exported_call", exportedCall());
  } else {
    comparison.floor("nothing_timed", measure([] {}));
  }
  registerComparison(std::move(comparison));
}

}  // namespace

int main(int argc, char** argv) {
  begin(&argc, argv);
  prepareEnvironment();
  static Peers all_peers;
  peers = &all_peers;

  // Every thread is started before this one is pinned, because threads inherit where they may run; those of PoCL stay free.
  if (peers->basic) {
    peers->basic->launch(1);
    peers->basic->finish();
  }
  if (peers->pthread) {
    peers->pthread->launch(64);
    peers->pthread->finish();
  }
  {
    Pinning pinning;
    peers->tbb = TbbPeer::find(&peers->tbb_why);
    if (peers->tbb) {
      peers->tbb->group(kBatch);
      peers->tbb->enqueue(kBatch);
    }
    pinning.done();
  }
  for (auto& [name, peer, why] :
       {std::tuple{"libgomp", &peers->gomp, &peers->gomp_why}, {"libomp", &peers->omp, &peers->omp_why}}) {
    Pinning pinning;
    *peer = OpenMpPeer::find(name, why);
    if (*peer) (*peer)->tasks(kBatch);
    pinning.done();
  }
  static const Launcher many("cpu", 0), one("cpu", 1);
  for (const Launcher* launcher : {&many, &one}) {
    Pinning pinning;
    for (int i = 0; i < kBatch; ++i) launcher->launch();
    while (rtStreamQuery(launcher->stream) == RT_NOT_READY) {
    }
    pinning.done();
  }
  pinHere(0);
  note("peer_opencl", OpenClPeer::version());
  note("peer_tbb", TbbPeer::version());
  note("peer_libgomp", peers->gomp ? peers->gomp->compiler() : "missing");
  note("peer_libomp", peers->omp ? peers->omp->compiler() : "missing");

  registerCalls();
  registerThroughWorker(one);
  registerDrained(one);
  registerRoundTrip("P12_hot", Pause::kNone, many);
  registerRoundTrip("P12_after_sleep", Pause::kSleep, many);
  registerRoundTrip("P12_after_work", Pause::kWork, many);
  return finish();
}
