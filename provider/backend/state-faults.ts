/** Why Pulumi cannot open the state of a stack, and the one step that heals it. Pure. */
import { LOG_IN, NOT_LOGGED_IN } from "../util/pulumi-command.ts";
import { SET_HOME } from "../util/search-path.ts";
import { shellWord } from "../util/text.ts";

/** A file of a stack in a backend of files: its state, the backup of that, or the attributes of one of them. */
export interface StateFile {
  /** The path. */
  readonly file: string;
  /** Pulumi reads nothing of the stack if one of the files is `empty`, or `broken`: no JSON. */
  readonly content: "whole" | "empty" | "broken";
}

/** Where a state is, as far as it is known. */
export interface StatePlace {
  /** The short name. */
  readonly stack: string;
  /** Empty if it is not known. */
  readonly backend: string;
  /** Those that exist; none unless the backend is a folder. */
  readonly files: readonly StateFile[];
}

export interface StateFault {
  /** What the error of Pulumi does not say. */
  readonly cause?: string | undefined;
  readonly step: string;
  /** Whether the state is damaged: otherwise Pulumi cannot get at it. */
  readonly isDamaged: boolean;
}

export const SET_PASSPHRASE =
  "set PULUMI_CONFIG_PASSPHRASE, or PULUMI_CONFIG_PASSPHRASE_FILE to a file, with the passphrase of the stack";

/** Pulumi's errors for a state, or attributes, that end early or are not JSON. */
const UNREADABLE = /(^|: )(unexpected )?EOF$|unexpected end of JSON|invalid character/;
/** Pulumi's error for the missing folder of a `file://` backend. */
const NO_FOLDER = /: stat (.+): no such file or directory$/;
const FORBIDDEN = /open (\S+): permission denied/;

/** @param error in one line @returns undefined if Pulumi's error says all that is known */
export function stateFault(error: string, place: StatePlace): StateFault | undefined {
  if (error.includes(NOT_LOGGED_IN)) return reachable(LOG_IN);
  if (/home (path|directory)/.test(error)) return reachable(SET_HOME);
  const folder = NO_FOLDER.exec(error)?.[1];
  if (folder !== undefined)
    return reachable(`create the folder of the backend: \`mkdir -p ${shellWord(folder)}\``);
  if (/passphrase/.test(error)) return reachable(SET_PASSPHRASE);
  const forbidden = FORBIDDEN.exec(error)?.[1];
  if (forbidden !== undefined) return reachable(`let this user read ${forbidden}`);
  if (!UNREADABLE.test(error)) return undefined;
  return damageIn(place) ?? (place.files.length === 0 ? damageElsewhere(error, place) : undefined);
}

function reachable(step: string): StateFault {
  return { step, isDamaged: false };
}

/** What the files of a stack show; undefined if they are whole. */
export function damageIn({ files }: Pick<StatePlace, "files">): StateFault | undefined {
  const damaged = files.filter(({ content }) => content !== "whole");
  const [attributes, others] = [true, false].map((is) =>
    damaged.filter(({ file }) => isAttributes(file) === is),
  );
  const [first] = attributes ?? [];
  if (first !== undefined) {
    const paths = (attributes ?? []).map(({ file }) => shellWord(file));
    return {
      cause: `${first.file} ${describe(first)}. A run that was killed while it wrote the file leaves it so; the state does not need it`,
      step: `remove it (\`rm ${paths.join(" ")}\`)`,
      isDamaged: true,
    };
  }
  const state = others?.find(({ file }) => !isBackup(file));
  if (state === undefined) return undefined;
  const backup = files.find(({ file }) => file === `${state.file}.bak`);
  const cause = `${state.file} ${describe(state)}. A run that ends while the disk is full leaves such a state`;
  return { cause, step: restoring(state.file, backup), isDamaged: true };
}

function restoring(file: string, backup: StateFile | undefined): string {
  if (backup?.content !== "whole") return `restore ${file} from a copy`;
  return `copy ${backup.file}, the previous state, over ${file}`;
}

/** In a backend that orgseat does not look into. */
function damageElsewhere(error: string, { stack, backend }: StatePlace): StateFault | undefined {
  // A connection can end like this too.
  if (/EOF$/.test(error)) return undefined;
  const place = backend === "" ? "the backend" : backend;
  return {
    cause: "A run that ends while the disk is full leaves such a state",
    step: `copy ${stack}.json.bak, the previous state, over ${stack}.json in ${place}`,
    isDamaged: true,
  };
}

function describe({ content }: StateFile): string {
  return content === "empty" ? "is empty" : "is not valid JSON";
}

function isAttributes(file: string): boolean {
  return file.endsWith(".attrs");
}

function isBackup(file: string): boolean {
  return file.endsWith(".bak");
}
