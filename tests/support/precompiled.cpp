// Holds the headers that builds of the tests compile once (MANYRT_PRECOMPILE_TESTS in tests/CMakeLists.txt).
int main() { return 0; }
