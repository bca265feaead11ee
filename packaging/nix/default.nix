# `nix-build packaging/nix`, built from the tree that it is in. The package of a release has fetchFromGitHub in place of the path.
{ pkgs ? import <nixpkgs> { } }:

pkgs.stdenv.mkDerivation {
  pname = "manyrt";
  version = "0.3.0";
  src = pkgs.lib.cleanSource ../..;

  nativeBuildInputs = with pkgs; [ cmake ninja pkg-config python3 ];
  buildInputs = with pkgs; [ boost cli11 hwloc nlohmann_json opencl-headers ];

  cmakeFlags = [
    "-DMANYRT_BUILD_TESTS=OFF"
    "-DMANYRT_BUILD_EXAMPLES=OFF"
    "-DMANYRT_BUILD_BENCHMARKS=OFF"
    "-DMANYRT_CUDA_TOOLKIT=OFF"
    "-DMANYRT_COMM_MPI=OFF"
    "-DMANYRT_CCACHE=OFF"
  ];

  doInstallCheck = true;
  installCheckPhase = "$out/bin/manyrt info";

  meta = {
    description = "One runtime for devices, streams, events and memory behind a C header";
    license = pkgs.lib.licenses.asl20;
    platforms = [ "x86_64-linux" "aarch64-linux" ];
    mainProgram = "manyrt";
  };
}
