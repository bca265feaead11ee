// Each launcher's environment is read, and each variable that is missing or wrong is one sentence, which names it.
#include "comm/bootstrap/launch.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

namespace manyrt::comm::bootstrap {
namespace {

std::map<std::string, std::string> variables;

const char* lookUp(const char* name) {
  const auto entry = variables.find(name);
  return entry == variables.end() ? nullptr : entry->second.c_str();
}

Launch good(std::map<std::string, std::string> of) {
  variables = std::move(of);
  Launch launch;
  const Status status = readLaunch(&launch, lookUp);
  EXPECT_TRUE(status.ok()) << status.message();
  return launch;
}

void refuse(std::map<std::string, std::string> of, const std::string& sentence) {
  variables = std::move(of);
  Launch launch;
  const Status status = readLaunch(&launch, lookUp);
  EXPECT_EQ(status.code(), RT_ERROR_INVALID_VALUE);
  EXPECT_EQ(status.message(), sentence);
}

std::map<std::string, std::string> torchrun() {
  return {{"RANK", "2"},
          {"WORLD_SIZE", "4"},
          {"LOCAL_RANK", "0"},
          {"LOCAL_WORLD_SIZE", "2"},
          {"MASTER_ADDR", "n0"},
          {"MASTER_PORT", "29500"},
          {"TORCHELASTIC_RUN_ID", "run7"}};
}

std::map<std::string, std::string> with(const char* name, const char* value) {
  auto of = torchrun();
  of.erase(name);
  if (value != nullptr) of[name] = value;
  return of;
}

TEST(LaunchTest, OfTorchrun) {
  const Launch launch = good(torchrun());
  EXPECT_EQ(launch.rank, 2);
  EXPECT_EQ(launch.size, 4);
  EXPECT_EQ(launch.host, "n0");
  EXPECT_EQ(launch.port, 29501) << "its agent may listen at MASTER_PORT";
  EXPECT_EQ(launch.job, "run7");
  EXPECT_EQ(launch.token, "");
  EXPECT_FALSE(launch.on_one_host);
  EXPECT_TRUE(good(with("LOCAL_WORLD_SIZE", "4")).on_one_host);
}

TEST(LaunchTest, OfSlurmByItsStep) {
  const Launch launch = good({{"SLURM_PROCID", "3"},
                              {"SLURM_NTASKS", "8"},
                              {"SLURM_STEP_NUM_TASKS", "4"},
                              {"SLURM_STEP_NUM_NODES", "2"},
                              {"SLURM_STEP_NODELIST", "gpu[08-09,12]"},
                              {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1"},
                              {"SLURM_JOB_ID", "77"},
                              {"SLURM_STEP_ID", "1"},
                              {"RT_COMM_PORT", "7000"},
                              {"RT_COMM_TOKEN", "word"}});
  EXPECT_EQ(launch.rank, 3);
  EXPECT_EQ(launch.size, 4) << "the step's, not the job's";
  EXPECT_EQ(launch.host, "gpu08");
  EXPECT_EQ(launch.port, 7000);
  EXPECT_EQ(launch.job, "77.1");
  EXPECT_EQ(launch.token, "word");
  EXPECT_FALSE(launch.on_one_host);
  const Launch job = good({{"SLURM_PROCID", "1"},
                           {"SLURM_NTASKS", "2"},
                           {"SLURM_STEP_NUM_NODES", "1"},
                           {"SLURM_LAUNCH_NODE_IPADDR", "10.0.0.1"},
                           {"MASTER_PORT", "7000"}});
  EXPECT_EQ(job.size, 2);
  EXPECT_EQ(job.host, "10.0.0.1");
  EXPECT_TRUE(job.on_one_host);
}

TEST(LaunchTest, OfMpiBeforeTheBatchSystemAroundIt) {
  std::map<std::string, std::string> of = {{"SLURM_PROCID", "0"},         {"SLURM_NTASKS", "2"},
                                           {"OMPI_COMM_WORLD_RANK", "1"}, {"OMPI_COMM_WORLD_SIZE", "2"},
                                           {"MASTER_PORT", "7000"},       {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  const Launch launch = good(of);
  EXPECT_EQ(launch.rank, 1);
  EXPECT_EQ(launch.host, "127.0.0.1") << "all ranks are on one host";
  of = {{"PMI_RANK", "1"}, {"PMI_SIZE", "3"}, {"MASTER_ADDR", "::1"}, {"RT_COMM_PORT", "1"}};
  EXPECT_EQ(good(of).size, 3);
  of = {{"PMIX_RANK", "1"}, {"WORLD_SIZE", "3"}, {"MASTER_ADDR", "::1"}, {"RT_COMM_PORT", "1"}, {"PMIX_NAMESPACE", "n"}};
  EXPECT_EQ(good(of).rank, 1);
  EXPECT_EQ(good(of).job, "n");
}

TEST(LaunchTest, OneRankNeedsNoAddress) {
  const Launch launch = good({{"RANK", "0"}, {"WORLD_SIZE", "1"}});
  EXPECT_EQ(launch.size, 1);
  EXPECT_EQ(launch.port, 0);
}

TEST(LaunchTest, VariablesThatAreMissingAreNamed) {
  refuse({},
         "The environment has no RANK and WORLD_SIZE, nor those of Open MPI, PMI or Slurm: it was started by no launcher, or "
         "they have to be set.");
  refuse(with("RANK", nullptr), "The environment has WORLD_SIZE=4 and no RANK: a launcher sets both.");
  refuse(with("WORLD_SIZE", nullptr), "The environment has RANK=2 and no WORLD_SIZE: a launcher sets both.");
  refuse(with("MASTER_ADDR", nullptr), "MASTER_ADDR is not set: it names the host of rank 0, where 4 ranks meet.");
  refuse(with("MASTER_PORT", nullptr),
         "Neither RT_COMM_PORT nor MASTER_PORT is set: the ranks meet at this port, or the one after that.");
}

TEST(LaunchTest, NumbersThatAreNoneOrOutsideTheirRangeAreRefused) {
  for (const char* bad : {"two", "2x", " 2", "0x2", "2.0"}) {
    refuse(with("RANK", bad), std::string("RANK=") + bad + " is not a number.");
  }
  refuse(with("RANK", "-1"), "RANK=-1 is not from 0 to 2147483647.");
  refuse(with("RANK", "99999999999999999999"), "RANK=99999999999999999999 is not from 0 to 2147483647.");
  refuse(with("RANK", "4"), "RANK=4 is too large: with WORLD_SIZE=4 ranks go from 0 to 3.");
  refuse(with("WORLD_SIZE", "0"), "WORLD_SIZE=0 is not from 1 to 65536.");
  refuse(with("WORLD_SIZE", "65537"), "WORLD_SIZE=65537 is not from 1 to 65536.");
  refuse(with("WORLD_SIZE", "many"), "WORLD_SIZE=many is not a number.");
  refuse(with("RT_COMM_PORT", "65536"), "RT_COMM_PORT=65536 is not from 1 to 65535.");
  refuse(with("RT_COMM_PORT", "0"), "RT_COMM_PORT=0 is not from 1 to 65535.");
  refuse(with("MASTER_PORT", "http"), "MASTER_PORT=http is not a number.");
  refuse(with("MASTER_PORT", "65535"),
         "MASTER_PORT=65535 has no port after it, at which the ranks meet; RT_COMM_PORT names another one.");
}

TEST(LaunchTest, TheFirstHostOfASlurmList) {
  EXPECT_EQ(firstHost("node7"), "node7");
  EXPECT_EQ(firstHost("node7,node9"), "node7");
  EXPECT_EQ(firstHost("node[007-009,12],login1"), "node007");
  EXPECT_EQ(firstHost("login1,node[07-09]"), "login1");
  EXPECT_EQ(firstHost("node[5]"), "node5");
  EXPECT_EQ(firstHost("rack[1-2]node[03,07]-ib,x"), "rack1node03-ib");
  EXPECT_EQ(firstHost("node[5"), "node[5") << "no list: the look-up of the name tells";
  EXPECT_EQ(firstHost(""), "");
}

TEST(LaunchTest, AnEmptyVariableCountsAsNotSet) {
  ASSERT_EQ(setenv("RT_COMM_TEST_EMPTY", "", 1), 0);
  EXPECT_EQ(fromEnvironment("RT_COMM_TEST_EMPTY"), nullptr);
  ASSERT_EQ(setenv("RT_COMM_TEST_EMPTY", "x", 1), 0);
  EXPECT_STREQ(fromEnvironment("RT_COMM_TEST_EMPTY"), "x");
}

}  // namespace
}  // namespace manyrt::comm::bootstrap
