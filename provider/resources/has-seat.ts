/** Whether a listed user has a seat. @param product its code; undefined: a seat of any product counts */
export function hasSeat(
  { subscriptions }: { readonly subscriptions: readonly string[] },
  product: string | undefined,
): boolean {
  return product === undefined ? subscriptions.length > 0 : subscriptions.includes(product);
}
