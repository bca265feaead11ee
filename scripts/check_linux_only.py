#!/usr/bin/env python3
"""Checks that what Linux alone has stands in src/base/os, where a port to another system would write it anew.

Searched are headers and calls that no other system has. A few files outside are listed below with what they may use and why: a
port would write these too. A file that uses more than its line says is a fault, and so is a line that nothing uses.
"""
import pathlib
import re
import sys

ROOM = "base/os/"
TEXTS = "compiler/builtins/library/"  # of kernels

HEADERS = re.compile(r"#\s*include\s+<((?:linux|asm)/[^>]+|sys/(?:syscall|prctl|eventfd|epoll|inotify|signalfd|timerfd|auxv|"
                     r"random|uio|sysinfo|statfs|vfs|xattr)\.h|elf\.h|link\.h)>")
WORDS = re.compile(r"\b(syscall|prctl|eventfd(?:_read|_write)?|epoll_\w+|inotify_\w+|signalfd|timerfd_\w+|memfd_create|"
                   r"getrandom|sched_[gs]etaffinity|pthread_[gs]etaffinity_np|pipe2|accept4|process_vm_\w+|mremap|"
                   r"close_range|pidfd_\w+|membarrier|getauxval|secure_getenv|gettid|tgkill|execveat|fallocate)(?=\()|"
                   r"\b(MAP_FIXED_NOREPLACE|MAP_NORESERVE|MAP_POPULATE|MADV_\w*HUGEPAGE|SOCK_CLOEXEC|SOCK_NONBLOCK|"
                   r"O_PATH|O_TMPFILE)\b|"
                   r'(?<=")(/proc|/sys)(?=/|")')

# file: what of Linux it uses, and why it is no function of base/os
ELSEWHERE = {
    "backends/cpu/fiber_stack.cpp": ("MADV_NOHUGEPAGE MAP_NORESERVE", "stacks of fibers: hints about their pages"),
    "backends/cpu/memory.cpp": ("MADV_HUGEPAGE MADV_NOHUGEPAGE MAP_NORESERVE", "reserved addresses, huge pages"),
    "backends/cpu/topology.cpp": ("/proc /sys", "reads what the system tells of processors and control groups, file by file"),
    "backends/cuda/image_target.cpp": ("elf.h", "cubins are ELF files on every system"),
    "backends/opencl/memory/address_window.cpp": ("MAP_NORESERVE", "addresses without memory, which stand for buffers"),
    "backends/reserved_addresses.cpp": ("MAP_NORESERVE", "addresses without memory, for ranges"),
    "base/config.cpp": ("sys/auxv.h getauxval", "set-user-id programs read no variable"),
    "base/environment.cpp": ("secure_getenv", "likewise"),
    "base/trace/nvtx.cpp": ("secure_getenv", "likewise"),
    "comm/bootstrap/address.cpp": ("SOCK_CLOEXEC SOCK_NONBLOCK", "sockets of ranks"),
    "comm/bootstrap/host.cpp": ("SOCK_CLOEXEC SOCK_NONBLOCK accept4 epoll_create1 epoll_ctl epoll_wait sys/epoll.h",
                                "waits for hundreds of ranks at once"),
    "comm/bootstrap/hub.cpp": ("SOCK_CLOEXEC SOCK_NONBLOCK accept4", "sockets of ranks"),
    "comm/bootstrap/launch.cpp": ("secure_getenv", "the variables of launchers"),
    "comm/nccl/split.cpp": ("/proc", "the network namespace tells hosts apart"),
    "comm/shared_memory/direct.cpp": ("process_vm_readv sys/uio.h", "an engine of Linux: reads another rank's memory"),
    "comm/shared_memory/segment.cpp": ("/proc", "the same engine: names hold the start of the system"),
    "compiler/cache/cache.cpp": ("secure_getenv", "set-user-id programs read no variable"),
    "compiler/toolchain/compiler.cpp": ("secure_getenv", "likewise"),
    "compiler/toolchain/cpu_identity.cpp": ("getauxval sys/auxv.h", "on aarch64 the system tells of the processor"),
    "compiler/toolchain/cpu_target.cpp": ("getauxval sys/auxv.h", "likewise"),
    "compiler/toolchain/elf.cpp": ("elf.h", "the format of compiled kernels"),
    "compiler/toolchain/elf.h": ("elf.h", "the format of compiled kernels"),
    "compiler/toolchain/file.cpp": ("secure_getenv", "set-user-id programs read no variable"),
    "compiler/toolchain/line_table.cpp": ("elf.h", "the format of compiled kernels"),
    "compiler/toolchain/nvrtc.cpp": ("secure_getenv", "set-user-id programs read no variable"),
    "compiler/toolchain/object.cpp": ("/proc link.h memfd_create", "loads a kernel from memory by a file without a name"),
    "compiler/toolchain/process.cpp": ("pipe2 sys/prctl.h sys/syscall.h syscall", "starts compilers, ends what they start"),
}


def used(text):
    code = re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)
    return {match[1] for match in HEADERS.finditer(code)} | {match[0] for match in WORDS.finditer(code)}


def check(root):
    problems, seen = [], set()
    for path in sorted([*root.rglob("*.h"), *root.rglob("*.cpp")]):
        file = path.relative_to(root).as_posix()
        if file.startswith((ROOM, TEXTS)):
            continue
        words = used(path.read_text(encoding="utf-8"))
        allowed = set(ELSEWHERE.get(file, ("", ""))[0].split())
        seen |= {file} if words else set()
        problems += [f"{file}: uses {word}, which Linux alone has: it belongs to src/{ROOM}"
                     for word in sorted(words - allowed)]
        problems += [f"{file}: its line in scripts/check_linux_only.py has {word}, which it does not use"
                     for word in sorted(allowed - words)]
    problems += [f"{file}: has a line in scripts/check_linux_only.py and uses nothing of it"
                 for file in sorted(set(ELSEWHERE) - seen)]
    return problems


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).resolve().parent.parent) / "src"
    problems = check(root)
    for problem in problems:
        print(problem)
    print(f"{len(ELSEWHERE)} files outside of src/{ROOM} use what Linux alone has, {len(problems)} faults")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
