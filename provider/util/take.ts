/** Removes the first item that fits. */
export function take<T>(list: T[], fits: (one: T) => boolean): T | undefined {
  const index = list.findIndex(fits);
  return index < 0 ? undefined : list.splice(index, 1)[0];
}
