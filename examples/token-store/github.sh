# GitHub Actions: one secret TOKEN_OF_KEY of the repository in GH_REPO. No one can read a secret, so a variable with the same name says what it has.
name() {
  echo "TOKEN_OF_$1" | tr a-z A-Z
}
stored() {
  gh variable list --json name,value --jq '.[] | select(.name | startswith("TOKEN_OF_")) | .value'
}
put() {
  gh variable set "$(name "$1")" --body "$1 pending" && gh secret set "$(name "$1")" < "$3" &&
    gh variable set "$(name "$1")" --body "$1 $2"
}
drop() {
  names=$(gh secret list --json name --jq '.[].name') &&
    { ! grep -qx "$(name "$1")" <<< "$names" || gh secret delete "$(name "$1")"; } &&
    gh variable delete "$(name "$1")"
}
