import { describe, expect, it } from "vitest";
import { jobScope } from "../../src/access/scope.ts";
import { sweepSchedules } from "../../src/events/on-call-review.ts";
import { CORE, V1 } from "../support/client.ts";
import { createAccount, createPage } from "../support/factories.ts";
import { mailsTo } from "../support/mail.ts";
import { createMember, insertPassword, PASSWORD } from "../support/members.ts";
import { recordingEnv } from "../support/queues.ts";

const HOUR = 3_600_000;
const BEGUN_AT = Math.floor(Date.now() / 1000) * 1000;
const at = (hours: number) => new Date(BEGUN_AT + hours * HOUR).toISOString();

async function setUp() {
  const account = await createAccount();
  const status_page_id = await createPage(account);
  const path = `${V1}/status-pages/${status_page_id}/on-call`;
  return { account, client: account.client, status_page_id, path };
}

const stepTo = (type: string, value: string) => ({
  level: 1,
  wait_minutes: 0,
  contacts: [{ type, value, label: "Ops" }],
});
const MAIL = stepTo("email", "ops@shop.example");

describe("escalation policies", () => {
  it("are created with their steps in the order of level, changed and deleted", async () => {
    const { client, status_page_id, path } = await setUp();
    const later = { level: 2, contacts: [{ type: "telegram", value: "-100" }] };
    const created = await client.post(`${path}/policies`, { name: "Night", steps: [later, MAIL] });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: created.body.id,
        status_page_id,
        name: "Night",
        is_default: false,
        steps: [MAIL, { level: 2, wait_minutes: 5, contacts: [{ type: "telegram", value: "-100", label: null }] }],
        repeat_count: 0,
        monitor_ids: [],
        group_ids: [],
        tags: [],
        position: 0,
        notices: [{ path: "steps[1].contacts[0].value", message: expect.stringContaining("linked to none") }],
        created_at: created.body.created_at,
        updated_at: created.body.updated_at,
      },
    ]);
    const one = `${path}/policies/${created.body.id}`;
    const changed = await client.put(one, { name: "Day", repeat_count: 2 });
    expect(changed.body).toMatchObject({ name: "Day", repeat_count: 2, steps: created.body.steps });
    expect((await client.get(`${path}/policies`)).body).toEqual([changed.body]);
    expect([(await client.delete(one)).status, (await client.delete(one)).status]).toEqual([204, 404]);
  });

  it("are limited to what is of their page, which they say once it is deleted", async () => {
    const { client, status_page_id, path } = await setUp();
    const monitorOn = async (page: string | null) =>
      (await client.post(`${V1}/monitors`, { name: "M", type: "heartbeat", status_page_id: page })).body.id;
    const [own, elsewhere] = [await monitorOn(status_page_id), await monitorOn(null)];
    const refused = await client.post(`${path}/policies`, { name: "A", steps: [MAIL], monitor_ids: [own, elsewhere] });
    expect([refused.status, refused.body.error]).toEqual([400, "monitor_ids[1] must be of the status page"]);
    const made = await client.post(`${path}/policies`, { name: "A", steps: [MAIL], monitor_ids: [own], position: 3 });
    expect(made.body).toMatchObject({ monitor_ids: [own], group_ids: [], tags: [], position: 3 });
    const one = `${path}/policies/${made.body.id}`;
    expect((await client.put(one, { tags: ["eu"] })).body).toMatchObject({ monitor_ids: [own], tags: ["eu"] });
    await client.delete(`${V1}/monitors/${own}`);
    const [listed] = (await client.get(`${path}/policies`)).body;
    expect(listed.notices).toContainEqual({ path: "monitor_ids[0]", message: "names what was deleted" });
  });

  it("have at most one that is active: the last that was made so", async () => {
    const { client, path } = await setUp();
    const first = await client.post(`${path}/policies`, { name: "A", is_default: true, steps: [MAIL] });
    const second = await client.post(`${path}/policies`, { name: "B", is_default: true, steps: [MAIL] });
    const active = async () => (await client.get(path)).body.policy?.id ?? null;
    expect(await active()).toBe(second.body.id);
    expect((await client.put(path, { policy_id: first.body.id })).body.policy).toMatchObject({
      id: first.body.id,
      is_default: true,
    });
    const listed = (await client.get(`${path}/policies`)).body.map(
      (policy: { is_default: boolean }) => policy.is_default,
    );
    expect(listed).toEqual([true, false]);
    expect((await client.delete(path)).status).toBe(204);
    expect([await active(), (await client.delete(path)).status]).toEqual([null, 204]);
  });

  it.each([
    ["no step", { steps: [] }, "steps"],
    ["a repeated level", { steps: [MAIL, MAIL] }, "steps must not repeat a level"],
    ["a step without contacts", { steps: [{ level: 1, contacts: [] }] }, "steps[0].contacts"],
    ["a number that is called", { steps: [stepTo("phone", "+491")] }, "value must be the id of a user"],
    ["a number that gets messages", { steps: [stepTo("sms", "+491")] }, "value must be the id of a user"],
    ["no mail address", { steps: [stepTo("email", "ops")] }, "steps[0].contacts[0].value must be an e-mail address"],
    [
      "somebody outside the team",
      { steps: [stepTo("user", "0199c0de-0000-7000-8000-000000000001")] },
      "steps[0].contacts[0].value must be the owner or a member of the status page",
    ],
    [
      "a foreign schedule",
      { steps: [stepTo("schedule", "0199c0de-0000-7000-8000-000000000001")] },
      "steps[0].contacts[0].value must be an on-call schedule of the status page",
    ],
    [
      "a foreign webhook",
      { steps: [stepTo("webhook", "0199c0de-0000-7000-8000-000000000001")] },
      "steps[0].contacts[0].value must be a webhook of the status page",
    ],
    [
      "an address inside the network",
      { steps: [stepTo("webhook", "https://10.0.0.1/hook")] },
      "steps[0].contacts[0].value cannot be used",
    ],
  ])("refuse %s", async (_name, body, error) => {
    const { client, path } = await setUp();
    const answer = await client.post(`${path}/policies`, { name: "Night", ...body });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)]);
    expect((await client.get(`${path}/policies`)).body).toEqual([]);
  });

  it("show chat addresses masked to members without alerting.write, and keep them when the mask comes back", async () => {
    const { account, client, status_page_id, path } = await setUp();
    const secret = "https://hooks.slack.example/services/T/B/x";
    const { body } = await client.post(`${path}/policies`, { name: "Night", steps: [stepTo("slack", secret)] });
    const { member } = await createMember(account, { role: "custom", capabilities: ["oncall.write"] }, status_page_id);
    const [seen] = (await member.client.get(`${path}/policies`)).body;
    expect(JSON.stringify(seen)).not.toContain(secret);
    await member.client.put(`${path}/policies/${body.id}`, { name: "Dusk", steps: seen.steps });
    expect((await client.get(`${path}/policies`)).body[0]).toMatchObject({ name: "Dusk", steps: body.steps });
  });
});

