// The calls of the system for names and sockets, with its failures as sentences. Which addresses may be used without a token is
// decided here, since a name is known by its addresses alone.
#include "comm/bootstrap/address.h"

#include <arpa/inet.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace manyrt::comm::bootstrap {
namespace {

constexpr char kLoopback[] = "127.0.0.1";

Status lookUp(std::vector<Address>* addresses, const std::string& host, uint16_t port, const std::string& host_is) {
  addrinfo hints = {};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  // The port is a number: no look-up of services.
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int failure = getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &found);
  if (failure != 0) {
    return Status::error(RT_ERROR_NOT_FOUND, "The host of %s has no address: %s.", host_is.c_str(),
                         failure == EAI_SYSTEM ? strerror(errno) : gai_strerror(failure));
  }
  for (const addrinfo* entry = found; entry != nullptr; entry = entry->ai_next) {
    if (entry->ai_family != AF_INET && entry->ai_family != AF_INET6) continue;
    Address address;
    memcpy(&address.storage, entry->ai_addr, entry->ai_addrlen);
    address.length = entry->ai_addrlen;
    // In the system's order, which prefers what is likely to be reached.
    addresses->push_back(address);
  }
  freeaddrinfo(found);
  if (!addresses->empty()) return Status();
  return Status::error(RT_ERROR_NOT_FOUND, "The host of %s has no address of IPv4 or IPv6.", host_is.c_str());
}

