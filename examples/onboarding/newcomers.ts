/** The people to onboard, in the order in which they get seats. Add a line for one more person. */
export const newcomers: readonly string[] = [
  "ada@acme.example",
  "grace@acme.example",
  "hedy@acme.example",
  "katherine@acme.example",
];

/** Another number sends the emails again that are not in process, for example when seats are available. */
export const attempt = 1;
