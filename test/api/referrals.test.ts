import { describe, expect, it } from "vitest";
import { referralCodeOf } from "../../src/domain/referral-code.ts";
import { newId } from "../../src/platform/ids.ts";
import { createClient, V1 } from "../support/client.ts";
import { createAccount } from "../support/factories.ts";
import { createInvitation, createMember, mailTokenOf, PASSWORD } from "../support/members.ts";
import { insertReferrals } from "../support/referrals.ts";

const STATS = `${V1}/referrals/stats`;
const click = (code: unknown) => createClient().post(`${V1}/referrals/click`, { code });

describe("GET /referrals/stats", () => {
  it("shows the caller's code and its address before anything came of it", async () => {
    const { client, user_id } = await createAccount();
    const code = referralCodeOf(user_id);
    expect(await client.get(STATS)).toMatchObject({
      status: 200,
      body: {
        code,
        url: `http://vigil.test/app?ref=${code}`,
        clicks: 0,
        signups: 0,
        credits: 0,
        credits_redeemed: 0,
      },
    });
  });

  it("counts the accounts that the caller's invitations opened, each of which earns a credit", async () => {
    const owner = await createAccount();
    const accept = (token: string) =>
      createClient().post(`${V1}/status-pages/members/accept`, { token, name: "New", password: PASSWORD });
    const { email } = await createInvitation(owner);
    expect(await accept(await mailTokenOf(email))).toMatchObject({ status: 200 });
    expect((await owner.client.get(STATS)).body).toMatchObject({ signups: 1, credits: 1 });
    const invited = await createAccount();
    const { token } = await createInvitation(owner, invited);
    expect(await invited.client.post(`${V1}/status-pages/members/accept`, { token })).toMatchObject({ status: 200 });
    await createMember(owner);
    expect((await owner.client.get(STATS)).body).toMatchObject({ signups: 1, credits: 1 });
  });
});

describe("POST /referrals/click", () => {
  it("counts a click for the code's user, without a credential", async () => {
    const [account, other] = [await createAccount(), await createAccount()];
    const { code } = (await account.client.get(STATS)).body;
    expect(await click(code)).toMatchObject({ status: 204, body: "" });
    expect(await click(` ${code} `)).toMatchObject({ status: 204 });
    expect((await account.client.get(STATS)).body).toMatchObject({ clicks: 2, signups: 0, credits: 0 });
    expect((await other.client.get(STATS)).body).toMatchObject({ clicks: 0 });
  });

  it.each([
    ["a code of nobody", () => referralCodeOf(newId())],
    ["a malformed code", () => "nonsense"],
    ["no text", () => 7],
    ["no code", () => undefined],
  ])("refuses %s", async (_name, code) => {
    expect(await click(code())).toMatchObject({ status: 400, body: { error: expect.stringContaining("code") } });
  });
});

describe("POST /referrals/redeem", () => {
  const redeem = (client: Awaited<ReturnType<typeof createAccount>>["client"], credits: unknown, key?: string) =>
    client.post(`${V1}/referrals/redeem`, { credits }, key === undefined ? {} : { "idempotency-key": key });

  it("books credits, and no more than there are", async () => {
    const { client, user_id } = await createAccount();
    await insertReferrals(user_id, { signups: 3 });
    expect(await redeem(client, 2)).toMatchObject({ status: 200, body: { credits: 1, credits_redeemed: 2 } });
    expect(await redeem(client, 2)).toMatchObject({
      status: 400,
      body: { error: "credits must be at most the 1 that are left" },
    });
    expect((await client.get(STATS)).body).toMatchObject({ signups: 3, credits: 1, credits_redeemed: 2 });
  });

  it("lets only one of two requests at once have the last credit", async () => {
    const { client, user_id } = await createAccount();
    await insertReferrals(user_id, { signups: 1 });
    const answers = await Promise.all([redeem(client, 1), redeem(client, 1)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400]);
    expect((await client.get(STATS)).body).toMatchObject({ credits: 0, credits_redeemed: 1 });
  });

  it("redeems once however often the request is repeated under its key", async () => {
    const { client, user_id } = await createAccount();
    await insertReferrals(user_id, { signups: 5 });
    const key = newId();
    await redeem(client, 2, key);
    expect(await redeem(client, 2, key)).toMatchObject({ status: 200, body: { credits: 3, credits_redeemed: 2 } });
    expect(await redeem(client, 1, key)).toMatchObject({ status: 422 });
  });

  it.each([[0], [-1], [1.5], ["2"], [null]])("refuses %s credits", async (credits) => {
    const { client } = await createAccount();
    expect(await redeem(client, credits)).toMatchObject({ status: 400 });
  });
});
