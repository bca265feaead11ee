// Devices and their primary contexts. A Context stays where it is for the whole process; what comes and goes is its being
// active.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "interface.h"

namespace manyrt::simulated {

class Stream;

struct Context {
  int device = 0;
  std::atomic<bool> active{false};
  std::atomic<Error> broken{kSuccess};  // sticky: what every call on it returns

  std::mutex mutex;  // what follows
  int retained = 0;
  bool retained_by_runtime = false;
  std::vector<std::weak_ptr<Stream>> streams;  // also destroyed ones that still work
  std::shared_ptr<Stream> legacy;              // the null stream
  std::set<int> peers;                         // devices whose memory its kernels may use

  NativeContext handle() { return reinterpret_cast<NativeContext>(this); }
  Error state() const { return active ? broken.load() : Error{kContextDestroyed}; }
  void breakWith(Error code);  // the first cause stays
};

Context* contextOfDevice(int device);  // null: there is no such device
Context* contextOfHandle(NativeContext handle);

// The thread's context, active and unbroken. The runtime takes device 0's where the thread has none, the driver does not.
Error currentForRuntime(Context** context);
Error currentForDriver(Context** context);

bool refusesCurrent(const Context& wanted);  // where the simulation insists, and another one or none is current

bool mayAccessPeer(Context& context, int device);
int liveContexts();

// The simulated machine: what occupancy and limits are computed from.
inline constexpr int kMultiprocessors = 4, kWarpThreads = 32, kMaxBlockThreads = 1024, kMaxResidentThreads = 2048,
                     kMaxResidentBlocks = 32, kMaxBlockDepth = 64, kMaxGridYZ = 65535, kArchitecture = 90, kLeastPriority = 0,
                     kGreatestPriority = -5;
inline constexpr size_t kSharedBytes = size_t{48} << 10, kSharedOptinBytes = size_t{227} << 10,
                        kSharedMultiprocessorBytes = size_t{228} << 10, kSharedReservedBytes = 1024;

}  // namespace manyrt::simulated
