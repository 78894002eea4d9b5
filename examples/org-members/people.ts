export interface Person {
  /** The person's name in the program and its outputs. It does not change with the email. */
  readonly name: string;
  readonly email: string;
  /** Whether the person gets a paid seat, which a token requires. */
  readonly seat: boolean;
}

/**
 * The members of the organization. If you remove a line, orgseat revokes the token and removes the seat and the
 * membership.
 */
export const people: readonly Person[] = [
  { name: "ada", email: "ada@acme.example", seat: true },
  { name: "grace", email: "grace@acme.example", seat: true },
  { name: "katherine", email: "katherine@acme.example", seat: true },
  { name: "margaret", email: "margaret@acme.example", seat: false },
  { name: "hedy", email: "hedy@acme.example", seat: false },
];
