/** After this time a wait counts as a hang. It is far above what any machine needs. */
export const hangMs = 600_000;
