# frozen_string_literal: true

# Homebrew on Linux. A formula needs an address of sources: `HOMEBREW_MANYRT_SOURCE` is a git repository, such as file:///path/of/tree.
# `brew install --HEAD ./packaging/homebrew/manyrt.rb`
class Manyrt < Formula
  desc "One runtime for devices, streams, events and memory behind a C header"
  license "Apache-2.0"
  head ENV.fetch("HOMEBREW_MANYRT_SOURCE", "file://#{File.expand_path("../..", __dir__)}"), using: :git

  depends_on "boost" => :build
  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "opencl-headers" => :build
  depends_on "pkgconf" => :build
  depends_on "gcc" # kernels for the CPU are compiled while a program runs
  depends_on "hwloc"
  depends_on :linux

  def install
    args = %w[
      -DMANYRT_BUILD_TESTS=OFF
      -DMANYRT_BUILD_EXAMPLES=OFF
      -DMANYRT_BUILD_BENCHMARKS=OFF
      -DMANYRT_CUDA_TOOLKIT=OFF
      -DMANYRT_COMM_MPI=OFF
      -DMANYRT_CCACHE=OFF
    ]
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *args, *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
  end

  test do
    assert_match "cpu", shell_output("#{bin}/manyrt info")
  end
end
