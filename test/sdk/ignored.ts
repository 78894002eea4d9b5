/** `ignoreChanges` of an OrgMember "ada" of either kind, and what its resources have to get. */
export const ignoredPaths = [
  "firstName",
  "credentials.clientSecret",
  "onDelete",
  "seat.sendEmail",
  "token.expiresAt",
  'token["recipients"][0]',
  "seat",
  "accessUntil",
  "*",
] as const;

export const ignoredByParts = {
  "ada-user": ["firstName", "credentials.clientSecret", "onDelete"],
  "ada-seat": ["credentials.clientSecret", "allowAdminRemoval", "sendEmail"],
  "ada-token": ["credentials.clientSecret", "allowAdminRemoval", "expiresAt", '["recipients"][0]'],
};

export const ignoredWarning =
  'OrgMember "ada": ignoreChanges has no effect on seat, accessUntil, *, because the program declares its resources by it. List single inputs instead, such as token.expiresAt.';
