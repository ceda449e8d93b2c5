#!/usr/bin/env bash
# redis-benchmark.sh - redis-benchmark, which must find a Redis everywhere.
#
# Run by ../run-clients, which says what the arguments mean; it asks for no
# change of leader. Only that the tool works is checked, not how fast.
#
# redis-benchmark --cluster refuses every cluster with one shard, a real Redis
# as well: "Invalid cluster: 1 node(s)". Should a later version accept one, then
# it must work. Without --cluster it measures the cluster port of the leader.
set -eu

if ! command -v redis-benchmark > /dev/null; then
    echo "redis-tools is not installed"
    exit 77
fi
redis-benchmark --version

follower=$1
leader=$3
cluster_follower=$4
cluster_leader=$6
lock=(LOCK.ACQUIRE bench:__rand_int__ owner:__rand_int__ 5000 WAIT 0)

# Address, then options. An error reply ends redis-benchmark 7.
bench() {
    local address=$1
    shift
    local output
    if ! output=$(timeout 60 redis-benchmark -h "${address%:*}" \
        -p "${address##*:}" --csv "$@" 2>&1); then
        echo "redis-benchmark: $* at $address failed:"
        echo "$output"
        exit 1
    fi
    # A head line and a line for each test; a warning or an error is neither.
    if ! grep -q '^"[^"]*","[0-9.]*",' <<< "$output" ||
        grep -qiE 'error|warning|could not' <<< "$output"; then
        echo "redis-benchmark: $* at $address said:"
        echo "$output"
        exit 1
    fi
    grep -v '^"test"' <<< "$output"
}

for address in "$follower" "$leader" "$cluster_follower"; do
    bench "$address" -t ping -n 2000
done
bench "$follower" -3 -t ping_mbulk -n 2000
bench "$follower" -P 16 -t ping_mbulk -n 4000
bench "$follower" -r 100000 -n 2000 "${lock[@]}"
bench "$follower" -r 100000 -n 8000 -P 16 "${lock[@]}"
bench "$follower" -r 100000 -n 2000 -3 "${lock[@]}"
bench "$leader" -r 100000 -n 8000 -P 16 --threads 2 "${lock[@]}"
bench "$cluster_leader" -r 100000 -n 2000 "${lock[@]}"
for address in "$follower" "$leader" "$cluster_leader"; do
    bench "$address" -t set,get -r 1000 -n 4000
    bench "$address" -t set,get -r 1000 -n 16000 -P 16
done
# Values of another size, and more of them at once than a node holds replies.
bench "$follower" -t set,get -d 60000 -n 2000 -P 64 -c 8
# One lock that all of them want: all but one are refused, and null is no error.
bench "$follower" -r 100000 -n 2000 -P 16 \
    LOCK.ACQUIRE bench:one owner:__rand_int__ 5000 WAIT 0

output=$(timeout 60 redis-benchmark -h "${cluster_follower%:*}" \
    -p "${cluster_follower##*:}" --cluster -r 100000 -n 2000 -q \
    LOCK.ACQUIRE 'bench:{tag}:__rand_int__' owner 5000 WAIT 0 2>&1) ||
    if [ "$output" != "Invalid cluster: 1 node(s)." ]; then
        echo "redis-benchmark --cluster said: $output"
        exit 1
    fi
echo "--cluster: ${output##*$'\r'}"
