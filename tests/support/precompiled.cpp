// Holds the headers that the sanitizer builds of the tests compile once (tests/CMakeLists.txt).
int main() { return 0; }
