// A split is two operations in a stream of its own: the all-gather, and NCCL's split. So both have their place in the order of
// the rank's operations, and the watch has their clock. A missing rank is named as with any other operation.
#include "comm/nccl/split.h"

#include <sys/stat.h>

#include <algorithm>

#include "comm/batch.h"
#include "comm/core_call.h"
#include "comm/guard.h"
#include "comm/nccl/processes.h"
#include "comm/nccl/rank.h"
#include "comm/shared_memory/segment.h"

namespace manyrt::comm::nccl {
namespace {

// The ranks of a color, in the order of their keys.
std::vector<int32_t> membersOf(const SplitCard* cards, int32_t size, int32_t color) {
  std::vector<std::pair<int32_t, int32_t>> order;
  for (int32_t rank = 0; rank < size; ++rank) {
    if (cards[rank].color == color) order.emplace_back(cards[rank].key, rank);
  }
  // By rank where keys are equal, as MPI has it.
  std::sort(order.begin(), order.end());
  std::vector<int32_t> members;
  for (const auto& [key, rank] : order) members.push_back(rank);
  return members;
}

// The hub of a part is on the host of its first rank. Ranks of other hosts have none.
std::optional<bootstrap::HubPlace> hubOfPart(const Splits& splits, uint64_t ticket, const SplitCard* cards,
                                             const std::vector<int32_t>& members) {
  const uint64_t host = numberOfHost();
  const auto here = [&](int32_t rank) { return host != 0 && cards[rank].host == host; };
  if (!splits.hub || !std::all_of(members.begin(), members.end(), here)) return std::nullopt;
  return bootstrap::placeOfPart(*splits.hub, ticket, cards[members.front()].color);
}

}  // namespace

uint64_t numberOfHost() {
  const shared_memory::Host host = shared_memory::thisHost();
  struct stat network = {};
  if (host[2] == 0 || stat("/proc/self/ns/net", &network) != 0) return 0;
  uint64_t hash = 0xcbf29ce484222325;
  for (const uint64_t part : host) hash = (hash ^ part) * 0x100000001b3;
  return ((hash ^ network.st_ino) * 0x100000001b3) | 1;
}

SplitCall::~SplitCall() {
  (void)rtFree(on_device);
  (void)rtFree(cards);
  (void)rtStreamDestroy(stream);
}

Status Rank::announceAmong(int32_t color, int32_t key, uint64_t* ticket) {
  const auto call = std::make_shared<SplitCall>(SplitCard{color, key, numberOfHost()});
  const uint64_t all = sizeof(SplitCard) * static_cast<uint64_t>(size()),
                 own = sizeof(SplitCard) * static_cast<uint64_t>(rank());
  void* pinned = nullptr;
  RT_TRY_CORE(rtStreamCreate(&call->stream, nullptr, place().context));
  RT_TRY_CORE(rtMalloc(&call->on_device, all, place().context));
  RT_TRY_CORE(rtMallocHost(&pinned, all, place().context));
  call->cards = static_cast<SplitCard*>(pinned);
  call->cards[rank()] = call->card;
  char* const mine = static_cast<char*>(call->on_device) + own;
  const Operation gather = {Kind::kAllGather, RT_COMM_U8, RT_COMM_SUM, 0, sizeof(SplitCard), call->on_device, mine};
  Operation split = {Kind::kSplit, RT_COMM_U8, RT_COMM_SUM, color, static_cast<uint64_t>(static_cast<int64_t>(key)),
                     call.get()};
  // Both operations under one lock, so that no other operation of this rank comes between them.
  const std::lock_guard order(turns.submitting);
  *ticket = announced_++;
  {
    const std::lock_guard lock(splits_->mutex);
    // Before the submissions: another rank of the process may look for it as soon as the all-gather has ended.
    splits_->calls.emplace(std::pair(*ticket, rank()), call);
  }
  const auto shared = shared_from_this();
  RT_TRY_CORE(rtMemcpyAsync(mine, &call->cards[rank()], sizeof(SplitCard), RT_MEMCPY_HOST_TO_DEVICE, call->stream));
  RT_TRY(submit(shared, {&gather, 1}, call->stream, 0));
  RT_TRY_CORE(rtMemcpyAsync(call->cards, call->on_device, all, RT_MEMCPY_DEVICE_TO_HOST, call->stream));
  return submit(shared, {&split, 1}, call->stream, 0);
}

// On a thread of the library, when all ranks have come to the split.
Status Rank::callSplit(const Operation& of, NativeComm* comm) {
  Config config;
  config.blocking = 1;
  // Parts end on their own: they share nothing with the parent.
  config.split_share = 0;
  auto& call = *static_cast<SplitCall*>(of.receive);
  return result("ncclCommSplit",
                library().split(comm, of.root, static_cast<int>(static_cast<int64_t>(of.count)), &call.made, &config));
}

// The clock is that of the operations; their failure is the communicator's.
Status Rank::awaitSplit(SplitCall& call) {
  for (;;) {
    const rtStatus_t code = rtStreamSynchronizeFor(1'000'000, call.stream);
    if (code == RT_SUCCESS) return Status();
    if (monitor().hasFailed()) return monitor().failure();
    if (code != RT_ERROR_TIMEOUT) return fromCore(code);
  }
}

// All ranks have announced their splits when the all-gather is over. So one thread, which may have several ranks, makes those
// of the process in a part, and the others find them.
Status Rank::takeAmong(uint64_t ticket, std::shared_ptr<Communicator>* made) {
  const Status status = withoutThrowing([&] { return takePart(ticket, made); });
  if (status.ok()) return status;
  fail(status);
  return monitor().failure();
}

Status Rank::takePart(uint64_t ticket, std::shared_ptr<Communicator>* made) {
  const auto find = [&](int32_t of) {
    const std::lock_guard lock(splits_->mutex);
    return splits_->calls.at({ticket, of});
  };
  const std::shared_ptr<SplitCall> call = find(rank());
  RT_TRY(awaitSplit(*call));
  std::vector<int32_t> members;
  if (call->card.color != RT_COMM_NO_COLOR) members = membersOf(call->cards, size(), call->card.color);
  std::vector<NativeComm*> comms;
  int32_t here = 0;
  for (const int32_t member : members) {
    const bool local = splits_->local[static_cast<size_t>(member)];
    const std::shared_ptr<SplitCall> its = local ? find(member) : nullptr;
    // Their operations were submitted by their own threads. Only the end is waited for.
    if (local) RT_TRY(awaitSplit(*its));
    comms.push_back(local ? its->made : nullptr);
    here += local ? 1 : 0;
  }
  const std::lock_guard lock(splits_->mutex);
  if (members.empty()) {
    splits_->calls.erase({ticket, rank()});
    return Status();
  }
  const std::pair<uint64_t, int32_t> key(ticket, call->card.color);
  SplitPart& part = splits_->parts[key];
  if (part.members.empty()) {
    std::vector<Place> places;
    for (const int32_t member : members) places.push_back(splits_->places[static_cast<size_t>(member)]);
    RT_TRY(makeAmong(&part.members, std::move(comms), places, settings(), hubOfPart(*splits_, ticket, call->cards, members)));
  }
  const auto own = std::find(members.begin(), members.end(), rank()) - members.begin();
  *made = std::move(part.members[static_cast<size_t>(own)]);
  if (++part.taken < here) return Status();
  // Colors were taken by all ranks here: the ticket is over for this part.
  splits_->parts.erase(key);
  for (const int32_t member : members) splits_->calls.erase({ticket, member});
  return Status();
}

}  // namespace manyrt::comm::nccl
