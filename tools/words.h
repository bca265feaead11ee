// The words of the command line: which one was meant where one is mistyped, and which may come next, for the completion of
// shells. Both read them from the commands themselves, so that none is written twice.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

// One sentence about the first word that is neither a command nor an option, with the nearest one that is. Empty: there is
// none. `words` are those after the program's name.
std::string mistyped(const CLI::App& app, const std::vector<std::string>& words);

// `manyrt completion SHELL`: the script of a shell. Throws Failure for another word.
std::string completionScript(const std::string& shell);

// `manyrt completion --candidates -- WORD...`: what may stand in place of the last word, one on each line; ":files" where that
// is a file.
std::string candidates(const CLI::App& app, const std::vector<std::string>& words);
