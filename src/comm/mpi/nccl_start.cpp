// The ranks agree on four things, in this order. Can all of them, do their devices differ, NCCL's id with the place of their
// hub, and has NCCL started every rank? Each step is one collective of MPI, whose cost is MPI's.
//
// The hub (comm/bootstrap/hub.h) is in the process of rank 0. It is at a Unix socket where all ranks are on one host, else at
// an address of rank 0's host. Its secret is drawn by rank 0 and goes round by MPI alone.
//
// A rank that fails in NCCL's start would leave the others there until their time has passed. So it tells its neighbours in a
// tree of the ranks, which tell theirs. Each rank sends few messages, and all are in this call and listen.
#include "comm/mpi/nccl_start.h"

#include <time.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/config.h"
#include "base/text.h"
#include "comm/bootstrap/hub.h"
#include "comm/bootstrap/message.h"
#include "comm/core_call.h"
#include "comm/guard.h"
#include "comm/mpi/neighbours.h"
#include "comm/nccl/library.h"
#include "comm/nccl/processes.h"
#include "comm/nccl/split.h"

namespace manyrt::comm::mpi {
namespace {

constexpr int64_t kNoRank = INT64_MAX;
constexpr int32_t kGiveUp = 4;               // the tag of a message; Rank has the others
constexpr timespec kNap = {0, 200'000};      // between two looks at NCCL and MPI
constexpr int64_t kOffCuda = -1, kNone = 0;  // instead of a version of NCCL

struct Told {
  int32_t code;
  char text[508];
};

using Uuid = std::array<uint8_t, 16>;

// A rank's facts about itself, before NCCL starts.
struct Card {
  Uuid device;
  uint64_t host;  // nccl::numberOfHost()
};

// How rank 0 tells where the hub is.
struct HubCard {
  enum class Where : int32_t { kNowhere, kHere, kAddress };
  Where where;
  uint32_t length;  // of the address
  bootstrap::Nonce secret;
  sockaddr_storage address;
};

// Nothing is wrong with NCCL here, or the sentence.
Status findNccl(int64_t* version) {
  const nccl::Library* library = nullptr;
  *version = kNone;
  RT_TRY(nccl::open(&library));
  *version = library->version;
  return Status();
}

Uuid uuidOf(const Place& place) {
  rtDeviceProperties_t info = RT_DEVICE_PROPERTIES_INIT;
  Uuid uuid = {};  // zeros: it has no number that no other has, and NCCL itself looks whether devices differ
  if (rtDeviceGetProperties(&info, place.device) == RT_SUCCESS)
    std::copy(std::begin(info.uuid), std::end(info.uuid), uuid.begin());
  return uuid;
}

class Starting {
 public:
  Starting(Outcome* outcome, const Attached& attached, Choice choice, const Place& place, const Settings& settings)
      : outcome_(*outcome), of_(attached), choice_(choice), place_(place), settings_(settings) {}

  Status run() {
    bool able = false;
    RT_TRY(askAll(&able));
    if (able) RT_TRY(compareDevices(&able));
    if (!able) return Status();
    nccl::NativeId id = {};
    RT_TRY(shareId(&id));
    const Status own = withoutThrowing([&] { return start(id); });
    return agree(own);
  }

 private:
  bool onCuda() const { return place_.backend == RT_BACKEND_CUDA; }

  Status called(const char* why) const {
    return why == nullptr ? Status() : Status::error(RT_ERROR_DRIVER, "Rank %d: %s", of_.rank, why);
  }

  // The failure of `rank`, which all ranks return.
  Status tellAll(int32_t rank, const Status& own) {
    Told told = {own.code(), {}};
    copyLetters(told.text, sizeof told.text, *own.message() != '\0' ? own.message() : errorString(own.code()));
    RT_TRY(called(of_.plugin.share(&told, sizeof told, rank, of_.comm)));
    return Status::error(told.code, "Rank %d: %.*s", rank, static_cast<int>(sizeof told.text), told.text);
  }

  // MPI runs the operations, unless NCCL was asked for by name.
  Status goWithout(const Status& reason, bool asked = false) {
    if (asked) return reason;
    if (onCuda()) outcome_.reason = reason.message();
    return Status();
  }

  Status askAll(bool* able) {
    enum { kChoice, kMinusChoice, kVersion, kMinusVersion, kLacking, kAsking, kValues };
    int64_t version = kOffCuda;
    const bool may = onCuda() && choice_ != Choice::kMpi;
    const Status found = may ? findNccl(&version) : Status();
    const bool asks = choice_ == Choice::kNccl || config::get(config::Variable::kNccl) != nullptr;
    const auto chosen = static_cast<int64_t>(choice_);
    // The least of a number and of its negative: equal to each other only if all ranks have the same.
    int64_t values[kValues] = {chosen, -chosen, version, -version, may && version == kNone ? of_.rank : kNoRank, asks ? 0 : 1};
    // One collective for all questions. A rank that cannot go on tells so in it, and never stays away.
    RT_TRY(called(of_.plugin.least(values, kValues, of_.comm)));
    if (values[kChoice] != -values[kMinusChoice]) {
      return Status::error(RT_ERROR_NOT_SUPPORTED, "The ranks have different words in RT_COMM_ENGINE.");
    }
    if (choice_ == Choice::kMpi) {
      const char* const word = config::get(config::Variable::kCommEngine);
      return goWithout(Status::error(RT_ERROR_NOT_SUPPORTED, "RT_COMM_ENGINE=%s.", word != nullptr ? word : ""));
    }
    if (values[kVersion] == kOffCuda) return goWithout(Status::error(RT_ERROR_NOT_SUPPORTED, "Not every rank is on CUDA."));
    const bool asked = values[kAsking] == 0;
    if (values[kLacking] != kNoRank) return goWithout(tellAll(static_cast<int32_t>(values[kLacking]), found), asked);
    if (values[kVersion] != -values[kMinusVersion]) {
      return goWithout(Status::error(RT_ERROR_BACKEND_UNAVAILABLE, "The ranks have different releases of NCCL: %s and %s.",
                                     nccl::versionText(static_cast<int>(values[kVersion])).c_str(),
                                     nccl::versionText(static_cast<int>(-values[kMinusVersion])).c_str()),
                       asked);
    }
    *able = true;
    return Status();
  }

  // NCCL refuses two ranks on one device, each in its own way and time.
  Status compareDevices(bool* differ) {
    const Card mine = {uuidOf(place_), nccl::numberOfHost()};
    std::vector<Card> all(static_cast<size_t>(of_.size));
    RT_TRY(called(of_.plugin.gather(&mine, sizeof mine, all.data(), of_.comm)));
    on_one_host_ = mine.host != 0;
    std::vector<std::pair<Uuid, int32_t>> order;
    for (int32_t rank = 0; rank < of_.size; ++rank) {
      const Card& card = all[static_cast<size_t>(rank)];
      on_one_host_ = on_one_host_ && card.host == mine.host;
      if (card.device != Uuid{}) order.emplace_back(card.device, rank);
    }
    std::sort(order.begin(), order.end());
    const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
    const auto twice = std::adjacent_find(order.begin(), order.end(), same);
    *differ = twice == order.end();
    if (*differ) return Status();
    return goWithout(Status::error(RT_ERROR_NOT_SUPPORTED, "Ranks %d and %d have the same device, which NCCL does not take.",
                                   twice->second, (twice + 1)->second));
  }

  // For rank 0. Without a secret, or an address that other hosts reach, the ranks have no hub. That is no failure, as they work
  // alike.
  void placeHub(HubCard* card) {
    if (of_.size == 1 || !bootstrap::drawNonce(&card->secret).ok()) return;
    if (on_one_host_) {
      card->where = HubCard::Where::kHere;
      return;
    }
    bootstrap::Address bound;
    if (!bootstrap::listenAtOwn(&listening_, &bound)) return;
    card->where = HubCard::Where::kAddress;
    card->address = bound.storage;
    card->length = bound.length;
  }

  void readHub(const HubCard& card) {
    if (card.where == HubCard::Where::kNowhere || card.length > sizeof card.address) return;
    bootstrap::HubPlace& hub = hub_.emplace();
    hub.secret.assign(reinterpret_cast<const char*>(card.secret.bytes), sizeof card.secret.bytes);
    if (card.where == HubCard::Where::kAddress) hub.address = bootstrap::Address{card.address, card.length};
  }

  // Rank 0 makes the id, and tells where it cannot.
  Status shareId(nccl::NativeId* id) {
    struct Message {
      int64_t made;
      nccl::NativeId id;
      HubCard hub;
    } message = {};
    Status own;
    if (of_.rank == 0) {
      const nccl::Library* library = nullptr;
      own = nccl::open(&library);
      if (own.ok()) {
        const nccl::Result result = library->uniqueId(&message.id);
        if (result != nccl::kSuccess) own = nccl::failure(*library, "ncclGetUniqueId", result);
      }
      message.made = own.ok() ? 1 : 0;
      if (own.ok()) placeHub(&message.hub);
    }
    RT_TRY(called(of_.plugin.share(&message, sizeof message, 0, of_.comm)));
    // All ranks see it, so all take part in the next step, which has the sentence.
    if (message.made == 0) return tellAll(0, own);
    *id = message.id;
    readHub(message.hub);
    return Status();
  }

  // This rank's own part. It is over when NCCL has met all ranks, or when one has failed.
  Status start(const nccl::NativeId& id) {
    std::unique_ptr<nccl::Start> begun;
    RT_TRY(nccl::Start::begin(&begun, id, of_.rank, of_.size, place_));
    const Deadline deadline = Deadline::after(settings_.timeout_ns);
    for (bool done = false; !done;) {
      RT_TRY(begun->look(&done));
      if (done) break;
      RT_TRY(listen());
      // Without a sentence, as agree() takes that of the rank which failed first.
      if (told_) return Status::bare(RT_ERROR_LAUNCH_FAILED);  // the rank that failed has the sentence
      if (deadline.passed()) {
        return Status::error(RT_ERROR_TIMEOUT, "NCCL did not start %d ranks within %.3g s.", of_.size,
                             static_cast<double>(settings_.timeout_ns) * 1e-9);
      }
      (void)nanosleep(&kNap, nullptr);
    }
    // It waits half a minute for the ranks, which NCCL's start may take alone: so it begins here. A rank that comes earlier
    // waits at the socket.
    if (listening_.valid()) RT_TRY(bootstrap::beginHub(std::move(listening_), *hub_, of_.size));
    return nccl::createOne(&outcome_.made, std::move(begun), of_.rank, of_.size, place_, settings_, hub_);
  }

  // All ranks leave with their part, or with one failure.
  Status agree(const Status& own) {
    int64_t failed = own.ok() || told_ ? kNoRank : of_.rank;
    // Before the vote, in which ranks still in NCCL's start do not take part.
    if (!own.ok()) RT_TRY(spread(-1));
    PluginRequest* request = nullptr;
    RT_TRY(called(of_.plugin.vote(&request, &failed, 1, of_.comm)));
    for (int32_t done = 0; done == 0;) {
      uint64_t bytes = 0;
      RT_TRY(called(of_.plugin.test(&done, &bytes, request)));
      if (done != 0) break;
      RT_TRY(listen());
      (void)nanosleep(&kNap, nullptr);
    }
    if (failed == kNoRank) return Status();
    // This rank may have started: it ends with the others.
    outcome_.made.reset();
    return tellAll(static_cast<int32_t>(failed), own);
  }

  Status listen() {
    for (;;) {
      int32_t from = -1, tag = 0;
      char nothing = 0;
      RT_TRY(called(of_.plugin.take(&from, &tag, &nothing, sizeof nothing, of_.comm)));
      if (from < 0) return Status();
      if (tag == kGiveUp) RT_TRY(spread(from));
    }
  }

  // To the neighbours in the tree but the one that told this rank; once.
  Status spread(int32_t from) {
    if (told_) return Status();
    told_ = from >= 0;
    if (std::exchange(spread_, true)) return Status();
    // Messages may be under way that no rank takes any more.
    outcome_.quiet = false;
    const char nothing = 0;
    for (const int32_t to : neighboursOf(of_.rank, of_.size)) {
      if (to != from) RT_TRY(called(of_.plugin.post(to, kGiveUp, &nothing, sizeof nothing, of_.comm)));
    }
    return Status();
  }

  Outcome& outcome_;
  const Attached& of_;
  const Choice choice_;
  const Place& place_;
  const Settings& settings_;
  bool on_one_host_ = false;                // all ranks, in one name space of the network
  std::optional<bootstrap::HubPlace> hub_;  // none: no rank is named that is late
  Descriptor listening_;                    // of rank 0, where the hub has an address
  bool told_ = false;                       // another rank has failed
  bool spread_ = false;                     // the neighbours know
};

}  // namespace

Status chooseCarrier(Choice* choice) {
  const char* const word = config::get(config::Variable::kCommEngine);
  *choice = Choice::kAny;
  if (word == nullptr) return Status();
  const auto is = [&](const char* other) { return strcmp(word, other) == 0; };
  RT_CHECK_ARG(is("nccl") || is("mpi") || is("in_process") || is("shared_memory"),
               "RT_COMM_ENGINE=%s is no engine; in_process, nccl, shared_memory and mpi are.", word);
  *choice = is("nccl") ? Choice::kNccl : Choice::kMpi;
  return Status();
}

Status startNccl(Outcome* outcome, const Attached& attached, Choice choice, const Place& place, const Settings& settings) {
  return Starting(outcome, attached, choice, place, settings).run();
}

}  // namespace manyrt::comm::mpi
