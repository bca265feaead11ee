// The main program of tests among processes of MPI, which runs with the threads that COMM_MPI_THREADS names, and without it
// with MPI_THREAD_MULTIPLE.
#include "comm/mpi/process.h"

int main(int argc, char** argv) {
  const char* const named = getenv("COMM_MPI_THREADS");
  const std::string threads = named != nullptr ? named : "multiple";
  const int asked = threads == "funneled"     ? MPI_THREAD_FUNNELED
                    : threads == "serialized" ? MPI_THREAD_SERIALIZED
                                              : MPI_THREAD_MULTIPLE;
  int level = MPI_THREAD_SINGLE;
  if (MPI_Init_thread(&argc, &argv, asked, &level) != MPI_SUCCESS || level != asked) return 1;
  testing::InitGoogleTest(&argc, argv);
  if (commtest::worldRank() != 0)
    delete testing::UnitTest::GetInstance()->listeners().Release(
        testing::UnitTest::GetInstance()->listeners().default_xml_generator());  // one process writes the results
  const int failed = RUN_ALL_TESTS();
  (void)MPI_Finalize();
  return failed;
}
