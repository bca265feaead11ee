/* SPDX-License-Identifier: Apache-2.0
 *
 * all_reduce: every device of the machine is a rank of one communicator, at least two ranks in all. Each has numbers of its
 * own, and all get the averages, on their streams and without a word about how the numbers travel. */
#include "common_comm.h"

enum { kCount = 100000, kRanks = 8 };

int main(void) {
  static float host[kCount];
  rtContext_t contexts[kRanks];
  rtStream_t streams[kRanks];
  rtComm_t comms[kRanks];
  void* data[kRanks];
  int32_t devices = 0;
  CHECK(rtDeviceGetCount(&devices, RT_BACKEND_ALL));
  const int ranks = devices < 2 ? 2 : devices > kRanks ? kRanks : devices;

  for (int rank = 0; rank < ranks; ++rank) {
    rtDevice_t device = NULL;
    rtDeviceProperties_t properties = RT_DEVICE_PROPERTIES_INIT;
    CHECK(rtDeviceGet(&device, RT_BACKEND_ALL, rank % devices));
    CHECK(rtDeviceGetProperties(&properties, device));
    printf("rank %d: %s\n", rank, properties.name);
    CHECK(rtContextCreate(&contexts[rank], NULL, device));
    CHECK(rtStreamCreate(&streams[rank], NULL, contexts[rank]));
    CHECK(rtMalloc(&data[rank], sizeof host, contexts[rank]));
    for (int i = 0; i < kCount; ++i) host[i] = (float)(i + rank * ranks);
    CHECK(rtMemcpy(data[rank], host, sizeof host, RT_MEMCPY_HOST_TO_DEVICE));
  }

  /* One thread submits for all ranks: no call waits, each stream does when it comes there. */
  CHECK_COMM(rtCommCreateAll(comms, NULL, contexts, (uint32_t)ranks));
  for (int rank = 0; rank < ranks; ++rank) {
    CHECK_COMM(rtCommAllReduce(data[rank], data[rank], kCount, RT_COMM_F32, RT_COMM_AVERAGE, streams[rank], comms[rank]));
  }

  for (int rank = 0; rank < ranks; ++rank) {
    synchronizeRank(streams[rank], comms[rank]);
    CHECK(rtMemcpy(host, data[rank], sizeof host, RT_MEMCPY_DEVICE_TO_HOST));
    for (int i = 0; i < kCount; ++i) EXPECT(host[i] == (float)i + (float)(ranks * (ranks - 1)) / 2);
    CHECK_COMM(rtCommDestroy(comms[rank]));
    CHECK(rtFree(data[rank]));
    CHECK(rtStreamDestroy(streams[rank]));
    CHECK(rtContextDestroy(contexts[rank]));
  }
  printf("%d averages on each of %d ranks\n", kCount, ranks);
  return EXIT_SUCCESS;
}
