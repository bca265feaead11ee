// Ids are told apart by a random token of the process, not by its number. Numbers of processes come again, and are the same in
// two containers or on two machines. The token is drawn at the first id, after the library was started. So a child of fork
// either has no token yet and draws its own, or is refused every call: no two processes have one token.
#include "comm/unique_id.h"

#include <netinet/in.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "base/os/random.h"
#include "comm/nccl/processes.h"
#include "comm/shared_memory/segment.h"

namespace manyrt::comm {
namespace {

constexpr uint64_t kMark = 0x6d616e7972746964;  // "manyrtid"

struct Token {
  uint8_t bytes[16] = {};
  Status status;

  Token() {
    if (randomBytes(bytes, sizeof bytes)) return;
    status = Status::error(RT_ERROR_IO, "The system has no random bytes for an id: %s.", strerror(errno));
  }
};

const Token& token() {
  static const Token* const made = new Token;  // never destroyed, as handles are not
  return *made;
}

// FNV-1a: finds an id that was cut or mixed up on its way, not one that was forged.
uint64_t checkOf(const UniqueId& id) {
  uint64_t hash = 0xcbf29ce484222325;
  const auto* const bytes = reinterpret_cast<const unsigned char*>(&id);
  for (size_t i = 0; i < offsetof(UniqueId, check); ++i) hash = (hash ^ bytes[i]) * 0x100000001b3;
  return hash;
}

}  // namespace

Status tokenOfProcess(const uint8_t** out) {
  RT_TRY(token().status);
  *out = token().bytes;
  return Status();
}

Status makeUniqueId(rtCommUniqueId_t* out) {
  static std::atomic<uint64_t> numbers{0};
  RT_TRY(token().status);
  UniqueId id = {};
  id.mark = kMark;
  memcpy(id.process, token().bytes, sizeof id.process);
  id.number = numbers.fetch_add(1, std::memory_order_relaxed) + 1;
  // Made here, where the id is: NCCL's id has the address of a thread that runs in this process.
  id.has_nccl = nccl::makeId(&id.nccl) ? 1 : 0;
  const shared_memory::Host host = shared_memory::thisHost();
  std::copy(host.begin(), host.end(), id.host);
  id.check = checkOf(id);
  memcpy(out->bytes, &id, sizeof id);
  return Status();
}

Status setHub(rtCommUniqueId_t* bytes, const bootstrap::Address& address) {
  UniqueId id;
  bool made_here = false;
  RT_TRY(readUniqueId(&id, &made_here, *bytes));
  id.hub_family = static_cast<uint16_t>(address.family());
  if (address.family() == AF_INET6) {
    const auto& of = reinterpret_cast<const sockaddr_in6&>(address.storage);
    id.hub_port = of.sin6_port;
    id.hub_scope = of.sin6_scope_id;
    memcpy(id.hub_address, &of.sin6_addr, sizeof of.sin6_addr);
  } else {
    const auto& of = reinterpret_cast<const sockaddr_in&>(address.storage);
    id.hub_port = of.sin_port;
    memcpy(id.hub_address, &of.sin_addr, sizeof of.sin_addr);
  }
  // Again, since the address is part of what it covers.
  id.check = checkOf(id);
  memcpy(bytes->bytes, &id, sizeof id);
  return Status();
}

bootstrap::HubPlace hubOf(const UniqueId& id, const std::string& token) {
  bootstrap::HubPlace place;
  // Without what may differ between copies of the id: the address is put in later. The id is no secret on the network: the
  // token of the launch makes the session one.
  place.secret = token;
  place.secret.append(reinterpret_cast<const char*>(&id), offsetof(UniqueId, hub_family));
  if (id.hub_family == 0) return place;
  bootstrap::Address& address = place.address.emplace();
  address.storage.ss_family = id.hub_family;
  if (id.hub_family == AF_INET6) {
    auto& of = reinterpret_cast<sockaddr_in6&>(address.storage);
    of.sin6_port = id.hub_port;
    of.sin6_scope_id = id.hub_scope;
    memcpy(&of.sin6_addr, id.hub_address, sizeof of.sin6_addr);
    address.length = sizeof of;
  } else {
    auto& of = reinterpret_cast<sockaddr_in&>(address.storage);
    of.sin_port = id.hub_port;
    memcpy(&of.sin_addr, id.hub_address, sizeof of.sin_addr);
    address.length = sizeof of;
  }
  return place;
}

Status readUniqueId(UniqueId* id, bool* made_here, const rtCommUniqueId_t& given) {
  const auto zero = [](uint8_t byte) { return byte == 0; };
  RT_CHECK_ARG(!std::all_of(std::begin(given.bytes), std::end(given.bytes), zero),
               "The id is all zeros; rtCommGetUniqueId makes one.");
  memcpy(id, given.bytes, sizeof *id);
  RT_CHECK_ARG(id->mark == kMark && id->check == checkOf(*id) &&
                   std::all_of(std::begin(given.bytes) + sizeof *id, std::end(given.bytes), zero),
               "The id is none that rtCommGetUniqueId made, or lost bytes on its way.");
  RT_TRY(token().status);
  *made_here = memcmp(id->process, token().bytes, sizeof id->process) == 0;
  return Status();
}

}  // namespace manyrt::comm
