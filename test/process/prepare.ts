import { prepareState } from "../../scripts/local/preparation.ts";
import { createStateDir, stateDirOf } from "../../scripts/local/settings.ts";

const stateDir = stateDirOf(process.env);
createStateDir(stateDir);
await prepareState(stateDir, new AbortController().signal, async () => {});
