#!/usr/bin/env bash
# redis-cli.sh - locks through redis-cli, in each of the ways it is used.
#
# Run by ../run-clients, which says what the arguments and the lines on standard
# input and output mean. Ann, ben, cid and dan hold one lock in turn, from two
# redis-cli that read their commands from a pipe and keep their connection. A
# null is an empty line there.
set -eu

if ! command -v redis-cli > /dev/null; then
    echo "redis-tools is not installed"
    exit 77
fi
redis-cli --version
export TERM=xterm NO_COLOR=1

plain=(redis-cli -h "${1%:*}" -p "${1##*:}")
follower=(redis-cli -h "${4%:*}" -p "${4##*:}")
key=cli:plain

fail() {
    echo "redis-cli: $1, but got: $2"
    exit 1
}

# What is expected, what came, and what it is about.
expect() {
    [ "$1" = "$2" ] || fail "$3 replies '$1'" "$2"
}

# An extended regular expression instead.
expect_like() {
    grep -qE -- "$1" <<< "$2" || fail "$3 replies '$1'" "$2"
}

change() {
    echo "ready $1"
    local line
    read -r line
    expect next "$line" "the driver"
}

# ---- two that stay connected ----

coproc ONE { exec "${plain[@]}" 2>&1; }
exec {one_out}<&"${ONE[0]}" {one_in}>&"${ONE[1]}"
# Bash warns that there is a coprocess already, but both work.
{ coproc TWO { exec "${plain[@]}" 2>&1; }; } 2> /dev/null
exec {two_out}<&"${TWO[0]}" {two_in}>&"${TWO[1]}"

# Read one line of a reply.
reply_of_one() {
    reply=
    read -r -t 50 -u "$one_out" reply || fail "the first goes on" "nothing"
}
reply_of_two() {
    reply=
    read -r -t 50 -u "$two_out" reply || fail "the second goes on" "nothing"
}

one() {
    echo "$*" >&"$one_in"
    reply_of_one
}

# Wait, in the second, until an owner is in the queue.
two_waits() {
    echo "LOCK.ACQUIRE $key $1 60000 WAIT 40000" >&"$two_in"
    local i
    for ((i = 0; i < 500; i++)); do
        if "${plain[@]}" --json -3 LOCK.STATUS "$key" |
            grep -q '"waiters":1'; then
            return
        fi
        sleep 0.01
    done
    fail "$1 waits" "no waiter"
}

two_is_granted() {
    reply_of_two
    [[ $reply =~ ^[0-9]+$ && $reply -gt $1 ]] ||
        fail "a younger token than $1" "$reply"
}

one "LOCK.ACQUIRE $key ann 30000"
ann=$reply
expect_like '^[0-9]+$' "$ann" LOCK.ACQUIRE
echo "LOCK.ACQUIRE $key ben 30000 WAIT 0" >&"$two_in"
reply_of_two
expect "" "$reply" "a refused LOCK.ACQUIRE"
two_waits ben
one "LOCK.RENEW $key ann $ann 60000"
expect 60000 "$reply" LOCK.RENEW
one "LOCK.RELEASE $key ann $ann"
expect 1 "$reply" LOCK.RELEASE
two_is_granted "$ann"
ben=$reply
one "LOCK.RELEASE $key ann $ann"
expect 0 "$reply" "a second LOCK.RELEASE"
one "LOCK.RENEW $key ann $ann 1000"
expect "" "$reply" "LOCK.RENEW of what is gone"

# ---- the ways to ask ----

expect PONG "$("${plain[@]}" ping)" ping
expect_like "^MOVED [0-9]+ 127.0.0.1:[0-9]+" \
    "$("${follower[@]}" LOCK.STATUS "$key")" "a follower's cluster port"
expect_like '"owner"' "$("${follower[@]}" -c --no-raw LOCK.STATUS "$key")" "-c"
expect_like '1# "key" => "cli:plain"' \
    "$("${plain[@]}" -3 --no-raw LOCK.STATUS "$key")" "-3"
expect_like '^\{"key":"cli:plain","mode":"exclusive","holders":\[\{"owner":"ben"' \
    "$("${plain[@]}" -3 --json LOCK.STATUS "$key")" "-3 --json"
expect_like "^cli:plain,exclusive" \
    "$("${plain[@]}" --csv LOCK.STATUS "$key" | tr -d '"' |
        sed 's/^key,//; s/,mode,/,/')" "--csv"
expect_like "ERR unknown command 'nonsense'" \
    "$("${plain[@]}" nonsense 2>&1)" nonsense
expect_like "replies: 3" "$(printf 'PING\r\nPING\r\nPING\r\n' |
    "${plain[@]}" --pipe)" "--pipe"
expect 3 "$("${plain[@]}" -r 3 ping | grep -c PONG)" "-r 3"
expect_like "LOCK.ACQUIRE.*key owner ttl-ms .SHARED. .WAIT ms." \
    "$(echo 'help lock.acquire' | "${plain[@]}")" "help from a pipe"
