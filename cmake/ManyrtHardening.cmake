# The flags of distributions for their libraries: stack protector, checked calls of libc, marks of control-flow protection.
# Every symbol is bound and the table of them read-only before the program runs. docs/lab/benchmarks.md has what it costs. Not
# in sanitized builds, whose checks know more, and checked calls only where the compiler optimises.
option(MANYRT_HARDEN "Build the library hardened" ON)
add_library(manyrt_hardening INTERFACE)
if(MANYRT_HARDEN AND NOT MANYRT_SANITIZE)
  include(CheckCXXCompilerFlag)
  check_cxx_compiler_flag(-fstack-protector-strong MANYRT_HAS_STACK_PROTECTOR)
  check_cxx_compiler_flag(-fcf-protection=full MANYRT_HAS_CF_PROTECTION)  # x86 alone
  check_cxx_compiler_flag(-mbranch-protection=standard MANYRT_HAS_BRANCH_PROTECTION)  # aarch64 alone
  target_compile_options(manyrt_hardening INTERFACE
    $<$<BOOL:${MANYRT_HAS_STACK_PROTECTOR}>:-fstack-protector-strong>
    $<$<BOOL:${MANYRT_HAS_CF_PROTECTION}>:-fcf-protection=full>
    $<$<BOOL:${MANYRT_HAS_BRANCH_PROTECTION}>:-mbranch-protection=standard>
    $<$<NOT:$<CONFIG:Debug>>:-U_FORTIFY_SOURCE>
    $<$<NOT:$<CONFIG:Debug>>:-D_FORTIFY_SOURCE=2>)
  target_link_options(manyrt_hardening INTERFACE -Wl,-z,relro -Wl,-z,now)
endif()
