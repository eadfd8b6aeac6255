#!/bin/sh
set -e
count=$(tr -cd '0-9' < /var/runtime/input/data.json)
total=0
while [ "$count" -gt 0 ]; do
  total=$((total + count))
  count=$((count - 1))
done
echo "summed"
printf '{"total": %s}' "$total" > /var/runtime/output/output.json
