// The commands of the line and their options.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "bench.h"
#include "cc.h"
#include "doctor.h"
#include "graph_run.h"

struct Options {
  bool json = false, null_devices = false, dot = false, svg = false, html = false, first_fit = false, by_stream = false;
  uint64_t pool = 0;
  std::string file, device, shell;
  RunOptions run;
  bench::Options bench;
  doctor::Options doctor;
  cc::Options cc;
};

// `options` outlives the app.
void addCommands(CLI::App& app, Options& options);

// Runs the command that was parsed; the exit code. Throws Failure.
int runCommand(const CLI::App& app, const Options& options);
