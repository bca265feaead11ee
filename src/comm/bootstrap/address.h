// Addresses of TCP, of both IPv4 and IPv6, and the sockets on them. None of these calls waits for a network, but for the
// look-up of a name. Sockets do not block, and are not handed to a program that this one starts.
#pragma once

#include <sys/socket.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/os/descriptor.h"
#include "base/status.h"
#include "comm/bootstrap/launch.h"

namespace manyrt::comm::bootstrap {

struct Address {
  sockaddr_storage storage = {};
  socklen_t length = 0;

  int family() const { return storage.ss_family; }
  bool isLoopback() const;   // of this machine alone
  std::string text() const;  // "127.0.0.1:29501", "[::1]:29501"
};

// The addresses of the host's name, in the system's order. Without a token only those that no other machine reaches: any
// program that came as a rank would be one.
Status resolve(std::vector<Address>* addresses, const Launch& launch);

// By which other hosts may reach this one: of the interfaces that are up, IPv4 first. None of a link alone, nor of the networks
// of containers on this host.
std::vector<Address> ownAddresses();

// Listens at the first of the addresses that it can, and at no other. The system chooses a port where an address has none.
bool listenAtOwn(Descriptor* socket, Address* bound);

// Listens at the first address that is one of this host, and at no other.
Status listenAt(Descriptor* socket, Address* bound, const std::vector<Address>& addresses, const Launch& launch);

// Begins to connect. Its end is told by poll(), as the socket's being writable, and by connectError().
Status beginConnect(Descriptor* socket, const Address& address);
int connectError(int socket);  // an errno, or 0

}  // namespace manyrt::comm::bootstrap
