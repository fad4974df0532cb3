import { expect, it } from "vitest";
import { ConnectionGate } from "./connection-gate.ts";

it("runs as many tasks as it has places, the others in their order, also after a failure", async () => {
  const gate = new ConnectionGate(2);
  const begun: number[] = [];
  const ends = new Map<number, PromiseWithResolvers<void>>();
  const tasks = [0, 1, 2, 3].map((n) =>
    gate
      .run(() => {
        begun.push(n);
        const end = Promise.withResolvers<void>();
        ends.set(n, end);
        return end.promise;
      })
      .catch(() => "failed"),
  );
  await Promise.resolve();
  expect(begun).toEqual([0, 1]);
  ends.get(1)?.reject(new Error("refused"));
  expect(await tasks[1]).toBe("failed");
  expect(begun).toEqual([0, 1, 2]);
  ends.get(2)?.resolve();
  await tasks[2];
  expect(begun).toEqual([0, 1, 2, 3]);
  for (const n of [0, 3]) ends.get(n)?.resolve();
  await Promise.all(tasks);
});
