# A folder, whose path is in STORE.
stored() {
  for file in "$STORE"/*.issued; do
    if [ -e "$file" ]; then echo "$(basename "$file" .issued) $(cat "$file")"; fi
  done
}
put() {
  echo pending > "$STORE/$1.issued" && cp "$3" "$STORE/.new" && mv "$STORE/.new" "$STORE/$1.token" &&
    echo "$2" > "$STORE/$1.issued"
}
drop() {
  rm -f "$STORE/$1.token" && rm -f "$STORE/$1.issued"
}
