export interface Person {
  /** The person's name in the program and in its outputs. It stays when the email changes. */
  readonly name: string;
  readonly email: string;
  /** A seat is paid for, and only with a seat there is a token. */
  readonly seat: boolean;
}

/** Who is in the organization. Removing a line removes the person: the token, the seat, the membership. */
export const people: readonly Person[] = [
  { name: "ada", email: "ada@acme.example", seat: true },
  { name: "grace", email: "grace@acme.example", seat: true },
  { name: "katherine", email: "katherine@acme.example", seat: true },
  { name: "margaret", email: "margaret@acme.example", seat: false },
  { name: "hedy", email: "hedy@acme.example", seat: false },
];