describe("on-call schedules", () => {
  it("are created with shifts, read one by one and in a list, changed and deleted", async () => {
    const { account, client, status_page_id, path } = await setUp();
    const shifts = [{ user_id: account.user_id, start_at: at(-1), end_at: at(7) }];
    const created = await client.post(`${path}/schedules`, { name: "Primary", timezone: "Europe/Berlin", shifts });
    expect([created.status, created.body]).toEqual([
      201,
      {
        id: created.body.id,
        status_page_id,
        name: "Primary",
        timezone: "Europe/Berlin",
        is_active: true,
        shifts,
        rotations: [],
        overrides: [],
        gaps: [{ start_at: at(7), end_at: expect.any(String) }],
        created_at: created.body.created_at,
        updated_at: created.body.updated_at,
      },
    ]);
    const one = `${path}/schedules/${created.body.id}`;
    expect((await client.get(one)).body).toMatchObject({ shifts });
    const changed = await client.put(one, { name: "Secondary", shifts: null });
    expect(changed.body).toMatchObject({ name: "Secondary", shifts: [] });
    expect((await client.get(`${path}/schedules`)).body).toMatchObject([{ name: "Secondary", shifts: [] }]);
    expect([(await client.delete(one)).status, (await client.get(one)).status]).toEqual([204, 404]);
  });

  it("say who is on call now and until when, overrides first", async () => {
    const { account, client, status_page_id, path } = await setUp();
    const { member } = await createMember(account, { role: "editor" }, status_page_id);
    const shifts = [{ user_id: account.user_id, start_at: at(-1), end_at: at(7) }];
    const { body } = await client.post(`${path}/schedules`, { name: "Primary", shifts });
    const now = async () => (await client.get(path)).body.on_call_now;
    expect(await now()).toEqual([{ schedule_id: body.id, user_id: account.user_id, until: at(7) }]);
    const overrides = [{ add_user_id: member.user_id, remove_user_id: null, start_at: at(-1), end_at: at(2) }];
    expect((await client.put(`${path}/schedules/${body.id}`, { overrides })).body.overrides).toEqual(overrides);
    expect(await now()).toEqual([{ schedule_id: body.id, user_id: member.user_id, until: at(2) }]);
    await client.put(`${path}/schedules/${body.id}`, { is_active: false });
    expect(await now()).toEqual([]);
  });

  it("rotate through people at the same time of day", async () => {
    const { account, client, status_page_id, path } = await setUp();
    const { member } = await createMember(account, { role: "viewer" }, status_page_id);
    const rotation = { user_ids: [account.user_id, member.user_id], start_at: at(-25), period_hours: 24 };
    const { body } = await client.post(`${path}/schedules`, { name: "Daily", rotations: [rotation] });
    expect(body.rotations).toEqual([{ ...rotation, handoff_time: at(-25).slice(11, 16) }]);
    expect((await client.get(path)).body.on_call_now).toMatchObject([{ user_id: member.user_id }]);
  });

  it.each([
    [
      "overlapping shifts",
      (user_id: string) => ({
        shifts: [
          { user_id, start_at: at(0), end_at: at(8) },
          { user_id, start_at: at(7), end_at: at(9) },
        ],
      }),
      "shifts[1] must not overlap shifts[0]",
    ],
    [
      "a shift that ends before it starts",
      (user_id: string) => ({ shifts: [{ user_id, start_at: at(2), end_at: at(1) }] }),
      "end_at must be after start_at",
    ],
    [
      "shifts and a rotation together",
      (user_id: string) => ({
        shifts: [{ user_id, start_at: at(0), end_at: at(8) }],
        rotations: [{ user_ids: [user_id], start_at: at(0), period_hours: 24 }],
      }),
      "rotations must not be set together with shifts",
    ],
    [
      "somebody outside the team",
      () => ({ shifts: [{ user_id: "0199c0de-0000-7000-8000-000000000001", start_at: at(0), end_at: at(1) }] }),
      "shifts[0].user_id must be the owner or a member of the status page",
    ],
    ["an unknown zone", () => ({ timezone: "Mars/Base" }), "timezone"],
  ])("refuse %s", async (_name, bodyOf, error) => {
    const { account, client, path } = await setUp();
    const answer = await client.post(`${path}/schedules`, { name: "Primary", ...bodyOf(account.user_id) });
    expect([answer.status, answer.body.error]).toEqual([400, expect.stringContaining(error)]);
  });

  it("accept shifts that touch: spans are half-open", async () => {
    const { account, client, path } = await setUp();
    const shifts = [0, 8].map((start) => ({ user_id: account.user_id, start_at: at(start), end_at: at(start + 8) }));
    expect((await client.post(`${path}/schedules`, { name: "Primary", shifts })).status).toBe(201);
  });
});

