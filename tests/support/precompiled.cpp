// Holds the headers that builds of the tests compile once (MANYRT_COMPILE_TESTS_FAST in tests/CMakeLists.txt).
int main() { return 0; }
