// The options of each command, and the function that it calls. Only replays of memory traces end the library themselves; for
// the others it is done here.
#include "commands.h"

#include <cstdio>

#include "cache_command.h"
#include "check.h"
#include "graph_file.h"
#include "info.h"
#include "memory_replay.h"
#include "memory_trace.h"
#include "terminal.h"
#include "trace_file.h"
#include "words.h"

namespace {

constexpr const char* kDeviceText = "The device, as cuda:0; else the default device";

void addImages(CLI::App* command, Options& options) {
  command
      ->add_option("--image", options.run.images, "FILE.rtm: kernels that the graph names and has no source of; once for each")
      ->take_all()
      ->allow_extra_args(false);
}

void addGraph(CLI::App& app, Options& options) {
  CLI::App* graph = app.add_subcommand("graph", "Prints a graph file and the plan that a device makes of it");
  graph->add_option("FILE", options.file, "A graph file (docs/graph-file.md)")->required();
  graph->add_option("--device", options.device, "The device of the plan, as cuda:0; else the default device");
  addImages(graph, options);
  CLI::Option* dot = graph->add_flag("--dot", options.dot, "Prints the graph for Graphviz, without a plan");
  graph->add_flag("--svg", options.svg, "Prints a picture: streams as lanes, temporaries over time")->excludes(dot);
}

void addRun(CLI::App& app, Options& options) {
  constexpr uint32_t kMostRuns = 1'000'000;
  CLI::App* run = app.add_subcommand("run", "Runs a graph file, with arrays from files or random ones");
  run->add_option("FILE", options.run.file, "A graph file")->required();
  run->add_option("--device", options.run.device, kDeviceText);
  addImages(run, options);
  const auto list = [&](const char* name, std::vector<std::string>& words, const char* about) {
    return run->add_option(name, words, about)->take_all()->allow_extra_args(false);
  };
  list("--input", options.run.inputs, "NAME=FILE.npy: the contents of a buffer, or a value; once for each");
  list("--output", options.run.outputs, "NAME=FILE.npy: where a buffer is written when the graph has run");
  CLI::Option* expect =
      list("--expect", options.run.expected, "NAME=FILE.npy: what a buffer has to hold then, else the command fails");
  run->add_option("--tolerance", options.run.tolerance,
                  "How far numbers may be from those of --expect; else the bits are the same")
      ->needs(expect);
  run->add_option("--repeat", options.run.repeat, "How often it runs, from the same contents; prints the times")
      ->check(CLI::Range(uint32_t{1}, kMostRuns));
  CLI::Option* random = run->add_flag("--random", options.run.random, "Fills buffers that have no --input with random numbers");
  run->add_option("--seed", options.run.seed, "Other random numbers; else 0")->needs(random);
}

void addMemory(CLI::App& app, Options& options) {
  CLI::App* memory = app.add_subcommand("memory", "Prints what a memory trace holds, replays or draws it");
  memory->add_option("FILE", options.file, "A memory trace (docs/memory-trace.md) or a file that RT_TRACE wrote")->required();
  memory->add_option("--pool", options.pool, "The pool, of a file of RT_TRACE; else the one with the highest peak");
  CLI::Option* device = memory->add_option("--device", options.device, "Replays the trace in a pool of this device, as cpu");
  memory->add_flag("--first-fit", options.first_fit, "Replays the trace by first fit on offsets")->excludes(device);
  CLI::Option* picture = memory->add_flag("--svg", options.svg, "Prints a picture: addresses over time");
  memory->add_flag("--by-stream", options.by_stream, "Colours the blocks of the picture by stream, not by size")
      ->needs(picture);
  memory->add_flag("--json", options.json, "Prints the trace as a file of its own")->excludes(picture);
}

void addTrace(CLI::App& app, Options& options) {
  CLI::App* trace = app.add_subcommand("trace", "Prints where the time of a traced program went, or draws it");
  trace->add_option("FILE", options.file, "A file that RT_TRACE wrote; also packed by gzip, as FILE.gz")->required();
  CLI::Option* drawn = trace->add_flag("--svg", options.svg, "Prints a picture: streams, threads, copies, gaps");
  CLI::Option* page = trace->add_flag("--html", options.html, "Prints a page with the picture and the table")->excludes(drawn);
  trace->add_flag("--json", options.json, "Prints JSON")->excludes(drawn)->excludes(page);
}

void addBench(CLI::App& app, Options& options) {
  CLI::App* bench = app.add_subcommand("bench", "Measures copies, launches and kernels beside what is expected of the machine");
  bench->add_option("--device", options.bench.devices, "A device, as cuda:0; once for each; else all")
      ->take_all()
      ->allow_extra_args(false);
  bench->add_option("--bytes", options.bench.bytes, "Of a large copy; else 64 MiB (67108864)")
      ->check(CLI::Range(uint64_t{4096}, uint64_t{1} << 36));
  bench->add_option("--seconds", options.bench.seconds, "Of each measurement; else 0.2")->check(CLI::Range(0.001, 60.0));
  CLI::Option* drawn = bench->add_flag("--svg", options.bench.svg, "Prints a picture: bars beside what is expected");
  bench->add_flag("--json", options.bench.json, "Prints JSON")->excludes(drawn);
}

void addCache(CLI::App& app, Options& options) {
  CLI::App* cache = app.add_subcommand("cache", "Lists, sums or empties the folder of compiled kernels");
  cache->require_subcommand(0, 1);
  cache->add_flag("--json", options.json, "Prints JSON");
  for (const auto& [name, about] : {std::pair("list", "Lists the entries, the last used first"),
                                    {"size", "Prints how many entries there are and what they take; so does manyrt cache"},
                                    {"clear", "Removes all entries; programs build their kernels again"}}) {
    cache->add_subcommand(name, about)->add_flag("--json", options.json, "Prints JSON");
  }
}

void runGraphCommand(const Options& options) {
  const Loaded loaded = loadGraphFile(options.file);
  if (options.dot) {
    terminal::write(graphDot(loaded));
  } else if (options.svg) {
    terminal::write(graphSvg(loaded, planGraph(loaded, options.run.images, options.device)));
  } else {
    terminal::print(graphText(loaded) + '\n');
    terminal::print(planText(planGraph(loaded, options.run.images, options.device)));
  }
}

void runMemoryCommand(const Options& options) {
  MemoryTrace trace = loadMemoryTrace(options.file, options.pool);
  if (!options.device.empty()) {
    trace = placeInPool(trace, options.device);
  } else if (options.first_fit) {
    trace = placeFirstFit(trace, kFirstFitAlignment);
  }
  if (options.json) {
    terminal::write(memoryTraceJson(trace));
  } else if (!options.svg) {
    terminal::print(memoryText(trace));
  } else if (trace.placed) {
    terminal::write(memorySvg(trace, options.by_stream));
  } else {
    throw Failure(options.file + ": its blocks have no addresses to draw; place them with --first-fit or --device.");
  }
}

void runTraceCommand(const Options& options) {
  const TraceFile trace = loadTraceFile(options.file);
  if (options.svg || options.html || options.json) {
    terminal::write(options.svg ? traceSvg(trace) : options.html ? traceHtml(trace) : traceJson(trace));
  } else {
    terminal::print(traceText(trace));
  }
}

void runCacheCommand(const CLI::App& cache, bool json) {
  if (cache.got_subcommand("list")) {
    runCacheList(json);
  } else if (cache.got_subcommand("clear")) {
    runCacheClear(json);
  } else {
    runCacheSize(json);
  }
}

}  // namespace

