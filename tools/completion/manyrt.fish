# Completion of manyrt for fish. The command itself knows the words: it prints those that may stand here.
function __manyrt_candidates
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] completion --candidates -- $words[2..-1] 2>/dev/null)
        if test "$line" = ":files"
            __fish_complete_path (commandline -ct)
        else
            echo $line
        end
    end
end
complete -c manyrt -f -a "(__manyrt_candidates)"
