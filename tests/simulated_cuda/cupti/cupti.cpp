// The file libcupti.so.12 of the tests: it has no function of its own, and leads to those of activity.cpp.
namespace manyrt::simulated {
[[maybe_unused]] static const int kNothing = 0;
}
