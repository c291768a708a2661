# Sourced by the scripts of this folder that compare whole processes. $work must be set to a folder for the times.

export LC_ALL=C
command -v /usr/bin/time >/dev/null || { echo "GNU time is missing: apt-get install time" >&2; exit 2; }

# once NAME COMMAND…: one run with an empty folder $work/out. Appends its seconds, KiB and processor seconds to $work/NAME.times.
# The previous output is moved away instead of removed: for a minute, ext4 searches past the inodes of removed files, which makes writing
# thousands of files four times as slow.
once() {
  local name="$1"; shift
  if [ -e "$work/out" ]; then mkdir -p "$work/before"; mv "$work/out" "$(mktemp -d "$work/before/XXXXXX")"; fi
  mkdir -p "$work/out"
  local start=$EPOCHREALTIME
  # Peak memory is that of the largest process, even if the command starts others.
  /usr/bin/time -o "$work/used" -f '%M %U %S' "$@" >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
  local end=$EPOCHREALTIME
  tail -1 "$work/used" | awk -v a="$start" -v b="$end" '{ printf "%.4f %d %.2f\n", b - a, $1, $2 + $3 }' >>"$work/$name.times"
}

# middle NAME COLUMN: prints the median of a column of a command's times.
middle() {
  local count; count=$(wc -l <"$work/$1.times")
  cut -d' ' -f"$2" "$work/$1.times" | sort -n | sed -n "$(((count + 1) / 2))p"
}

# heading: prints the column titles of the reports.
heading() {
  printf '%-34s %10s %10s %10s\n' command seconds "CPU s" MiB
}

# report OURS [PEER]: prints the medians and the ratio of the peer's time to ours. On a busy machine, compare processor time.
report() {
  local name
  for name in "$@"; do
    printf '%-34s %10.3f %10.2f %10.1f\n' "$name" "$(middle "$name" 1)" "$(middle "$name" 3)" "$(awk -v kib="$(middle "$name" 2)" 'BEGIN { print kib / 1024 }')"
  done
  if [ $# -eq 2 ]; then
    awk -v ours="$(middle "$1" 1)" -v peer="$(middle "$2" 1)" -v own="$(middle "$1" 3)" -v others="$(middle "$2" 3)" -v names="$2 takes %.1f times as long as $1, and %.1f times the processor time\n" \
      'BEGIN { printf names, peer / ours, others / (own > 0 ? own : 0.01) }'
  fi
}
