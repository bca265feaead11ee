#!/usr/bin/env python3
"""RT_TRACE and RT_PROFILE on one device. Usage: trace_test.py TRACED_PROGRAM NVTX_TOOL FOLDER DEVICE

The program's work is known, so that every span is expected: its number, its facts, its place between the call that submitted it
and the wait that ended it, and the same sums in the profile. Nothing is said about how long work takes.
"""
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys
import unittest

PROGRAM, NVTX_TOOL, FOLDER, DEVICE = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), sys.argv[4]
LAUNCHES, GRAPH_LAUNCHES, NODES_OF_A_KERNEL = 5, 3, 3
BYTES = (1 << 16) * 4
KERNELS = LAUNCHES + GRAPH_LAUNCHES * NODES_OF_A_KERNEL
EXPECTED = {
    ("kernel", "scale"): KERNELS,
    ("kernel", "smooth"): KERNELS,
    ("copy", "copy host to device"): 1,
    ("copy", "copy device to host"): 1,
    ("copy", "copy device to device"): 1 + GRAPH_LAUNCHES,
    ("fill", "fill"): 1,
    ("graph", "graph"): GRAPH_LAUNCHES,
    ("host function", "host function"): 1,
}
TRACK = 'the "first", context train\\ing'
# A folder with the simulated CUPTI, which then times the work; without it, the real one or events do.
CUPTI = os.environ.get("TRACE_TEST_CUPTI", "")
# Under a sanitizer, of a build without optimisation, each launch may take longer than what is only counted.
TIMES_ARE_LONG = os.environ.get("TRACE_TEST_TIMES_ARE_LONG", "") == "1"
HAS_CLOCK = not DEVICE.startswith("cpu")


class Run:
    """One run of the program, with the files that it left."""

    def __init__(self, name, end, *words, device=DEVICE, **environment):
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.trace_file, self.profile_file = FOLDER / f"{name}.json", FOLDER / f"{name}_profile.json"
        for file in (self.trace_file, self.profile_file):
            file.unlink(missing_ok=True)
        settings = {"RT_CACHE_DIR": "off", "RT_TRACE": str(self.trace_file), "RT_PROFILE": str(self.profile_file)}
        if CUPTI:
            settings["LD_LIBRARY_PATH"] = CUPTI
        settings.update(environment)
        self.result = subprocess.run([PROGRAM, device, end, *words],
                                     env={**os.environ, **settings}, capture_output=True, text=True,
                                     timeout=250, check=False)
        if self.result.returncode == 77:
            sys.exit(77)
        assert self.result.returncode == 0, self.result.stderr
        # Where CUPTI hands on no record of the first work in time, that is said, and events are used.
        self.by_events = "CUPTI cannot be used" in self.result.stderr
        self.events = json.loads(self.trace_file.read_text()) if self.trace_file.exists() else []
        self.profile = json.loads(self.profile_file.read_text()) if self.profile_file.exists() else {}

    def spans(self, *categories):
        return [event for event in self.events if event["ph"] == "X" and event["cat"] in categories]

    def work(self):
        return self.spans("kernel", "copy", "fill", "graph", "host function")

    def error(self):
        """How far times of the device may be from the host's, in microseconds."""
        return max([event["args"]["error_us"] for event in self.events if event["name"] == "clock"], default=0) + 0.002


class TraceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.runs = {end: Run(end, end) for end in ("exit", "shutdown")}
        log = Run("log", "exit", RT_LOG="info").result.stderr if DEVICE.startswith("cuda") else ""
        cls.timer = next((line for line in log.splitlines() if "Work of CUDA is timed by" in line), "")
        cls.by_events = "timed by events" in cls.timer

    def test_every_piece_of_work_is_a_span(self):
        for end, run in self.runs.items():
            with self.subTest(end):
                counts = collections.Counter((span["cat"], span["name"]) for span in run.work())
                self.assertEqual(dict(counts), EXPECTED)
                self.assertEqual([event for event in run.events if event["name"] == "lost"], [])

    def test_spans_say_what_ran_where(self):
        for span in self.runs["exit"].work():
            facts = span["args"]
            self.assertEqual((facts["device"], facts["stream"]), (DEVICE, 'the "first"'))
            if span["cat"] == "kernel":
                self.assertEqual((facts["module"], facts["tier"]), ("traced.cl", "optimized"))
                self.assertEqual((facts["grid"], facts["group"]), ([1024, 1, 1], [64, 1, 1]))
            if span["cat"] in ("copy", "fill"):
                self.assertEqual(facts["bytes"], BYTES)
                self.assertAlmostEqual(facts["GB/s"] * span["dur"] * 1000, BYTES, delta=2 * span["dur"] + BYTES / 100)

    def test_tracks_have_the_names_of_streams_devices_and_threads(self):
        events = self.runs["exit"].events
        named = {(event["pid"], event.get("tid"), event["name"]): event["args"]["name"]
                 for event in events if event["ph"] == "M"}
        span = self.runs["exit"].spans("kernel")[0]
        self.assertEqual(named[span["pid"], span["tid"], "thread_name"], TRACK)
        processes = {key[0]: name for key, name in named.items() if key[2] == "process_name"}
        self.assertEqual(processes[span["pid"]], f"streams of {DEVICE}")
        for event in self.runs["exit"].spans("call", "build", "part"):
            self.assertIn((event["pid"], event["tid"], "thread_name"), named)

    def test_an_allocation_has_its_label(self):
        events = self.runs["exit"].events
        label, = [event for event in events if event["name"] == "label"]
        self.assertEqual(label["args"]["label"], 'the "second"')
        allocations = [event for event in events if event["name"] == "allocate" and
                       event["args"]["address"] == label["args"]["address"]]
        self.assertEqual([event["args"]["bytes"] for event in allocations], [BYTES])

    def test_nodes_lie_inside_their_graph(self):
        run = self.runs["exit"]
        graphs = run.spans("graph")
        nodes = [span for span in run.work() if span["args"].get("in_graph")]
        self.assertEqual(len(nodes), GRAPH_LAUNCHES * (2 * NODES_OF_A_KERNEL + 1))
        for graph in graphs:
            mine = [node for node in nodes if node["args"]["serial"] == graph["args"]["serial"]]
            self.assertEqual(len(mine), 2 * NODES_OF_A_KERNEL + 1)
            for node in mine:
                self.assertGreaterEqual(node["ts"], graph["ts"] - 0.002)
                self.assertLessEqual(node["ts"] + node["dur"], graph["ts"] + graph["dur"] + 0.002)
            # One after another, since each uses what the one before made.
            mine.sort(key=lambda node: node["ts"])
            for one, other in zip(mine, mine[1:]):
                self.assertLessEqual(one["ts"] + one["dur"], other["ts"] + 1)

    def test_work_begins_after_its_call_and_ends_before_the_wait(self):
        run = self.runs["exit"]
        waits = sorted(span["ts"] + span["dur"] for span in run.spans("call") if span["name"] == "rtStreamSynchronize")
        begins = {event["id"]: event["ts"] for event in run.events if event["ph"] == "s"}
        calls = {}  # the beginning of the call that each arrow starts in
        for call in run.spans("call"):
            for identity, time in begins.items():
                if call["ts"] <= time <= call["ts"] + call["dur"]:
                    calls[identity] = call["ts"]
        arrows = [event for event in run.events if event["ph"] == "f"]
        self.assertEqual(len(arrows), len([span for span in run.work() if not span["args"].get("in_graph")]))
        for arrow in arrows:
            self.assertGreaterEqual(arrow["ts"], calls[arrow["id"]] - run.error())
        for span in run.work():
            end = span["ts"] + span["dur"]
            self.assertTrue(any(end <= wait + run.error() for wait in waits), span)

    def test_a_clock_states_its_error(self):
        clocks = [event for event in self.runs["exit"].events if event["name"] == "clock"]
        self.assertEqual(bool(clocks), HAS_CLOCK)
        for clock in clocks:
            self.assertEqual(clock["args"]["device"], DEVICE)
            self.assertGreater(clock["args"]["error_us"], 0)

    def test_steps_of_builds_are_spans(self):
        steps = {span["name"]: span for span in self.runs["exit"].spans("build")}
        self.assertIn("cache miss", steps)
        self.assertEqual(steps["front end"]["args"]["of"], "traced.cl")
        self.assertTrue([name for name in steps if name.startswith("compiler")], steps.keys())
        if DEVICE == "cpu":
            arrived = [event for event in self.runs["exit"].events if event["name"] == "optimised code has arrived"]
            self.assertEqual([event["args"]["of"] for event in arrived], ["traced.cl"])

    def test_a_build_from_the_cache_has_no_compiler(self):
        cache = FOLDER / "cache"
        shutil.rmtree(cache, ignore_errors=True)
        cache.mkdir(parents=True, mode=0o700)
        Run("first", "shutdown", RT_CACHE_DIR=str(cache))
        names = [span["name"] for span in Run("second", "shutdown", RT_CACHE_DIR=str(cache)).spans("build")]
        self.assertIn("cache hit", names)
        self.assertFalse({"cache miss", "front end", "compiler, quick code", "compiler, NVRTC"} & set(names), names)

    def test_quick_code_is_told(self):
        if DEVICE != "cpu":
            return
        run = Run("quick", "exit", RT_CPU_BUILD="quick")
        self.assertEqual({span["args"]["tier"] for span in run.spans("kernel")}, {"quick"})
        form, = self.forms(run)["smooth"]
        self.assertEqual((form["tier"], form["lanes"], form["no_lanes"]),
                         ("quick", 0, "quick code runs work-items one by one"))

    def test_the_profile_has_the_sums_of_the_trace(self):
        for end, run in self.runs.items():
            with self.subTest(end):
                totals = collections.defaultdict(lambda: [0, 0.0])
                for span in run.work():
                    total = totals[span["args"]["device"], span["cat"], span["name"]]
                    total[0] += 1
                    total[1] += span["dur"] * 1000
                rows = {(row["device"], row["kind"], row["name"]): row for row in run.profile["work"]}
                self.assertEqual(rows.keys(), totals.keys())
                for key, row in rows.items():
                    count, total = totals[key]
                    self.assertEqual(row["count"], count)
                    self.assertAlmostEqual(row["total_ns"], total, delta=count + 1)
                    self.assertTrue(row["min_ns"] <= row["mean_ns"] <= row["max_ns"])
                kernels = [row for row in rows.values() if row["kind"] == "kernel"]
                self.assertAlmostEqual(sum(row["share"] for row in kernels), 1, delta=0.001)
                self.assertEqual({row["module"] for row in kernels}, {"traced.cl"})
                calls = {row["name"]: row for row in run.profile["calls"]}
                for name in ("rtLaunchKernel", "rtGraphLaunch", "rtStreamSynchronize"):
                    self.assertEqual(calls[name]["count"], len([span for span in run.spans("call") if span["name"] == name]))
                self.assertLessEqual(calls["rtStreamSynchronize"]["waited_ns"], calls["rtStreamSynchronize"]["total_ns"])
                self.assertGreater(calls["rtStreamSynchronize"]["waited_ns"], 0)
                self.assertEqual(calls["rtGraphLaunch"]["waited_ns"], 0)
                self.assertEqual(run.profile["lost"], 0)
                steps = {row["step"]: row["count"] for row in run.profile["builds"]}
                self.assertEqual(steps["cache miss"], 1)
                self.assertIn(steps["front end"], (1, 2))  # optimised code is translated in the background

    def test_short_launches_are_all_counted_and_some_are_timed(self):
        launches = 16000 if DEVICE == "cpu" else 800
        run = Run("many", "many", str(launches), RT_TRACE="")
        kernels = {row["name"]: row for row in run.profile["work"] if row["kind"] == "kernel"}
        calls = {row["name"]: row for row in run.profile["calls"]}
        self.assertEqual({name: row["count"] for name, row in kernels.items()}, {"scale": launches, "smooth": 1})
        self.assertEqual(sum(form["launches"] for form in kernels["scale"].get("forms", [])),
                         0 if DEVICE.startswith("opencl") else launches)
        counts = {name: row["count"] for name, row in calls.items()}
        for name, count in (("rtLaunchKernel", launches + 1), ("rtEventRecord", launches // 8),
                            ("rtStreamSynchronize", launches // 16 + 1)):
            self.assertEqual(counts[name], count)
        for row in [*kernels.values(), *calls.values()]:
            self.assertTrue(0 < row["timed"] <= row["count"], row)
            self.assertTrue(row["min_ns"] <= row["max_ns"], row)
            self.assertGreaterEqual(row["total_ns"], row["max_ns"], row)
        self.assertEqual(run.profile["lost"], 0)
        if DEVICE == "cpu" and not TIMES_ARE_LONG:
            self.assertLess(kernels["scale"]["timed"], launches)
            self.assertLess(calls["rtLaunchKernel"]["timed"], launches)
            table = Run("many_table", "many", str(launches), RT_TRACE="", RT_PROFILE="1").result.stderr
            self.assertRegex(table, r"16000 +~[0-9.]+ .s +~[0-9.]+ .*scale \(traced.cl\)")
            self.assertRegex(table, r"times marked ~ are of samples, .*\n +timed\n(.*\n)* +\d+ of 16000  scale")
        if DEVICE.startswith("cuda") and 10 * kernels["scale"]["max_ns"] < 1_000_000:
            self.assertLess(kernels["scale"]["timed"], launches // 4)
        with_trace = Run("many_traced", "many", str(launches))  # a timeline has each of them
        row, = [row for row in with_trace.profile["work"] if row["name"] == "scale"]
        self.assertEqual((row["count"], row["timed"]), (launches, launches))
        self.assertEqual(len([span for span in with_trace.spans("kernel") if span["name"] == "scale"]), launches)

    def forms(self, run):
        return {row["name"]: row.get("forms", []) for row in run.profile["work"] if row["kind"] == "kernel"}

    def test_the_profile_says_how_kernels_ran(self):
        for name, forms in self.forms(self.runs["exit"]).items():
            with self.subTest(name):
                if DEVICE.startswith("opencl"):  # its drivers do not tell
                    self.assertEqual(forms, [])
                    continue
                form, = forms
                self.assertEqual((form["launches"], form["tier"]), (KERNELS, "optimized"))
                if DEVICE == "cpu":
                    self.assertIn(form["lanes"], (4, 8, 16))
                    self.assertEqual((form["dimension"], form["loops"], form["lane_loops"]), (0, 1, 1))
                    self.assertEqual((form["no_lanes"], form["barriers"], form["fibers"]), ("", "none", ""))
                else:
                    self.assertEqual(form["group_items"], 64)
                    self.assertIn(form["registers"], range(1, 256))
                    self.assertGreater(form["groups_per_multiprocessor"], 0)
                    self.assertTrue(0 < form["occupancy"] <= 1, form)

    @unittest.skipUnless(DEVICE == "cpu", "it is the CPU that splits kernels")
    def test_the_profile_says_what_barriers_came_to(self):
        forms = self.forms(Run("barriers", "barriers", RT_TRACE=""))
        split, = forms["turned"]
        self.assertEqual((split["launches"], split["barriers"], split["fibers"]), (2, "split", ""))
        self.assertGreater(split["lane_loops"], 0)
        on_fibers, = forms["together"]
        self.assertEqual((on_fibers["launches"], on_fibers["barriers"], on_fibers["lanes"]), (1, "fibers", 0))
        self.assertEqual(on_fibers["fibers"], "it has sub-group functions")
        table = Run("barriers_table", "barriers", RT_PROFILE="1", RT_TRACE="").result.stderr
        self.assertRegex(table, r"as optimized code, \d+ lanes along dimension 0.*, split at its barriers")
        self.assertIn("as optimized code, on fibers: it has sub-group functions", table)

    def test_the_table_goes_to_stderr(self):
        for end in ("exit", "shutdown"):
            run = Run("table", end, RT_PROFILE="1", RT_TRACE="")
            table = run.result.stderr
            for words in (f"kernels of {DEVICE}", f"copies and fills of {DEVICE}", "smooth (traced.cl)", "copy host to device",
                          "builds", "calls", "rtStreamSynchronize"):
                self.assertIn(words, table)
            self.assertTrue(run.result.stdout.startswith("graph_ns"))

    def test_what_is_not_over_at_the_end_counts_as_lost(self):
        run = Run("running", "running")
        lost = sum(event["args"]["spans"] for event in run.events if event["name"] == "lost")
        self.assertEqual(run.profile["lost"], lost)
        self.assertGreaterEqual(len(run.spans("kernel")) + lost, 2 * KERNELS)

    def test_a_profiler_on_the_callback_has_the_sums_of_the_profile(self):
        sums_file = FOLDER / "sums.json"
        sums_file.unlink(missing_ok=True)
        run = Run("profiled", "profiled", "1", str(sums_file), RT_TRACE="")
        sums = json.loads(sums_file.read_text())

        def rows(report, section, *keys):
            return {tuple(row[key] for key in keys): row for row in report[section]}

        for section, keys, same in (
                ("work", ("device", "kind", "name"), ("count", "total_ns", "min_ns", "max_ns")),
                ("builds", (), ("count", "total_ns", "min_ns", "max_ns")),
                ("calls", ("name",), ("count", "total_ns", "min_ns", "max_ns", "waited_ns"))):
            if section == "builds":  # the profile calls the name of a step by another word
                theirs = {(row["step"],): row for row in run.profile["builds"]}
                ours = rows(sums, section, "name")
            else:
                theirs, ours = rows(run.profile, section, *keys), rows(sums, section, *keys)
            if section == "calls":  # what was called before and after the callback is in the profile alone
                self.assertEqual(theirs.keys() - ours.keys(), {("rtDeviceGetByName",)})
                theirs = {key: theirs[key] for key in ours}
            self.assertEqual(theirs.keys(), ours.keys())
            for key, row in ours.items():
                self.assertEqual({name: row[name] for name in same}, {name: theirs[key][name] for name in same}, key)
        self.assertEqual({(row["kind"], row["name"]): row["count"] for row in sums["work"]}, EXPECTED)
        copies = {row["name"]: row["bytes"] for row in sums["work"] if row["kind"] in ("copy", "fill")}
        self.assertEqual(copies, {row["name"]: row["bytes"] for row in run.profile["work"] if "bytes" in row})
        self.assertEqual((sums["lost"], sums["orphans"], sums["entered"]), (0, 0, sums["left"]))

    def test_a_timeline_in_the_middle_has_what_runs_then(self):
        """Streams and the graph are older than the timeline."""
        timeline = FOLDER / "in_the_middle.json"
        timeline.unlink(missing_ok=True)
        run = Run("middle", "middle", "1", str(timeline), RT_TRACE="", RT_PROFILE="0")
        # On a GPU the activity interface may have nothing to tell of what is older than the timeline: said once, events are used.
        self.assertRegex(run.result.stderr, r"^(manyrt: warning: CUPTI cannot be used: it has no records of the work.*\n)?$")
        run.events = json.loads(timeline.read_text())
        counts = collections.Counter((span["cat"], span["name"]) for span in run.work())
        expected = dict(EXPECTED)
        if self.by_events or run.by_events:  # events between nodes have to be in the graph from the start
            expected.update({("kernel", "scale"): LAUNCHES, ("kernel", "smooth"): LAUNCHES,
                             ("copy", "copy device to device"): 1})
        self.assertEqual(dict(counts), expected)
        self.assertEqual([event for event in run.events if event["name"] == "lost"], [])
        begin, = [event for event in run.events if event["name"] == "begins in the middle"]
        self.assertLessEqual(begin["ts"], min(event["ts"] for event in run.events if "ts" in event))
        tracks = {event["args"]["name"] for event in run.events if event["name"] == "thread_name"}
        self.assertIn(TRACK, tracks)
        ranges = {span["name"]: span for span in run.spans("range")}
        self.assertEqual(ranges.keys(), {'step "1"', "graph"})
        step, graph = ranges['step "1"'], ranges["graph"]
        mark, = [event for event in run.events if event["ph"] == "i" and event["cat"] == "mark"]
        self.assertEqual((mark["name"], mark["tid"], step["tid"]), ("half", graph["tid"], graph["tid"]))
        self.assertLessEqual(step["ts"], graph["ts"])
        self.assertLessEqual(graph["ts"] + graph["dur"], mark["ts"])
        self.assertLessEqual(mark["ts"], step["ts"] + step["dur"] + 0.001)
        for launch in run.spans("graph"):
            self.assertGreaterEqual(launch["ts"], graph["ts"] - run.error())

    def test_functions_of_the_program_are_spans(self):
        """As kernels, as native functions, which submit nothing here, in a stream and in a graph, and as host functions."""
        run = Run("others", "others")
        counts = {**self.counts(run), ("fill", "fill"): 2}
        in_graph = collections.Counter(span["name"] for span in run.spans("fill", "task") if span["args"].get("in_graph"))
        if DEVICE.startswith("cuda"):  # a native function is a piece of the graph: by CUPTI, what it submits
            self.assertEqual(counts[("graph", "graph")], 2)
            self.assertEqual(counts[("host function", "host function")], 3)
            by_events = self.by_events or run.by_events
            self.assertEqual(dict(in_graph), {"fill": 2, "task": 2} if by_events else {"fill": 2})
        else:
            kernels = {("kernel", "add_one"): 2} if DEVICE == "cpu" else {}
            self.assertEqual(counts, {("host function", "host function"): 5, ("fill", "fill"): 2, **kernels})
        for span in run.spans("kernel"):
            self.assertEqual(span["args"]["tier"], "host")
        self.assertEqual(run.profile["lost"], 0)

    @unittest.skipUnless(DEVICE == "cpu", "the null device is everywhere")
    def test_the_null_device_has_spans_of_functions_alone(self):
        run = Run("null", "others", device="null:0")
        self.assertEqual(set(self.counts(run)), {("host function", "host function")})

    def test_timelines_begin_and_end_while_threads_launch(self):
        """Four threads work between beginnings and ends: all of theirs is in each timeline. Four others never stop."""
        name = FOLDER / "threads"
        run = Run("threads", "threads", "1", str(name), RT_TRACE="", RT_PROFILE="0")
        self.assertRegex(run.result.stderr, r"^(manyrt: warning: CUPTI cannot be used: it has no records of the work.*\n)?$")
        for index in range(6):
            run.events = json.loads(pathlib.Path(f"{name}.{index}").read_text())
            tracks = {(event["pid"], event["tid"]): event["args"]["name"].split(", context ")[0] for event in run.events
                      if event["name"] == "thread_name"}
            counts = collections.Counter((tracks[span["pid"], span["tid"]], span["name"]) for span in run.work())
            # CUPTI hands over no buffer with work that is not over: beside busy threads, what is over may be missing and is counted.
            by_cupti = DEVICE.startswith("cuda") and not self.by_events and not run.by_events
            lost = sum(event["args"]["spans"] for event in run.events if event["name"] == "lost")
            missing = 4 * 13 - sum(count for (track, _), count in counts.items() if track.startswith("counted"))
            self.assertGreaterEqual(missing, 0)
            self.assertGreaterEqual(lost if by_cupti else 0, missing, index)
            for thread in range(0 if missing else 4):
                mine = {name: count for (track, name), count in counts.items() if track == f"counted {thread}"}
                self.assertEqual(mine, {"scale": 10, "copy host to device": 1, "copy device to host": 1, "fill": 1},
                                 (index, thread))
            streams = collections.defaultdict(list)
            for span in run.work():
                self.assertEqual(span["args"]["stream"], tracks[span["pid"], span["tid"]])
                streams[span["args"]["stream"]].append(span)
            for spans in streams.values():  # none twice: a stream is in order
                serials = [span["args"]["serial"] for span in spans]
                self.assertEqual(len(serials), len(set(serials)))

    def test_the_log_says_what_times_the_work(self):
        if not DEVICE.startswith("cuda"):
            return
        if CUPTI:
            self.assertIn("timed by libcupti.so.12, version 28.", self.timer)
        self.assertRegex(self.timer, r"timed by (events|\S*libcupti.so.\d+, version \d+\.)")
        disabled = Run("disabled", "exit", RT_LOG="info", RT_DISABLE="opencl,cupti").result.stderr
        self.assertNotIn("CUPTI", disabled)
        self.assertNotIn("warning", disabled)

    def test_copies_and_fills_in_several_parts_are_one_span_each(self):
        """From and to pageable memory, by rows, with a pattern of 16 bytes."""
        run = Run("copies", "copies")
        self.assertEqual(self.counts(run), {("copy", "copy host to device"): 3, ("copy", "copy device to host"): 3,
                                            ("fill", "fill"): 3, ("kernel", "scale"): 1})
        self.assertEqual(run.profile["lost"], 0)

    def test_work_of_streams_that_have_ended_is_told(self):
        run = Run("streams", "streams")
        self.assertEqual(self.counts(run), {("kernel", "scale"): 20, ("copy", "copy device to host"): 20})
        self.assertEqual(run.profile["lost"], 0)

    def counts(self, run):
        return dict(collections.Counter((span["cat"], span["name"]) for span in run.work()))

    @unittest.skipUnless(CUPTI, "needs the simulated CUPTI")
    def test_cupti_that_cannot_be_used_is_told_once_and_events_take_its_place(self):
        for word, why in (("taken", "another profiler has it"), ("disabled", "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"),
                          ("foreign", "it has no records of the work")):
            with self.subTest(word):
                run = Run(word, "exit", SIMULATED_CUPTI=word)
                self.assertEqual(run.result.stderr,
                                 f"manyrt: warning: CUPTI cannot be used: {why}. Work of CUDA is timed by events.\n")
                self.assertEqual(self.counts(run), EXPECTED)
                self.assertEqual(run.profile["lost"], 0)

    @unittest.skipUnless(CUPTI, "needs the simulated CUPTI")
    def test_records_of_each_release_of_cupti_are_read(self):
        for version in (28, 130001, 130500, 131000):
            with self.subTest(version):
                run = Run("release", "exit", SIMULATED_CUPTI_VERSION=str(version))
                self.assertEqual((self.counts(run), run.profile["lost"]), (EXPECTED, 0))
        run = Run("unknown", "exit", SIMULATED_CUPTI_VERSION="140000", RT_LOG="info")
        self.assertIn("libcupti.so.12 has version 140000, whose records this library does not know. Work of CUDA is timed by "
                      "events",
                      run.result.stderr)
        self.assertEqual(self.counts(run), EXPECTED)

    @unittest.skipUnless(CUPTI, "needs the simulated CUPTI")
    def test_records_that_come_late_are_waited_for(self):
        run = Run("late", "exit", SIMULATED_CUPTI="late")
        self.assertEqual((self.counts(run), run.profile["lost"]), (EXPECTED, 0))

    @unittest.skipUnless(CUPTI, "needs the simulated CUPTI")
    def test_nodes_have_their_names_whatever_their_numbers_are(self):
        run = Run("shuffled", "exit", SIMULATED_CUPTI="shuffled")
        self.assertEqual((self.counts(run), run.profile["lost"]), (EXPECTED, 0))

    @unittest.skipUnless(CUPTI, "needs the simulated CUPTI")
    def test_records_that_cupti_has_lost_are_counted(self):
        run = Run("loses", "exit", SIMULATED_CUPTI="loses")
        self.assertRegex(run.result.stderr, r"CUPTI has lost \d+ records? of work on CUDA")
        lost = KERNELS * 2 // 5
        self.assertEqual(run.profile["lost"], lost)
        self.assertEqual(sum(event["args"]["spans"] for event in run.events if event["name"] == "lost"), lost)
        self.assertEqual(len(run.spans("kernel")), 2 * KERNELS - lost)
        self.assertEqual(len(run.spans("copy", "fill", "graph")), sum(EXPECTED.values()) - 2 * KERNELS - 1)

    @unittest.skipUnless(DEVICE == "cpu", "ranges know of no device")
    def test_a_tool_for_nvtx_is_told_of_ranges_and_marks(self):
        told = FOLDER / "nvtx.txt"
        told.unlink(missing_ok=True)
        run = Run("nvtx", "middle", "1", str(FOLDER / "beside_nvtx.json"), RT_TRACE="", RT_PROFILE="0",
                  NVTX_INJECTION64_PATH=NVTX_TOOL, NVTX_TOOL_FILE=str(told))
        self.assertEqual(run.result.stderr, "")
        self.assertEqual(told.read_text().split("\n"),
                         ["+older", '+step "1"', "+graph", "-", "!half", "-", "-", "+younger", "-", ""])

    @unittest.skipUnless(DEVICE == "cpu", "ranges know of no device")
    def test_a_tool_for_nvtx_that_is_missing_is_told_once(self):
        run = Run("no_nvtx", "middle", "1", str(FOLDER / "without_nvtx.json"), RT_TRACE="", RT_PROFILE="0",
                  NVTX_INJECTION64_PATH="/nonexistent/tool.so")
        self.assertEqual(run.result.stderr.count("/nonexistent/tool.so"), 1, run.result.stderr)

    def test_nothing_is_written_where_nothing_is_asked_for(self):
        run = Run("off", "exit", RT_TRACE="", RT_PROFILE="0")
        self.assertEqual((run.events, run.profile, run.result.stderr), ([], {}, ""))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=1)
