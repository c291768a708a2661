# Sourced by the scripts that run suites of other projects: reads what their checks say, and reports it. A check is a line:
# `ok<TAB>name`, `fail<TAB>name<TAB>message` or `skip<TAB>name<TAB>reason`.
# shellcheck shell=bash

# Prints the lines of the specs in Ginkgo's JUnit report, which has one element per line.
junit_lines() {
	awk '
		function attribute(line, key) {
			if (!match(line, " " key "=\"[^\"]*\"")) return ""
			line = substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 4)
			gsub(/&#34;/, "\"", line); gsub(/&#39;/, "\047", line); gsub(/&lt;/, "<", line); gsub(/&gt;/, ">", line)
			gsub(/&#xA;|&#x9;|&#xD;/, " ", line); gsub(/&amp;/, "\\&", line)
			return line
		}
		function flush() { if (failed != "") print "fail\t" failed "\t" message; failed = message = "" }
		/<testcase / {
			flush()
			name = attribute($0, "name"); status = attribute($0, "status")
			sub(/^\[It\] /, "", name)
			# Set-up and tear-down count as checks only if they fail.
			if (status == "passed") { if (name !~ /^\[/) print "ok\t" name }
			else if (status == "pending" || status == "skipped") print "skip\t" name "\t" status " in the suite itself"
			else failed = name
		}
		failed != "" && /<(failure|error) / { message = substr(attribute($0, "message"), 1, 200) }
		END { flush() }'
}

# Prints the lines of the tests in the output of `go test -v`. A test that has subtests counts as a check only if it fails by itself.
go_test_lines() {
	awk '
		/^ *--- (PASS|FAIL|SKIP): / {
			outcome = $2; sub(/:$/, "", outcome)
			names[++count] = $3; outcomes[$3] = outcome
			parent = $3
			while (sub(/\/[^\/]*$/, "", parent)) {
				parents[parent] = 1
				if (outcome == "FAIL") blamed[parent] = 1
			}
		}
		/^panic: / { panicked = substr($0, 1, 200) }
		END {
			for (i = 1; i <= count; i++) {
				name = names[i]; outcome = outcomes[name]
				if (outcome == "FAIL" && !(name in blamed)) print "fail\t" name "\tsee the log"
				else if (!(name in parents) && outcome == "PASS") print "ok\t" name
				else if (!(name in parents) && outcome == "SKIP") print "skip\t" name "\tskipped in the suite itself"
			}
			if (panicked != "") print "fail\t(panic)\t" panicked
		}'
}

# report KNOWN LOGS NAME…: prints the table of the checks in LOGS/NAME.tsv, with a dash for a slash in the name, then failures and
# known failures. KNOWN has lines of a name, `always` or `sometimes`, a check and the reason. What LOGS/NAME.figures says is
# printed beside the counts. Returns 1 if a failure is unknown.
report() {
	local known=$1 logs=$2
	shift 2
	awk -F '\t' -v known_file="$known" -v names="$*" -v logs="$logs" '
		function row(name, a, b, c, d, e) { printf "%-30s %7s %7s %7s %8s%s\n", name, a, b, c, d, e == "" ? "" : "  " e }
		BEGIN {
			while ((getline line < known_file) > 0) {
				if (line ~ /^#/ || split(line, field, "\t") != 4) continue
				reason[field[1], field[3]] = field[4]
				if (field[2] == "sometimes") races[field[1], field[3]] = 1
			}
			row("", "passed", "failed", "known", "skipped")
			count = split(names, clients, " ")
			for (i = 1; i <= count; i++) {
				name = clients[i]; ok = bad = expected = skipped = 0; why = ""
				file = name; gsub("/", "-", file); file = logs "/" file ".tsv"
				while ((getline < file) > 0) {
					key = name SUBSEP $2
					if ($1 == "ok") { ok++; if (key in reason && !(key in races)) stale = stale "\n  " name ": " $2 }
					else if ($1 == "skip") { if ($2 == "(all)") { why = $3 } else { skipped++; skips[name ": " $3]++ } }
					else if (key in reason) { expected++; exceptions = exceptions "\n  " name ": " $2 ": " reason[key] }
					else { bad++; failures = failures "\n  " name ": " $2 ": " $3 }
				}
				close(file)
				sub(/tsv$/, "figures", file)
				figures = ""
				getline figures < file
				close(file)
				if (why != "") { printf "%-30s skipped: %s\n", name, why } else { row(name, ok, bad, expected, skipped, figures) }
				failed += bad
			}
			if (exceptions != "") print "\nknown failures:" exceptions
			first = 1
			for (skip in skips) { if (first) print "\nskipped:"; first = 0; print "  " skip " (" skips[skip] ")" }
			if (stale != "") print "\nno longer fail; remove them from " known_file ":" stale
			if (failures != "") print "\nfailed:" failures
			exit failed > 0
		}'
}