void addCommands(CLI::App& app, Options& options) {
  CLI::App* info = app.add_subcommand("info", "Lists backends and devices");
  info->add_flag("--json", options.json, "Prints JSON");
  info->add_flag("--null", options.null_devices, "Lists the null backend, which tests use, too");
  CLI::App* doctor = app.add_subcommand("doctor", "Looks whether all that manyrt needs is here and works");
  doctor->add_flag("--json", options.doctor.json, "Prints JSON");
  options.doctor.os_release = "/etc/os-release";
  doctor->add_option("--os-release", options.doctor.os_release, "The file that says for which distribution packages are named");
  addBench(app, options);
  addGraph(app, options);
  addRun(app, options);
  addMemory(app, options);
  addTrace(app, options);
  cc::addCommand(app, options.cc);
  addCache(app, options);
  CLI::App* completion = app.add_subcommand("completion", "Prints the completion script of a shell");
  completion->add_option("SHELL", options.shell, "bash, zsh or fish")->required();
  completion->footer("In bash: source <(manyrt completion bash). Packages have the scripts where the shells look for them.");
}

int runCommand(const CLI::App& app, const Options& options) {
  int code = 0;
  if (app.got_subcommand("completion")) terminal::write(completionScript(options.shell));
  if (app.got_subcommand("cache")) runCacheCommand(*app.get_subcommand("cache"), options.json);
  if (app.got_subcommand("cc")) code = cc::run(options.cc);
  if (app.got_subcommand("info")) runInfo(options.json, options.null_devices);
  if (app.got_subcommand("doctor")) code = doctor::run(options.doctor);
  if (app.got_subcommand("bench")) bench::run(options.bench);
  if (app.got_subcommand("graph")) runGraphCommand(options);
  if (app.got_subcommand("run")) runGraph(options.run);
  if (app.got_subcommand("trace")) runTraceCommand(options);
  if (app.got_subcommand("memory")) {
    runMemoryCommand(options);
  } else {
    CHECK(rtShutdown());
  }
  return code;
}
