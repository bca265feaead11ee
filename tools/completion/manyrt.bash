# Completion of manyrt for bash. The command itself knows the words: it prints those that may stand here.
_manyrt() {
  local typed=${COMP_LINE:0:COMP_POINT} current before line
  local -a words
  read -ra words <<<"$typed"
  [[ $typed == *[[:space:]] ]] && words+=("")
  current=${words[${#words[@]} - 1]}
  # Readline ends words at ":" and "=" too, so that what stands before the last of these is there already.
  before=${current%"${current##*[:=]}"}
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == :files ]]; then
      compopt -o default
    else
      COMPREPLY+=("${line#"$before"}")
    fi
  done < <("${words[0]}" completion --candidates -- "${words[@]:1}" 2>/dev/null)
}
complete -F _manyrt manyrt
