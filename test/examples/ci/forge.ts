/** The comments of GitHub and the notes of GitLab, as far as the steps ask for them. */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { z } from "zod";
import { listenOnLoopback } from "../../setup/loopback.ts";

export type ForgeName = "GitHub" | "GitLab";

export interface Comment {
  readonly id: number;
  readonly author: string;
  body: string;
}

/** Answers in the place of the forge. */
export type Answer = (response: ServerResponse) => void;

const ME = { GitHub: "github-actions[bot]", GitLab: "project_1_bot" } as const;
const bodySchema = z.object({ body: z.string() });

export class Forge {
  readonly name: ForgeName;
  readonly comments: Comment[] = [];
  /** Methods and paths of the requests so far. */
  readonly requests: string[] = [];
  /** Undefined: the forge answers itself. */
  disturb: (method: string) => Answer | undefined = () => undefined;
  #url = "";

  constructor(name: ForgeName) {
    this.name = name;
  }

  static async open(name: ForgeName): Promise<Forge> {
    const forge = new Forge(name);
    const server = createServer((request, response) => void forge.#answer(request, response));
    forge.#url = await listenOnLoopback(server);
    return forge;
  }

  /** The variables of a job of pull request 7. */
  get environment(): Record<string, string> {
    if (this.name === "GitHub") {
      return {
        ...{ GITHUB_API_URL: this.#url, GITHUB_REPOSITORY: "acme/people", GITHUB_RUN_ID: "9" },
        ...{ GITHUB_SERVER_URL: "https://github.example", GITHUB_SHA: "c0ffee", GITHUB_ACTIONS: "true" },
      };
    }
    return {
      ...{ GITLAB_CI: "true", CI_API_V4_URL: this.#url, CI_PROJECT_ID: "3", CI_MERGE_REQUEST_IID: "7" },
      CI_PIPELINE_URL: "https://gitlab.example/pipelines/9",
    };
  }

  get me(): string {
    return ME[this.name];
  }

  add(author: string, body: string): void {
    this.comments.push({ id: this.comments.length + 100, author, body });
  }

  get own(): readonly string[] {
    return this.comments.filter(({ author }) => author === this.me).map(({ body }) => body);
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = "", url = "" } = request;
    let text = "";
    for await (const chunk of request) text += String(chunk);
    this.requests.push(`${method} ${url}`);
    if (request.headers.authorization !== "Bearer the-token")
      return send(response, 401, { message: "Bad credentials" });
    const answer = this.disturb(method);
    if (answer !== undefined) return answer(response);
    const { pathname, searchParams } = new URL(url, this.#url);
    const place =
      this.name === "GitHub" ? "/repos/acme/people/issues/7/comments" : "/projects/3/merge_requests/7/notes";
    const one = this.name === "GitHub" ? "/repos/acme/people/issues/comments/" : `${place}/`;
    if (method === "GET" && pathname === "/user") return send(response, 200, { id: 1 });
    if (method === "GET" && pathname === "/repos/acme/people/commits/c0ffee/pulls") {
      return send(response, 200, [
        { number: 5, merged_at: null },
        { number: 7, merged_at: "2026-11-22" },
      ]);
    }
    if (method === "GET" && pathname === place) {
      const first = (Number(searchParams.get("page")) - 1) * 100;
      return send(response, 200, this.comments.slice(first, first + 100).map(this.#shape));
    }
    if (method === "POST" && pathname === place) {
      this.add(this.me, bodySchema.parse(JSON.parse(text)).body);
      return send(response, 201, {});
    }
    const comment = this.comments.find(({ id }) => pathname === `${one}${id}`);
    if (method !== (this.name === "GitHub" ? "PATCH" : "PUT") || comment === undefined) {
      return send(response, 404, { message: "Not Found" });
    }
    comment.body = bodySchema.parse(JSON.parse(text)).body;
    send(response, 200, {});
  }

  #shape = ({ id, author, body }: Comment): object =>
    this.name === "GitHub"
      ? { id, body, user: { login: author } }
      : { id, body, author: { id: author === this.me ? 1 : 2, username: author } };
}

export function send(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}
