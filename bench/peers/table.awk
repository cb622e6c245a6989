# Makes a table of rows: work, prover, median, least, most, CPU seconds, device MiB, busy share, floor, right, and a note where the row was not
# measured in this run. Those with a note count only for work that no peer did. Fails if a result is wrong.

function shown(value, format) { return value == "-" ? "" : sprintf(format, value) }

# Seconds with three digits after what matters.
function seconds(value) { return value == "-" ? "" : sprintf(value < 1 ? "%.4f" : "%.2f", value) }

function share(value) { return value == "-" ? "" : sprintf("%.0f %%", 100 * value) }

function span(row) { return field[row, 4] == "-" ? "" : " (" seconds(field[row, 4]) " – " seconds(field[row, 5]) ")" }

function line(ours, theirs,    work, note) {
    work = field[ours ? ours : theirs, 1]
    note = theirs && field[theirs, 11] != "" ? " (" field[theirs, 11] ")" : ""
    printf "| %s | %s | %s | %s | %s |", work, seconds(field[ours, 3]) span(ours), field[theirs, 2] note, \
        seconds(field[theirs, 3]) span(theirs), ours && theirs ? sprintf("%.3f", field[ours, 3] / field[theirs, 3]) : ""
    printf " %s | %s | %s | %s |", shown(field[ours, 6], "%.3f"), shown(field[theirs, 6], "%.3f"), shown(field[ours, 7], "%d"), \
        shown(field[theirs, 7], "%d")
    printf " %s | %s | %s | %s |", share(field[ours, 8]), share(field[theirs, 8]), \
        seconds(field[ours, 9]), field[ours, 9] == "-" ? "" : sprintf("%.2f", field[ours, 3] / field[ours, 9])
    printf " %s | %s |\n", shown(field[ours, 10], "%s"), shown(field[theirs, 10], "%s")
}

BEGIN { for (i = 1; i <= 11; i++) field[0, i] = "-" }

/^#/ || NF < 10 { next }

{
    row++
    for (i = 1; i <= 11; i++) field[row, i] = $i
    if ($10 == "NO") wrong = 1
    if ($2 == "interlock") {
        if (!($1 in of)) works[++n] = $1
        of[$1] = row
    } else if ($11 == "") {
        measured[$1] = measured[$1] " " row
    } else {
        recorded[$1] = recorded[$1] " " row
    }
}

END {
    print "| work | interlock, s: median (least – most) | peer | s | ratio | CPU s: ours | peer's | device MiB: ours | peer's | GPU busy: ours | peer's | floor, s | times the floor | right: ours | peer's |"
    print "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for (i = 1; i <= n; i++) {
        peers = measured[works[i]] != "" ? measured[works[i]] : recorded[works[i]]
        count = split(peers, list, " ")
        if (!count) line(of[works[i]], 0)
        for (j = 1; j <= count; j++) line(of[works[i]], list[j])
    }
    for (work in measured)
        if (!(work in of)) {
            count = split(measured[work], list, " ")
            for (j = 1; j <= count; j++) line(0, list[j])
        }
    exit wrong
}