describe("what names a user who left the team", () => {
  it("is a gap, and can be sent back as it was read", async () => {
    const { account, client, status_page_id, path } = await setUp();
    const { member, member_id } = await createMember(account, { role: "editor" }, status_page_id);
    const shifts = [{ user_id: member.user_id, start_at: at(-1), end_at: at(80) }];
    const { body: schedule } = await client.post(`${path}/schedules`, { name: "Week", shifts });
    const steps = [stepTo("user", member.user_id)];
    const { body: policy } = await client.post(`${path}/policies`, { name: "Night", steps });
    expect([schedule.gaps, (await client.get(path)).body.on_call_now.length]).toEqual([[], 1]);
    await client.delete(`${V1}/status-pages/${status_page_id}/members/${member_id}`);

    const left = await client.get(`${path}/schedules/${schedule.id}`);
    expect([left.body.gaps.length, (await client.get(path)).body.on_call_now]).toEqual([1, []]);
    const changed = await client.put(`${path}/schedules/${schedule.id}`, { ...left.body, name: "Month" });
    expect(changed).toMatchObject({ status: 200, body: { name: "Month", shifts } });
    expect(changed.body.gaps).toHaveLength(1);
    expect((await client.put(`${path}/policies/${policy.id}`, policy)).status).toBe(200);
    const added = [...steps, { ...stepTo("user", member.user_id), level: 2 }];
    expect((await client.put(`${path}/policies/${policy.id}`, { steps: added })).status).toBe(200);
    expect((await client.post(`${path}/policies`, { name: "New", steps })).status).toBe(400);
  });
});

