# HashiCorp Vault: one entry orgseat/KEY of the KV engine, version 2, at secret. Without an entry, `vault kv list` exits with 2.
stored() {
  { vault kv list -format=json secret/orgseat || [ $? = 2 ]; } | jq -r 'arrays[]' |
    while read -r key; do
      vault kv get -format=json "secret/orgseat/$key" | jq -r --arg key "$key" '"\($key) \(.data.data.issuedAt)"'
    done
}
put() {
  vault kv put "secret/orgseat/$1" token=@"$3" issuedAt="$2"
}
drop() {
  vault kv metadata delete "secret/orgseat/$1"
}
