// Build options: every one of clBuildProgram, the quoting, and what is refused with its name.
#include "compiler/pipeline/options.h"

#include <gtest/gtest.h>

#include <utility>

namespace manyrt::compiler {
namespace {

BuildOptions parsed(const char* text) {
  BuildOptions options;
  const Status status = parseOptions(&options, text);
  EXPECT_TRUE(status.ok()) << text << ": " << status.message();
  return options;
}

std::string refusal(const std::string& text) {
  BuildOptions options;
  const Status status = parseOptions(&options, text.c_str());
  EXPECT_EQ(status.code(), RT_ERROR_INVALID_VALUE) << text;
  return status.message();
}

std::string definitions(const char* text) {
  std::string all;
  for (const auto& definition : parsed(text).preprocessor.definitions) {
    all += (definition.undefine ? "-" : "") + definition.name + "=" + definition.value + ";";
  }
  return all;
}

TEST(OptionsTest, NothingGivesTheDefaults) {
  for (const char* text : {"", "  \t\n "}) {
    const BuildOptions options = parsed(text);
    EXPECT_TRUE(options.optimize);
    EXPECT_FALSE(options.relaxed_math || options.mad || options.no_warnings || options.debug);
    EXPECT_TRUE(options.preprocessor.definitions.empty());
    EXPECT_EQ(options.group_size[0], 0u);
  }
}

TEST(OptionsTest, DefinitionsKeepTheirOrderAndTheirForms) {
  EXPECT_EQ(definitions("-DA -D B -DC=1 -D D=x=y -UA -U B -DE="), "A=1;B=1;C=1;D=x=y;-A=;-B=;E=;");
  EXPECT_EQ(definitions("'-DSQUARE(x)=((x) * (x))'"), "SQUARE(x)=((x) * (x));");
}

TEST(OptionsTest, WordsAreQuotedAsInAShell) {
  EXPECT_EQ(definitions("-DA='a \"b' -D\"B=c 'd\" -DC=e\\ f -DD=\\\"g\\\""), "A=a \"b;B=c 'd;C=e f;D=\"g\";");
  EXPECT_EQ(definitions("-D\"A=\\\"x\\n\\\\\" -DB='\\n' -D'C='d\"e\"f"), "A=\"x\\n\\;B=\\n;C=def;");
}

TEST(OptionsTest, FoldersComeJoinedOrApart) {
  const BuildOptions options = parsed("-I/a/b -I c -I \"d e\"");
  EXPECT_EQ(options.preprocessor.include_folders, (std::vector<std::string>{"/a/b", "c", "d e"}));
}

TEST(OptionsTest, EachFlagSetsWhatItSays) {
  EXPECT_TRUE(parsed("-cl-single-precision-constant").single_precision_constants);
  EXPECT_TRUE(parsed("-cl-denorms-are-zero").flush_denormals);
  EXPECT_FALSE(parsed("-cl-opt-disable").optimize);
  EXPECT_TRUE(parsed("-cl-mad-enable").mad);
  EXPECT_TRUE(parsed("-cl-no-signed-zeros").no_signed_zeros);
  EXPECT_TRUE(parsed("-cl-finite-math-only").finite_math);
  EXPECT_TRUE(parsed("-w").no_warnings);
  EXPECT_TRUE(parsed("-Werror").warnings_are_errors);
  EXPECT_TRUE(parsed("-Wdouble-literals").warns_of_doubles);
  EXPECT_TRUE(parsed("-g").debug);
  (void)parsed("-cl-kernel-arg-info -cl-strict-aliasing -cl-fp32-correctly-rounded-divide-sqrt");
}

TEST(OptionsTest, RelaxedMathIsAllOfTheOthersAndAMacro) {
  const BuildOptions unsafe = parsed("-cl-unsafe-math-optimizations");
  EXPECT_TRUE(unsafe.unsafe_math && unsafe.mad && unsafe.no_signed_zeros);
  EXPECT_FALSE(unsafe.finite_math || unsafe.relaxed_math);
  EXPECT_EQ(definitions("-cl-unsafe-math-optimizations"), "");
  const BuildOptions relaxed = parsed("-cl-fast-relaxed-math");
  EXPECT_TRUE(relaxed.relaxed_math && relaxed.unsafe_math && relaxed.finite_math && relaxed.mad && relaxed.no_signed_zeros);
  EXPECT_EQ(definitions("-cl-fast-relaxed-math"), "__FAST_RELAXED_MATH__=1;");
}

TEST(OptionsTest, TheStandardIsOneOfThree) {
  EXPECT_EQ(definitions("-cl-std=CL1.2"), "__OPENCL_C_VERSION__=120;");
  EXPECT_EQ(definitions("-cl-std=CL1.1"), "__OPENCL_C_VERSION__=110;");
  EXPECT_EQ(definitions("-cl-std=CL1.0"), "__OPENCL_C_VERSION__=100;");
  for (const char* other : {"-cl-std=CL2.0", "-cl-std=CL3.0", "-cl-std=", "-cl-std=CL1.20", "-cl-std=cl1.2"}) {
    const std::string message = refusal(other);
    EXPECT_NE(message.find(other), std::string::npos) << message;
    EXPECT_NE(message.find("CL1.0, CL1.1 and CL1.2 are"), std::string::npos) << message;
  }
}

TEST(OptionsTest, TheGroupSizeHasOneToThreeNumbers) {
  const auto size = [](const char* text) {
    const BuildOptions options = parsed(text);
    return std::vector<uint32_t>(options.group_size, options.group_size + 3);
  };
  EXPECT_EQ(size("-rt-group-size=16,8,2"), (std::vector<uint32_t>{16, 8, 2}));
  EXPECT_EQ(size("-rt-group-size=16,8"), (std::vector<uint32_t>{16, 8, 1}));
  EXPECT_EQ(size("-rt-group-size=64"), (std::vector<uint32_t>{64, 1, 1}));
  for (const char* bad : {"", "0", "4,0", "4,", ",4", "1,2,3,4", "1,2,3,", "x", "4x", "-1", "+1", "4294967296", "65536,65536",
                          "4294967295,4294967295,4294967295"}) {
    const std::string option = std::string("-rt-group-size=") + bad;
    EXPECT_NE(refusal(option).find("\"" + option + "\" is damaged"), std::string::npos) << option;
  }
}

TEST(OptionsTest, WhatIsUnknownIsRefusedByItsName) {
  for (const char* bad : {"-O3", "-foo", "foo", "-", "--", "-cl-", "-cl-mad-enable2", "-cl-mad", "-Wall", "-x", "-W", "-gg"}) {
    EXPECT_NE(refusal(std::string("-DA ") + bad + " -DB").find("\"" + std::string(bad) + "\" is not known"), std::string::npos);
  }
  EXPECT_NE(refusal("\"\"").find("\"\" is not known"), std::string::npos);
}

TEST(OptionsTest, TheNearestOptionIsNamedAndAllAreListed) {
  const std::pair<const char*, const char*> near[] = {{"-cl-mad-enabled", "-cl-mad-enable"},
                                                      {"-cl-fast-relaxed-maths", "-cl-fast-relaxed-math"},
                                                      {"-cl-sdt=CL1.2", "-cl-std="},
                                                      {"-rt-groupsize=3", "-rt-group-size="},
                                                      {"-Weror", "-Werror"},
                                                      {"-Wdouble-literal", "-Wdouble-literals"},
                                                      {"-cl-opt-disabled", "-cl-opt-disable"},
                                                      {"-cl-finite-math", "-cl-finite-math-only"}};
  for (const auto& [word, meant] : near) {
    EXPECT_NE(refusal(word).find("is not known: did you mean \"" + std::string(meant) + "\"? Options are -D, "),
              std::string::npos)
        << refusal(word);
  }
  EXPECT_NE(refusal("-fsomething-else").find("is not known. Options are -D, "), std::string::npos);
  EXPECT_NE(refusal("-fsomething-else").find(", -Wdouble-literals, -g, -cl-std=, -rt-group-size= and -rt-tier=."),
            std::string::npos);
}

TEST(OptionsTest, TheTierIsNoPartOfTheNormalForm) {
  EXPECT_EQ(parsed("").tier, Tier::kDefault);
  EXPECT_EQ(parsed("-rt-tier=tiered").tier, Tier::kTiered);
  EXPECT_EQ(parsed("-rt-tier=optimized").tier, Tier::kOptimized);
  EXPECT_EQ(parsed("-rt-tier=optimized -rt-tier=quick").tier, Tier::kQuick);
  EXPECT_EQ(parsed("-rt-tier=quick").normalized, parsed("").normalized);
  for (const char* bad : {"-rt-tier=", "-rt-tier=fast", "-rt-tier=quick,"})
    EXPECT_NE(refusal(bad).find("names no form of code; tiered, optimized and quick are known"), std::string::npos) << bad;
  EXPECT_NE(refusal("-rt-teir=quick").find("did you mean \"-rt-tier=\"?"), std::string::npos);
}

TEST(OptionsTest, DamagedOptionsAreRefused) {
  EXPECT_NE(refusal("-DA='x").find("a ' at byte 4 that is not closed"), std::string::npos);
  EXPECT_NE(refusal("-DA=\"x").find("a \" at byte 4 that is not closed"), std::string::npos);
  EXPECT_NE(refusal("-DA=x\\").find("end with a backslash"), std::string::npos);
  for (const char* bad : {"-D", "-U", "-I"}) EXPECT_NE(refusal(bad).find("stands at the end"), std::string::npos);
  for (const char* bad : {"1=2", "=2", "a-b=1", "'a b=1'", "a(=1", "''"}) {
    EXPECT_NE(refusal(std::string("-D ") + bad).find("does not begin with a macro's name"), std::string::npos) << bad;
  }
  EXPECT_NE(refusal("-U 1").find("not a macro's name"), std::string::npos);
  EXPECT_NE(refusal("-U 'f(x)'").find("not a macro's name"), std::string::npos);
  EXPECT_NE(refusal("-I ''").find("names no folder"), std::string::npos);
}

TEST(OptionsTest, TheNormalFormTellsDifferentOptionsApart) {
  EXPECT_EQ(parsed("-DA=1  -w").normalized, parsed("-w -D A").normalized);
  EXPECT_EQ(parsed("-I a").normalized, parsed("-Ia").normalized);
  const char* different[] = {"",
                             "-DA",
                             "-DA=2",
                             "-UA",
                             "-Ia",
                             "-DA -DB",
                             "-DB -DA",
                             "'-DA=1 -DB=1'",
                             "-w",
                             "-g",
                             "-Werror",
                             "-cl-mad-enable",
                             "-cl-opt-disable",
                             "-cl-fast-relaxed-math",
                             "-cl-unsafe-math-optimizations",
                             "-cl-finite-math-only",
                             "-cl-no-signed-zeros",
                             "-cl-denorms-are-zero",
                             "-cl-std=CL1.1",
                             "-cl-single-precision-constant",
                             "-rt-group-size=1",
                             "-rt-group-size=1,11",
                             "-rt-group-size=11,1"};
  for (const char* a : different) {
    for (const char* b : different) EXPECT_EQ(parsed(a).normalized == parsed(b).normalized, a == b) << a << " / " << b;
  }
}

}  // namespace
}  // namespace manyrt::compiler
