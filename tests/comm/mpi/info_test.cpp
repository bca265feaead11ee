// The facts about a communicator of MPI, on each device.
#include "comm/mpi/process.h"

namespace commtest {
namespace {

class MpiInfoTest : public testing::TestWithParam<std::string> {};

TEST_P(MpiInfoTest, TellsMpiAndHowItsMemoryGoes) {
  Process process;
  ASSERT_NO_FATAL_FAILURE(process.make(GetParam()));
  const rtCommInfo_t info = infoOf(process.comm);
  rtDevice_t device = nullptr;
  int32_t backend = RT_BACKEND_INVALID;
  ASSERT_RT_OK(rtContextGetDevice(&device, process.context));
  ASSERT_RT_OK(rtDeviceGetBackend(&backend, nullptr, device));
  const bool staged = backend != RT_BACKEND_CPU;
  char said[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  ASSERT_EQ(MPI_Get_library_version(said, &length), MPI_SUCCESS);
  EXPECT_EQ(info.engine, RT_COMM_ENGINE_MPI);
  EXPECT_EQ(info.transport, staged ? RT_COMM_TRANSPORT_MPI_STAGED : RT_COMM_TRANSPORT_MPI);
  EXPECT_STREQ(info.engine_name, "mpi");
  EXPECT_STREQ(info.transport_name, staged ? "mpi_staged" : "mpi");
  EXPECT_EQ(info.rank, process.rank);
  EXPECT_EQ(info.size, process.size);
  EXPECT_EQ(info.local_size, 1);
  EXPECT_FALSE(std::string(info.engine_version).empty());
  EXPECT_EQ(std::string(said).rfind(info.engine_version, 0), 0u) << said << " and " << info.engine_version;
  EXPECT_STREQ(info.reason, "");
}

INSTANTIATE_TEST_SUITE_P(Comm, MpiInfoTest, testing::ValuesIn(layouts()),
                         [](const auto& given) { return layoutName(given.param); });

}  // namespace
}  // namespace commtest
