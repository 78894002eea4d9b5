/** Keeps one comment of the pull request (GitHub), or one note of the merge request (GitLab), up to date. */
import { readFile } from "node:fs/promises";
import { normalize } from "node:path";
import { setTimeout } from "node:timers/promises";
import { LIMIT, runStep, Stop, say, truncated } from "./shared.mjs";

const env = process.env;
/** Characters that stay free for the marker and the link. */
const FRAME = 2000;
const TRIES = 3;

// Of all jobs: the plan is in the log of the one that made it.
const logUrl =
  env.CI_PIPELINE_URL ??
  `${env.GITHUB_SERVER_URL}/${env.GITHUB_REPOSITORY}/actions/runs/${env.GITHUB_RUN_ID}`;

async function comment({ plan, name, ...options }) {
  const forge = env.GITLAB_CI === "true" ? gitLab() : gitHub(options);
  const marker = `<!-- orgseat ${encodeURIComponent(normalize(name))} -->`;
  const text = await readFile(plan, "utf8").catch(() => "");
  const shown = text.trim() === "" ? "### orgseat: failed before it had a plan" : text;
  const body = `${marker}\n${truncated(shown, LIMIT - FRAME)}\n\n<sub>[Log](${logUrl})</sub>`;
  for (let tries = 1; ; tries += 1) {
    try {
      console.log(await upsert(forge, marker, body));
      return 0;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.isRefusal && !error.isOutdated) {
        say("warning", `no comment: ${error.message}. ${forge.instead}`);
        return 0;
      }
      if (!error.isTransient || tries === TRIES) {
        throw new Stop(`cannot update the comment, which may show an older plan: ${error.message}`);
      }
      await setTimeout(Number(env.RETRY_PAUSE ?? 2000) * tries);
    }
  }
}

/** Lists again at every try: a lost response may have created the comment. */
async function upsert(forge, marker, body) {
  const place = await forge.place();
  if (place === undefined) return "no pull request has this commit, so there is no comment to update";
  const isOwn = await forge.isOwn();
  const own = (await listed(forge, place)).findLast((one) => one.body?.startsWith(marker) && isOwn(one));
  if (own === undefined) {
    await request(forge, "POST", place, { body });
    return "created the comment";
  }
  try {
    await request(forge, forge.update, forge.pathOf(place, own.id), { body });
  } catch (error) {
    if (error instanceof ApiError) error.isOutdated = true;
    throw error;
  }
  return "updated the comment";
}

async function listed(forge, place) {
  const all = [];
  for (let page = 1; ; page += 1) {
    const found = await request(forge, "GET", `${place}?per_page=100&page=${page}`);
    if (!Array.isArray(found)) throw new ApiError("the answer is not a list of comments");
    all.push(...found);
    if (found.length < 100) return all;
  }
}

function gitHub({ "pull-request": number, author }) {
  const repository = `/repos/${env.GITHUB_REPOSITORY}`;
  const forge = {
    name: "GitHub",
    api: env.GITHUB_API_URL ?? "https://api.github.com",
    token: env.COMMENT_TOKEN,
    update: "PATCH",
    instead:
      "The job summary has the plan. To get comments, give the job the permission pull-requests: write; pull requests of forks cannot have it",
    place: async () => {
      const found = number === "" ? await pullRequestOfCommit() : number;
      return found && `${repository}/issues/${found}/comments`;
    },
    pathOf: (_, id) => `${repository}/issues/comments/${id}`,
    isOwn: async () => (one) => one.user?.login === author,
  };
  const pullRequestOfCommit = async () => {
    const found = await request(forge, "GET", `${repository}/commits/${env.GITHUB_SHA}/pulls`);
    return (found.find?.((one) => one.merged_at) ?? found[0])?.number;
  };
  return forge;
}

function gitLab() {
  const forge = {
    name: "GitLab",
    api: env.CI_API_V4_URL,
    token: env.COMMENT_TOKEN,
    update: "PUT",
    instead: "The job's log and artifact have the plan. To get notes, set ORGSEAT_NOTE_TOKEN (README.md)",
    place: async () =>
      env.CI_MERGE_REQUEST_IID &&
      `/projects/${env.CI_PROJECT_ID}/merge_requests/${env.CI_MERGE_REQUEST_IID}/notes`,
    pathOf: (place, id) => `${place}/${id}`,
    isOwn: async () => {
      const { id } = await request(forge, "GET", "/user");
      return (one) => one.author?.id === id;
    },
  };
  return forge;
}

class ApiError extends Error {
  /** Whether another try can succeed. */
  isTransient = true;
  /** Whether the token lacks the right. */
  isRefusal = false;
  /** Whether a comment exists that the failure leaves as it is. */
  isOutdated = false;
}

/** @returns the answer's JSON @throws ApiError */
async function request({ name, api, token }, method, path, body) {
  if (!token) throw Object.assign(new ApiError("there is no token"), { isTransient: false, isRefusal: true });
  let response;
  let text;
  try {
    response = await fetch(`${api}${path}`, {
      method,
      // A redirect would carry the request, and the token, somewhere else.
      redirect: "error",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: body && JSON.stringify(body),
      signal: AbortSignal.timeout(30_000),
    });
    text = await response.text();
  } catch (error) {
    throw new ApiError(`${name} does not answer (${error.cause?.code ?? error.message})`);
  }
  const json = parsed(text);
  if (response.ok && json !== undefined) return json;
  throw apiError(name, method, path, response, json);
}

function apiError(name, method, path, { status, headers }, json) {
  const reason = json === undefined ? `${headers.get("content-type") ?? "no"} instead of JSON` : json.message;
  const what = `${name} answered ${method} ${path.replace(/\?.*/, "")} with ${status}`;
  const error = new ApiError(`${what} (${String(reason).slice(0, 300)})`);
  const isLimit = status === 429 || headers.has("retry-after") || /rate limit/i.test(String(reason));
  error.isTransient = json === undefined || status >= 500 || isLimit;
  error.isRefusal = !error.isTransient && (status === 403 || status === 404);
  return error;
}

function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

await runStep(["plan", "name", "pull-request", "author"], comment);
