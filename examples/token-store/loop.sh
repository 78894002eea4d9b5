#!/usr/bin/env bash
# Brings a store of tokens up to date with the state: docs/tokens.md, "Keep tokens in a store".
set -euo pipefail
umask 077
. ./store.sh
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

npx orgseat list --json key,token > "$work/people.json"
jq -r '.[] | select(.key and .token.issuedAt) | "\(.key) \(.token.issuedAt)"' "$work/people.json" > "$work/wanted"
stored > "$work/stored"
if [ ! -s "$work/wanted" ]; then
  echo "no one has a token: check the roster and the backend" >&2
  exit 1
fi

failed=0
grep -vxFf "$work/stored" "$work/wanted" > "$work/changed" || true
while read -r key issued <&3; do
  npx orgseat token "$key" --out "$work/line" && tr -d '\n' < "$work/line" > "$work/token" &&
    put "$key" "$issued" "$work/token" || failed=1
  rm -f "$work/line" "$work/token"
done 3< "$work/changed"

cut -d ' ' -f 1 "$work/wanted" > "$work/keys"
cut -d ' ' -f 1 "$work/stored" | grep -vxFf "$work/keys" > "$work/gone" || true
while read -r key <&3; do
  drop "$key" || failed=1
done 3< "$work/gone"
exit "$failed"
