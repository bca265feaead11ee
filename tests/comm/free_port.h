// A port of this machine for a test in which ranks meet. It was free a moment ago, and the system gives the next one that asks
// another.
#pragma once

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdint>

namespace commtest {

inline uint16_t freePort() {
  const int made = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  EXPECT_EQ(bind(made, reinterpret_cast<const sockaddr*>(&address), length), 0);
  EXPECT_EQ(getsockname(made, reinterpret_cast<sockaddr*>(&address), &length), 0);
  (void)close(made);
  return ntohs(address.sin_port);
}

}  // namespace commtest
