import { exports } from "cloudflare:workers";
import { Buffer } from "node:buffer";
import { crc32, deflateSync } from "node:zlib";
import { describe, expect, it, vi } from "vitest";
import { evaluateSla } from "../../src/domain/sla.ts";
import { presentShown } from "../../src/features/sla/present.ts";
import { createAccount } from "../support/factories.ts";
import { insertMonitor } from "../support/monitors.ts";
import { createPage, PAGES } from "../support/pages.ts";
import { hang, refuseConnection, type SinkAnswer, useSink } from "../support/sink.ts";

const sink = useSink();
const LOGO = "https://sink.test/logo";

/** One red point. */
const PNG = Uint8Array.from(
  atob("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC"),
  (letter) => letter.charCodeAt(0),
);
/** As far as the size of a picture of two by one points. */
const JPEG = Uint8Array.of(...[0xff, 0xd8, 0xff, 0xc0, 0, 11, 8, 0, 1, 0, 2, 1, 1, 17, 0, 0xff, 0xd9]);

async function report(given: { logo_url?: string; monitors?: number; names?: string[] } = {}) {
  const { logo_url, monitors = 1, names = Array.from({ length: monitors }, (_, n) => `监控 ${n}`) } = given;
  const account = await createAccount();
  const ids: string[] = [];
  for (const name of names) ids.push((await insertMonitor(account.user_id, { name })).id);
  const page = await createPage(account, { name: "Überwachung", monitors: ids, ...(logo_url && { logo_url }) });
  const response = await exports.default.fetch(`http://vigil.test${PAGES}/${page.id}/sla/export?format=pdf`, {
    headers: { authorization: `Bearer ${account.token}` },
  });
  const bytes = new Uint8Array(await response.arrayBuffer());
  return {
    response,
    bytes,
    file: new TextDecoder("latin1").decode(bytes).replace(/(?<=>>\nstream\n).*?(?=\nendstream)/gs, ""),
  };
}

/** A small PNG of so many points a side. */
function unfolding(side: number): Uint8Array {
  const chunk = (type: string, data: Uint8Array) => {
    const head = Buffer.alloc(8);
    head.writeUInt32BE(data.length);
    head.write(type, 4, "latin1");
    const body = Buffer.concat([head.subarray(4), data]);
    const tail = Buffer.alloc(4);
    tail.writeUInt32BE(crc32(body));
    return Buffer.concat([head.subarray(0, 4), body, tail]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(side, 0);
  header.writeUInt32BE(side, 4);
  header.set([8, 6], 8);
  const rows = deflateSync(Buffer.alloc(side * (4 * side + 1)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  const parts = [chunk("IHDR", header), chunk("IDAT", rows), chunk("IEND", new Uint8Array())];
  return new Uint8Array(Buffer.concat([signature, ...parts]));
}

describe("a report for people", () => {
  const measured = (minutes: number) => {
    const tally = { up: minutes * 60_000, degraded: 0, down: 60_000, maintenance: 0, outages: 1 };
    const result = evaluateSla(tally, 99.9, { exclude_maintenance: true, degraded_counts_as_downtime: false });
    const monitors = [{ id: "m", name: "Shop", target_percentage: 99.9, result }];
    const range = { from_at: 0, to_at: 86_400_000 };
    return { page: { id: "p" } as never, range, policy: null, target_percentage: 99.9, overall: result, monitors };
  };

  it.each([
    [10, { uptime_percentage: null, meets_target: null }],
    [99, { uptime_percentage: 99, meets_target: false }],
  ])("says after %i minutes and one of an outage what an hour allows to say", (minutes, figures) => {
    const { overall, monitors } = presentShown(measured(minutes));
    expect([overall, monitors[0]]).toMatchObject([figures, figures]);
  });
});

describe("GET /status-pages/{id}/sla/export?format=pdf", () => {
  it.each([
    [1, 1],
    [100, 3],
  ])("gives a report on %i monitors in %i pages with its own letters", async (monitors, pages) => {
    const { response, file } = await report({ monitors });
    expect(response.status).toBe(200);
    expect(file.slice(0, 9)).toBe("%PDF-1.7\n");
    expect(file.slice(-6)).toBe("%%EOF\n");
    expect(file).toContain(`/Count ${pages} >>`);
    expect(file.match(/\/FontFile2/g)).toHaveLength(2);
    expect(sink.received).toEqual([]);
  });

  it.each<[string, SinkAnswer[], RegExp]>([
    ["a PNG", [() => new Response(PNG)], /\/Width 1 \/Height 1 \/ColorSpace \/DeviceRGB/],
    [
      "a JPEG, whatever it says it is",
      [() => new Response(JPEG, { headers: { "content-type": "text/html" } })],
      /\/DCTDecode/,
    ],
    ["a picture behind another address", [redirect("/logo"), () => new Response(PNG)], /\/Logo \d+ 0 R/],
  ])("shows the logo: %s", async (_name, answers, expected) => {
    sink.answer(LOGO, ...answers);
    const { file } = await report({ logo_url: LOGO });
    expect(file).toMatch(expected);
    expect(sink.received[0]?.headers.get("accept")).toBe("image/png, image/jpeg");
  });

  it.each<[string, SinkAnswer[]]>([
    ["is not there", [404]],
    ["cannot be reached", [refuseConnection]],
    ["is an SVG", [() => new Response("<svg/>", { headers: { "content-type": "image/svg+xml" } })]],
    ["is nothing", [() => new Response(null, { status: 200 })]],
    ["is damaged", [() => new Response(PNG.slice(0, 50))]],
    ["is larger than a mebibyte", [() => new Response(new Uint8Array(1024 * 1024 + 1).fill(0xff))]],
    ["unfolds to 64 megabytes", [() => new Response(unfolding(4000))]],
    ["points around in a circle", [redirect("/logo"), redirect("/logo"), redirect("/logo")]],
    ["points to an address without encryption", [redirect("http://sink.test/logo")]],
    ["points to a private address", [redirect("https://169.254.169.254/latest")]],
    ["points to nothing", [() => new Response(null, { status: 302 })]],
    ["points to nonsense", [redirect("https://[")]],
  ])("leaves out a logo that %s", async (_name, answers) => {
    sink.answer(LOGO, ...answers);
    const { response, file } = await report({ logo_url: LOGO });
    expect(response.status).toBe(200);
    expect(file).toContain("/Count 1 >>");
    expect(file).not.toContain("/Logo");
    expect(sink.received).toHaveLength(answers.length);
  });

  it("waits three seconds for a logo, and gives the report without it", async () => {
    const given = AbortSignal.timeout.bind(AbortSignal);
    const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation(() => given(10));
    sink.answer(LOGO, hang);
    const { response, file } = await report({ logo_url: LOGO });
    expect(response.status).toBe(200);
    expect(file).not.toContain("/Logo");
    expect(timeout).toHaveBeenCalledWith(3000);
  });

  it("keeps the letters of reports to itself", async () => {
    for (const path of ["/letters/regular/0.bin", "/docs/letters/regular/0.bin", "/docs/LICENSE"]) {
      expect((await exports.default.fetch(`http://vigil.test${path}`)).status).toBe(404);
    }
  });
});

/** Each made when it is asked for: a body belongs to the request in which it was made. */
function redirect(location: string): SinkAnswer {
  return () => new Response(null, { status: 302, headers: { location } });
}