int makeSocket(Descriptor* made, const Address& address) {
  *made = Descriptor(socket(address.family(), SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  return made->valid() ? 0 : errno;
}

uint16_t portOf(const sockaddr_storage& storage) {
  return ntohs(storage.ss_family == AF_INET6 ? reinterpret_cast<const sockaddr_in6&>(storage).sin6_port
                                             : reinterpret_cast<const sockaddr_in&>(storage).sin_port);
}

// Takes a port of the system's choice that is not the one to connect to. Else a socket that connects to a port of this host
// where nothing listens may get that port for itself. It then connects to itself, and keeps rank 0 from listening there.
int takeOtherPort(int socket, const Address& address) {
  sockaddr_storage own = {};
  own.ss_family = static_cast<sa_family_t>(address.family());  // all else zeros: any address and port
  socklen_t length = address.length;
  if (bind(socket, reinterpret_cast<const sockaddr*>(&own), length) != 0) return errno;
  if (getsockname(socket, reinterpret_cast<sockaddr*>(&own), &length) != 0) return errno;
  return portOf(own) == portOf(address.storage) ? EADDRINUSE : 0;
}

// -1: the address is none of this host, or of a family that it does not have; else an errno or 0.
int listenOn(Descriptor* listening, const Address& address) {
  if (const int failure = makeSocket(listening, address)) return failure == EAFNOSUPPORT ? -1 : failure;
  const int on = 1;
  // Connections of a rendezvous that is over may still be in TIME_WAIT. A second listener is refused all the same.
  (void)setsockopt(listening->get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (address.family() == AF_INET6) (void)setsockopt(listening->get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  const bool bound = bind(listening->get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) == 0;
  // All ranks of a job may connect in the same moment.
  if (bound && listen(listening->get(), SOMAXCONN) == 0) return 0;
  return errno == EADDRNOTAVAIL ? -1 : errno;
}

}  // namespace

bool Address::isLoopback() const {
  if (family() == AF_INET6) {
    const in6_addr& address = reinterpret_cast<const sockaddr_in6&>(storage).sin6_addr;
    // The last four bytes are the address of IPv4.
    if (IN6_IS_ADDR_V4MAPPED(&address)) return address.s6_addr[12] == 127;
    return IN6_IS_ADDR_LOOPBACK(&address);
  }
  return ntohl(reinterpret_cast<const sockaddr_in&>(storage).sin_addr.s_addr) >> 24 == 127;
}

std::string Address::text() const {
  char host[NI_MAXHOST] = "?", port[NI_MAXSERV] = "?";
  (void)getnameinfo(reinterpret_cast<const sockaddr*>(&storage), length, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
  return family() == AF_INET6 ? std::string("[") + host + "]:" + port : std::string(host) + ":" + port;
}

Status resolve(std::vector<Address>* addresses, const Launch& launch) {
  const auto loopback = [](const Address& address) { return address.isLoopback(); };
  Status found = lookUp(addresses, launch.host, launch.port, launch.host_is);
  // With a token any address will do: a stranger that connects proves nothing.
  if (!launch.token.empty()) return found;
  if (found.ok() && std::all_of(addresses->begin(), addresses->end(), loopback)) return found;
  if (launch.on_one_host) {  // whatever name the host has: its ranks need no network
    addresses->clear();
    return lookUp(addresses, kLoopback, launch.port, kLoopback);
  }
  RT_TRY(found);
  return Status::error(RT_ERROR_INVALID_VALUE,
                       "RT_COMM_TOKEN is not set, and other machines reach the address of %s, %s: it has to be the same secret "
                       "on all ranks, or any program there could come as one.",
                       launch.host_is.c_str(), addresses->front().text().c_str());
}

std::vector<Address> ownAddresses() {
  std::vector<Address> addresses;
  ifaddrs* found = nullptr;
  if (getifaddrs(&found) != 0) return addresses;
  for (const ifaddrs* entry = found; entry != nullptr; entry = entry->ifa_next) {
    if (entry->ifa_addr == nullptr || (entry->ifa_flags & IFF_UP) == 0 || (entry->ifa_flags & IFF_RUNNING) == 0) continue;
    const std::string name = entry->ifa_name;
    const auto begins = [&](const char* with) { return name.rfind(with, 0) == 0; };
    // Bridges of containers and virtual machines: other hosts cannot reach them.
    if (begins("docker") || begins("br-") || begins("virbr") || begins("veth") || begins("cni")) continue;
    Address address;
    if (entry->ifa_addr->sa_family == AF_INET) {
      address.length = sizeof(sockaddr_in);
    } else if (entry->ifa_addr->sa_family == AF_INET6) {
      const in6_addr& of = reinterpret_cast<const sockaddr_in6*>(entry->ifa_addr)->sin6_addr;
      if (IN6_IS_ADDR_LINKLOCAL(&of)) continue;
      address.length = sizeof(sockaddr_in6);
    } else {
      continue;
    }
    memcpy(&address.storage, entry->ifa_addr, address.length);
    // An address that a host gives itself where no network has given it one.
    const bool link = address.family() == AF_INET &&
                      ntohl(reinterpret_cast<const sockaddr_in&>(address.storage).sin_addr.s_addr) >> 16 == 0xA9FE;
    if (!address.isLoopback() && !link) addresses.push_back(address);
  }
  freeifaddrs(found);
  // IPv4 first: more networks carry it between all their hosts.
  std::stable_partition(addresses.begin(), addresses.end(), [](const Address& of) { return of.family() == AF_INET; });
  return addresses;
}

bool listenAtOwn(Descriptor* listening, Address* bound) {
  for (const Address& address : ownAddresses()) {
    if (listenOn(listening, address) != 0) continue;
    *bound = address;
    bound->length = sizeof bound->storage;
    if (getsockname(listening->get(), reinterpret_cast<sockaddr*>(&bound->storage), &bound->length) == 0) return true;
  }
  *listening = Descriptor();
  return false;
}

Status listenAt(Descriptor* listening, Address* bound, const std::vector<Address>& addresses, const Launch& launch) {
  for (const Address& address : addresses) {
    const int failure = listenOn(listening, address);
    // A name may have addresses of other hosts, or of a family that this host lacks.
    if (failure < 0) continue;
    *bound = address;
    if (failure == 0) return Status();
    // One more try is enough: the passed-over socket still has the port that must not be taken.
    if (failure == EADDRINUSE) {
      return Status::error(RT_ERROR_BUSY,
                           "Rank 0 cannot listen at %s: the port is taken. RT_COMM_PORT names another one, for all ranks.",
                           address.text().c_str());
    }
    return Status::error(RT_ERROR_IO, "Rank 0 cannot listen at %s: %s.", address.text().c_str(), strerror(failure));
  }
  return Status::error(RT_ERROR_INVALID_VALUE, "The address of %s, %s, is none of this host, on which rank 0 is.",
                       launch.host_is.c_str(), addresses.front().text().c_str());
}

Status beginConnect(Descriptor* out, const Address& address) {
  Descriptor made, passed_over;  // kept meanwhile, so that the next one gets another port
  int failure = makeSocket(&made, address);
  if (failure == 0) failure = takeOtherPort(made.get(), address);
  if (failure == EADDRINUSE) {
    std::swap(made, passed_over);
    failure = makeSocket(&made, address);
    if (failure == 0) failure = takeOtherPort(made.get(), address);
  }
  if (failure == 0 && connect(made.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.length) != 0 &&
      errno != EINPROGRESS) {
    failure = errno;
  }
  if (failure != 0) return Status::error(RT_ERROR_IO, "%s", strerror(failure));
  const int on = 1;
  // Messages are short, and each waits for an answer.
  (void)setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  *out = std::move(made);
  return Status();
}

int connectError(int socket) {
  int failure = 0;
  socklen_t length = sizeof failure;
  return getsockopt(socket, SOL_SOCKET, SO_ERROR, &failure, &length) == 0 ? failure : errno;
}

}  // namespace manyrt::comm::bootstrap
