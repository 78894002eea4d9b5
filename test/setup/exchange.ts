/** A request by bare HTTP. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** The text as it came. */
  readonly text: string;
  /** The parsed body; undefined if there is none. */
  readonly body: unknown;
}

/** Sends one request and reads the answer whole. */
export async function exchange(url: URL | string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const { status, headers } = response;
  const text = await response.text();
  const isJson = headers.get("content-type")?.startsWith("application/json") && text !== "";
  return { status, headers, text, body: isJson ? JSON.parse(text) : undefined };
}
