/** Simulates one seed after the other, each when it is asked for it, beside other threads that do the same. */
import { parentPort, workerData } from "node:worker_threads";
import { simulateDay } from "./day.ts";
import { loadProgram } from "./program.ts";

const program = loadProgram(workerData);
parentPort?.on("message", async (simulated) => parentPort?.postMessage(await simulateDay(program, simulated)));