expect_like '^\+?OK' "$(timeout 0.3 "${plain[@]}" monitor)" monitor
expect_like '^subscribe' "$(timeout 0.3 "${plain[@]}" subscribe news)" subscribe

# What keeps on printing is read for one line of numbers.
stat=$(timeout 5 stdbuf -oL "${plain[@]}" --stat -i 0.2 | sed -n '3{p;q}') ||
    true
expect_like '^ *[0-9]+ +[0-9.]+[BKMG] +[0-9]+ +[0-9]+ ' "$stat" "--stat"
expect_like '^[0-9]+ [0-9]+ [0-9.]+ [0-9]+' \
    "$(timeout 10 "${plain[@]}" --latency -i 0.3 --raw < /dev/null)" "--latency"

# Its own scans, over SCAN, TYPE, STRLEN and MEMORY USAGE.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
    echo "SET cli:scan:$i $(printf "%0${i}0d" 0)"
done | "${plain[@]}" > /dev/null
expect 12 "$("${plain[@]}" --scan --pattern 'cli:scan:*' | sort -u | wc -l)" \
    "--scan --pattern"
expect "cli:scan:1 cli:scan:10 cli:scan:11 cli:scan:12" \
    "$("${plain[@]}" --scan --pattern 'cli:scan:1*' | sort -u |
        paste -sd ' ')" "a narrower --pattern"
expect_like 'Biggest string found .*"cli:scan:12".* has 120 bytes' \
    "$("${plain[@]}" --bigkeys)" "--bigkeys"
expect_like 'Biggest string found .*"cli:scan:12".* has [0-9]+ bytes' \
    "$("${plain[@]}" --memkeys)" "--memkeys"

expect_like 'All 16384 slots covered' "$("${follower[@]}" --cluster check "$4" \
    2>&1)" "--cluster check"

# ---- at a terminal ----

if command -v script > /dev/null; then
    # The screen is wide, so that the hint fits beside what is typed.
    screen=$({ sleep 1; printf 'help lock.acquire\r'; sleep 0.3
        printf 'lock.release '; sleep 0.3; printf '\025'
        printf 'help @lock\r'; sleep 0.3; printf 'lock.status '
        printf '%s\r' "$key"; sleep 0.3; printf 'quit\r'; sleep 0.3; } |
        timeout 20 script -qec "stty cols 200 rows 50; ${plain[*]}" /dev/null)
    expect_like "LOCK.ACQUIRE.*key owner ttl-ms .SHARED. .WAIT ms." "$screen" \
        "help lock.acquire at a terminal"
    expect_like "summary:.* lock" "$screen" "its summary"
    expect_like "group:.*lock" "$screen" "its group"
    expect_like "lock.release .*key owner token" "$screen" "a hint"
    expect_like "LOCK.SCAN" "$screen" "help @lock"
    expect_like '"exclusive"' "$screen" "lock.status at a terminal"
fi

# ---- other leaders ----

far=$("${follower[@]}" -c LOCK.ACQUIRE cli:cluster eve 60000)
expect_like '^[0-9]+$' "$far" "LOCK.ACQUIRE with -c"
# A redis-cli -c that stays, to be sent on by MOVED.
{ coproc FAR { exec "${follower[@]}" -c 2>&1; }; } 2> /dev/null
exec {far_out}<&"${FAR[0]}" {far_in}>&"${FAR[1]}"
far_renews() {
    echo "LOCK.RENEW cli:cluster eve $far 60000" >&"$far_in"
    reply='->'
    while [[ $reply == '->'* ]]; do # it says where it was sent
        read -r -t 20 -u "$far_out" reply || fail "-c goes on" "nothing"
    done
    expect 60000 "$reply" "LOCK.RENEW with -c"
}
far_renews
two_waits cid

change move
one "LOCK.RENEW $key ben $ben 60000"
expect 60000 "$reply" LOCK.RENEW
one "LOCK.RELEASE $key ben $ben"
expect 1 "$reply" LOCK.RELEASE
two_is_granted "$ben"
cid=$reply
two_waits dan
far_renews

change kill
for ((i = 0; i < 100; i++)); do
    one "LOCK.RENEW $key cid $cid 60000"
    [[ $reply == CLUSTERDOWN* ]] || break
    read -r -t 1 -u "$one_out" || true # an empty line follows an error
done
expect 60000 "$reply" "LOCK.RENEW after a crash"
one "LOCK.RELEASE $key cid $cid"
expect 1 "$reply" LOCK.RELEASE
two_is_granted "$cid"
one "LOCK.RELEASE $key dan $reply"
expect 1 "$reply" LOCK.RELEASE
expect_like '"mode":"free"' "$("${plain[@]}" --json -3 LOCK.STATUS "$key")" \
    LOCK.STATUS
# It stays with the node that MOVED named, so after a crash one starts anew.
expect 1 "$("${follower[@]}" -c LOCK.RELEASE cli:cluster eve "$far")" \
    "LOCK.RELEASE with -c after a crash"
