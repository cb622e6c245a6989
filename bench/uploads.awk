# Whether workers' uploads lie inside the MSMs of others, by a trace that INTERLOCK_TRACE keeps: of each device and call how long its vectors were
# copied, and how much of that while MSMs of other calls ran. Fails unless that is so of more than half of the calls.
# usage: awk -f uploads.awk FILE

# What the number, or the text, after "name": is.
function number(name) { return match($0, "\"" name "\":[0-9.]+") ? substr($0, RSTART + length(name) + 3, RLENGTH - length(name) - 3) + 0 : 0 }

function text(name) { return match($0, "\"" name "\":\"[^\"]*\"") ? substr($0, RSTART + length(name) + 4, RLENGTH - length(name) - 5) : "" }

/"thread_name"/ {
    name = substr($0, index($0, "\"args\""))
    thread[number("pid"), number("tid")] = name ~ /"compute/ ? "compute" : name ~ /"uploads/ ? "uploads" : "other"
}

/"cat":"device"/ {
    device = number("pid")
    on = thread[device, number("tid")]
    if (on == "compute" && text("name") ~ /MSM/) {
        i = msms[device]++
        from[device, i] = number("ts"); until[device, i] = number("ts") + number("dur"); of[device, i] = number("call")
        what[device, i] = text("name")
    } else if (on == "uploads") {
        uploads++
        where[uploads] = device; begins[uploads] = number("ts"); took[uploads] = number("dur"); whose[uploads] = number("call")
    }
}

END {
    # Both are in the order of their beginnings, and MSMs of a device come one after the other.
    for (u = 1; u <= uploads; u++) {
        device = where[u]; call = whose[u]; ends = begins[u] + took[u]
        all += took[u]
        if (!((device, call) in sent)) calls++
        sent[device, call] += took[u]
        while (first[device] + 0 < msms[device] && until[device, first[device] + 0] <= begins[u]) first[device]++
        for (i = first[device] + 0; i < msms[device] && from[device, i] < ends; i++) {
            if (of[device, i] == call) continue
            within = (until[device, i] < ends ? until[device, i] : ends) - (from[device, i] > begins[u] ? from[device, i] : begins[u])
            inside += within
            here[device, call] += within
            pair = call " " of[device, i] " " what[device, i]
            shared[pair] += within
            if (shared[pair] > most) { most = shared[pair]; best = pair }
        }
    }
    for (call in here) if (here[call] > 0) others++
    printf "%d calls, %d uploads of %.1f ms: %.1f ms of them (%.0f %%), of %d calls, inside MSMs of other calls\n", calls, uploads, all / 1000, \
        inside / 1000, all ? 100 * inside / all : 0, others
    if (best) { split(best, best_of, " "); printf "most of one by one: %.1f ms of uploads of call %d inside an MSM of call %d\n", most / 1000, best_of[1], best_of[2] }
    yes = 2 * others > calls
    print "uploads of workers inside the MSMs of others: " (yes ? "yes" : "NO")
    exit !yes
}
