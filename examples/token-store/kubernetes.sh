# Kubernetes: one secret token-KEY for each person, in the current namespace.
stored() {
  kubectl get secrets -l app.kubernetes.io/managed-by=orgseat -o json |
    jq -r '.items[].metadata.annotations | "\(.["orgseat/key"]) \(.["orgseat/issued-at"])"'
}
put() {
  kubectl create secret generic "token-$1" --from-file=token="$3" --dry-run=client -o json |
    jq --arg key "$1" --arg issued "$2" '.metadata.labels = {"app.kubernetes.io/managed-by": "orgseat"} |
      .metadata.annotations = {"orgseat/key": $key, "orgseat/issued-at": $issued}' |
    kubectl apply --server-side -f -
}
drop() {
  kubectl delete secret "token-$1" --ignore-not-found
}