describe("on-call that somebody would take away", () => {
  it("stays while a policy names the schedule, and says which", async () => {
    const { account, client, path } = await setUp();
    const shifts = [{ user_id: account.user_id, start_at: at(-1), end_at: at(80) }];
    const { body: schedule } = await client.post(`${path}/schedules`, { name: "Week", shifts });
    const steps = [MAIL, { ...stepTo("schedule", schedule.id), level: 2 }];
    const { body: policy } = await client.post(`${path}/policies`, { name: "Night", steps });
    const one = `${path}/schedules/${schedule.id}`;
    expect(await client.delete(one)).toMatchObject({
      status: 409,
      body: {
        code: "in_use",
        error: 'the on-call schedule is named by the escalation policies "Night"; remove it from their steps first',
      },
    });
    await client.put(`${path}/policies/${policy.id}`, { steps: [MAIL] });
    expect((await client.delete(one)).status).toBe(204);
  });

  it("answers where nobody is on call without the member who leaves, and notifies the owner at once", async () => {
    const { account, client, status_page_id, path } = await setUp();
    const { member, member_id } = await createMember(account, { role: "editor" }, status_page_id);
    const shifts = [{ user_id: member.user_id, start_at: at(-1), end_at: at(200) }];
    const { body: schedule } = await client.post(`${path}/schedules`, { name: "Week", shifts });
    const steps = [
      MAIL,
      { ...stepTo("user", member.user_id), level: 2 },
      { ...stepTo("schedule", schedule.id), level: 3 },
    ];
    await client.post(`${path}/policies`, { name: "Night", steps });
    const removed = await client.delete(`${V1}/status-pages/${status_page_id}/members/${member_id}`);
    const messages = [
      "nobody is on call by Week from now",
      "nobody is reached by step 2 of the escalation policy Night",
      "nobody is reached by step 3 of the escalation policy Night",
    ];
    expect([removed.status, removed.body]).toEqual([
      200,
      { notices: messages.map((message) => ({ path: "on_call", message })) },
    ]);
    const owner = `${account.user_id}@example.com`;
    expect((await mailsTo(owner)).map(({ subject }) => subject)).toEqual(
      Array(2).fill("Warning: Nobody on call: Night"),
    );
    await sweepSchedules(jobScope(recordingEnv().env, "test"));
    expect((await mailsTo(owner)).map(({ subject }) => subject)).toContain("Warning: Nobody on call: Week");
  });

  it("notifies the owner at once where the person on duty deletes their account", async () => {
    const { account, client, status_page_id, path } = await setUp();
    const { member } = await createMember(account, { role: "editor" }, status_page_id);
    const shifts = [{ user_id: member.user_id, start_at: at(-1), end_at: at(200) }];
    const { body: schedule } = await client.post(`${path}/schedules`, { name: "Week", shifts });
    await client.post(`${path}/policies`, { name: "Night", steps: [stepTo("schedule", schedule.id)] });
    await insertPassword(member);
    const gone = await member.client.request("DELETE", `${CORE}/user`, { password: PASSWORD });
    expect(gone.status).toBe(204);
    const subjects = async () => (await mailsTo(`${account.user_id}@example.com`)).map(({ subject }) => subject);
    expect(await subjects()).toContain("Warning: Nobody on call: Night");
    await sweepSchedules(jobScope(recordingEnv().env, "test"));
    expect(await subjects()).toContain("Warning: Nobody on call: Week");
  });

  it("answers nothing where others cover the time of the member who leaves", async () => {
    const { account, client, status_page_id, path } = await setUp();
    const { member, member_id } = await createMember(account, { role: "editor" }, status_page_id);
    const shifts = [
      { user_id: account.user_id, start_at: at(-1), end_at: at(80) },
      { user_id: member.user_id, start_at: at(80), end_at: at(200) },
    ];
    await client.post(`${path}/schedules`, { name: "Week", shifts });
    const both = { level: 1, contacts: [...stepTo("user", member.user_id).contacts, ...MAIL.contacts] };
    await client.post(`${path}/policies`, { name: "Night", steps: [both] });
    const removed = await client.delete(`${V1}/status-pages/${status_page_id}/members/${member_id}`);
    expect([removed.status, removed.body]).toEqual([204, ""]);
  });
});

describe("on-call of another page", () => {
  it("is not found under a page that it does not belong to", async () => {
    const { account, client, path } = await setUp();
    const other = `${V1}/status-pages/${await createPage(account)}/on-call`;
    const policy = await client.post(`${path}/policies`, { name: "Night", steps: [MAIL] });
    const schedule = await client.post(`${path}/schedules`, { name: "Primary" });
    expect((await client.put(`${other}/policies/${policy.body.id}`, { name: "Mine" })).status).toBe(404);
    expect((await client.get(`${other}/schedules/${schedule.body.id}`)).status).toBe(404);
    expect((await client.put(other, { policy_id: policy.body.id })).status).toBe(400);
  });
});
