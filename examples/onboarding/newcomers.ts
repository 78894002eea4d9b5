/** Who is to come in, in the order in which they get seats. Add a line to ask for one more person. */
export const newcomers: readonly string[] = [
  "ada@acme.example",
  "grace@acme.example",
  "hedy@acme.example",
  "katherine@acme.example",
];

/** Another number asks once more for those who are not in process, for example when seats are free again. */
export const attempt = 1;
