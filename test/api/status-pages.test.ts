import { env } from "cloudflare:workers";
import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { auditLog } from "../../src/data/audit/table.ts";
import { openDb } from "../../src/data/db.ts";
import { newId } from "../../src/platform/ids.ts";
import { createAccount } from "../support/factories.ts";
import { createPage, freshSlug, PAGES } from "../support/pages.ts";

const db = openDb(env.DB);

describe("POST /status-pages", () => {
  it("makes a public page with every default", async () => {
    const account = await createAccount();
    const slug = freshSlug();
    const { status, body } = await account.client.post(PAGES, { name: "  Shop  ", slug });
    expect(status).toBe(201);
    expect(body).toEqual({
      id: expect.any(String),
      name: "Shop",
      slug,
      url: `http://vigil.test/status/${slug}`,
      description: "",
      custom_domain: null,
      ssl_type: "none",
      is_public: true,
      show_branding: true,
      timezone: "UTC",
      logo_url: null,
      logo_dark_url: null,
      favicon_url: null,
      language: "en",
      show_latency: true,
      show_locations: false,
      has_password: false,
      brand_color: null,
      header_image_url: null,
      layout: "list",
      font: "inter",
      footer_text: null,
      footer_links: "[]",
      incident_system_enabled: true,
      auto_create_incident: false,
      auto_publish_incident: false,
      failure_threshold: null,
      external_key: null,
      imprint_url: null,
      privacy_url: null,
      advanced_alerts: false,
      alert_routing: {},
      notify_team: {
        down: true,
        up: true,
        degraded: false,
        incident: true,
        maintenance: true,
        agent_offline: true,
        certificate: true,
      },
      created_at: expect.stringMatching(/Z$/),
      updated_at: body.created_at,
    });
    expect((await account.client.get(`${PAGES}/${body.id}`)).body).toEqual(body);
  });

  it("keeps every member of the body", async () => {
    const account = await createAccount();
    const given = {
      description: "All we run",
      custom_domain: `Zustände-${newId()}.Example.COM`,
      logo_url: "https://cdn.example.com/logo.svg",
      brand_color: "#Ab12EF",
      header_image_url: "https://cdn.example.com/header.avif",
      layout: "grid",
      font: "serif",
      is_public: false,
      incident_system_enabled: false,
      show_branding: false,
      footer_text: "Call us",
      ssl_type: "managed",
      timezone: "America/Argentina/Buenos_Aires",
      auto_create_incident: true,
      auto_publish_incident: true,
      failure_threshold: 20,
    };
    const footer_links = [{ label: "Help", url: "https://example.com/help" }];
    const page = await createPage(account, { ...given, footer_links });
    expect(page).toMatchObject({
      ...given,
      custom_domain: new URL(`https://${given.custom_domain}`).hostname,
      footer_links: JSON.stringify(footer_links),
    });
    const round = await account.client.put(`${PAGES}/${page.id}`, page);
    expect(round).toMatchObject({ status: 200, body: { ...page, updated_at: expect.any(String) } });
  });

  it("takes footer_links as JSON in a string, too", async () => {
    const footer_links = '[{"label":"Help","url":"https://example.com"}]';
    expect((await createPage(await createAccount(), { footer_links })).footer_links).toBe(footer_links);
  });

  it("writes who made what into the audit log", async () => {
    const account = await createAccount();
    const page = await createPage(account);
    await account.client.put(`${PAGES}/${page.id}`, { name: "New", description: null });
    await account.client.delete(`${PAGES}/${page.id}`);
    const rows = await db.select().from(auditLog).where(eq(auditLog.target_id, page.id)).orderBy(auditLog.created_at);
    expect(rows.map(({ event_type, owner_id, data }) => ({ event_type, owner_id, data }))).toEqual([
      { event_type: "page.created", owner_id: account.user_id, data: {} },
      { event_type: "page.updated", owner_id: account.user_id, data: { changed: ["name", "description"] } },
      { event_type: "page.deleted", owner_id: account.user_id, data: {} },
    ]);
  });

  const long = (length: number) => "a".repeat(length);
  it.each<[name: string, body: Record<string, unknown>, error: string]>([
    ["no name", { name: undefined }, "name is required"],
    ["an empty name", { name: " " }, "name must not be empty"],
    ["a name of 201 characters", { name: long(201) }, "name must have at most 200 characters"],
    ["no slug", { slug: undefined }, "slug is required"],
    ["a slug of 2 characters", { slug: "ab" }, "slug must have 3 to 63 lower-case letters, digits and inner hyphens"],
    [
      "a slug of 64 characters",
      { slug: long(64) },
      "slug must have 3 to 63 lower-case letters, digits and inner hyphens",
    ],
    ["a slug with capitals", { slug: "Shop" }, "slug must have 3 to 63 lower-case letters, digits and inner hyphens"],
    ["a slug that begins with a hyphen", { slug: "-shop" }, expect.stringContaining("slug must have")],
    ["a slug that ends with a hyphen", { slug: "shop-" }, expect.stringContaining("slug must have")],
    ["a slug with a slash", { slug: "shop/../x" }, expect.stringContaining("slug must have")],
    ["a reserved slug", { slug: "api" }, "slug is reserved"],
    [
      "a description of 10,001 characters",
      { description: long(10_001) },
      "description must have at most 10000 characters",
    ],
    ["a colour by name", { brand_color: "red" }, "brand_color must be a colour of the form #rrggbb"],
    ["a short colour", { brand_color: "#fff" }, "brand_color must be a colour of the form #rrggbb"],
    ["a colour with more behind it", { brand_color: '#ffffff" onload="x' }, expect.stringContaining("brand_color")],
    ["a plain http logo", { logo_url: "http://example.com/x.png" }, "logo_url must be an https URL"],
    ["a logo that is a script", { logo_url: "javascript:alert(1)" }, "logo_url must be an https URL"],
    [
      "a plain http header image",
      { header_image_url: "http://example.com/x" },
      "header_image_url must be an https URL",
    ],
    ["a layout of its own", { layout: "masonry" }, expect.stringContaining("layout")],
    ["a font of its own", { font: "Comic Sans; } body { display: none" }, expect.stringContaining("font")],
    ["a logo with blanks", { logo_url: "https://example.com/a b" }, "logo_url must be an https URL"],
    [
      "a time zone that does not exist",
      { timezone: "Mars/Olympus" },
      expect.stringContaining("timezone must be an IANA"),
    ],
    ["a fixed offset", { timezone: "+02:00" }, expect.stringContaining("timezone must be an IANA")],
    ["a domain without a dot", { custom_domain: "localhost" }, expect.stringContaining("custom_domain must be a host")],
    ["an address as domain", { custom_domain: "10.0.0.1" }, expect.stringContaining("custom_domain must be a host")],
    ["a domain with a port", { custom_domain: "a.example.com:8080" }, expect.stringContaining("custom_domain must be")],
    ["a wildcard", { custom_domain: "*.example.com" }, expect.stringContaining("custom_domain must be a host")],
    ["an unknown ssl_type", { ssl_type: "own" }, "ssl_type must be one of managed, none"],
    ["a threshold of 0", { failure_threshold: 0 }, "failure_threshold must be at least 1"],
    ["a threshold of 21", { failure_threshold: 21 }, "failure_threshold must be at most 20"],
    ["is_public as a text", { is_public: "yes" }, "is_public must be a boolean"],
    ["footer_links that are not JSON", { footer_links: "{" }, "footer_links is not valid JSON"],
    ["footer_links that are no list", { footer_links: {} }, "footer_links must be an array"],
    [
      "a link that is a script",
      { footer_links: [{ label: "x", url: "javascript:alert(1)" }] },
      "footer_links[0].url must be an https URL",
    ],
    ["a link without a label", { footer_links: [{ url: "https://example.com" }] }, "footer_links[0].label is required"],
    ["a monitor id that is none", { monitors: ["x"] }, "monitors[0] must be a UUID"],
  ])("refuses %s and makes nothing", async (_name, change, error) => {
    const { client } = await createAccount();
    const answer = await client.post(PAGES, { name: "Shop", slug: freshSlug(), ...change });
    expect(answer).toMatchObject({ status: 400, body: { error } });
    expect((await client.get(PAGES)).body).toEqual([]);
  });

  it.each([
    ["3 characters", () => newId().slice(-3)],
    ["63 characters", () => `${newId()}-${"x".repeat(26)}`],
  ])("takes a slug of %s", async (_name, slug) => {
    await createPage(await createAccount(), { slug: slug() });
  });

  it("answers 409 for a slug that another page has, and for a domain of the same account", async () => {
    const [owner, other] = [await createAccount(), await createAccount()];
    const custom_domain = `${newId()}.example.com`;
    const { slug } = await createPage(owner, { custom_domain });
    const sameSlug = await other.client.post(PAGES, { name: "x", slug });
    expect(sameSlug).toMatchObject({ status: 409, body: { error: "slug is taken", code: "conflict" } });
    const upper = custom_domain.toUpperCase();
    const sameDomain = await owner.client.post(PAGES, { name: "x", slug: freshSlug(), custom_domain: upper });
    expect(sameDomain).toMatchObject({
      status: 409,
      body: { error: expect.stringMatching(/^custom_domain is taken/) },
    });
    expect((await other.client.get(PAGES)).body).toEqual([]);
  });

  it.each([
    ["free", 1],
    ["starter", 3],
    ["pro", 10],
  ] as const)("allows the %s plan %i pages, and says so before it looks at the body", async (plan, limit) => {
    const account = await createAccount({ plan });
    for (let n = 0; n < limit; n++) await createPage(account);
    const answer = await account.client.post(PAGES, { name: 5 });
    const error = `the ${plan} plan includes ${limit} status page${limit === 1 ? "" : "s"}`;
    expect(answer).toMatchObject({ status: 403, body: { error, code: "plan_limit" } });
    expect((await account.client.get(PAGES)).body).toHaveLength(limit);
  });

  it("holds the plan's limit when requests race", async () => {
    const { client } = await createAccount({ plan: "free" });
    const attempts = Array.from({ length: 5 }, () => client.post(PAGES, { name: "x", slug: freshSlug() }));
    const statuses = (await Promise.all(attempts)).map((answer) => answer.status);
    expect(statuses.sort()).toEqual([201, 403, 403, 403, 403]);
  });

  it("presents the page again under the same Idempotency-Key, even where the plan has no room for another", async () => {
    const { client } = await createAccount({ plan: "free" });
    const headers = { "idempotency-key": "one" };
    const body = { name: "Shop", slug: freshSlug() };
    const first = await client.post(PAGES, body, headers);
    const second = await client.post(PAGES, body, headers);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(second.body).toEqual(first.body);
    expect((await client.post(PAGES, { ...body, name: "Other" }, headers)).status).toBe(422);
    expect((await client.get(PAGES)).body).toHaveLength(1);
  });
});

describe("GET /status-pages", () => {
  it("lists the caller's own pages, oldest first, in pieces", async () => {
    const [owner, other] = [await createAccount(), await createAccount()];
    const pages = [await createPage(owner), await createPage(owner), await createPage(owner)];
    await createPage(other);
    const all = await owner.client.get(PAGES);
    expect(all.body).toEqual(pages);
    const piece = await owner.client.get(`${PAGES}?limit=1&offset=1`);
    expect(piece.body).toEqual([pages[1]]);
    expect([piece.headers.get("x-total-count"), piece.headers.get("link")]).toEqual([
      "3",
      expect.stringContaining("offset=2"),
    ]);
  });
});

describe("GET /status-pages/check-slug", () => {
  it.each([
    ["a free slug", () => freshSlug(), true],
    ["a reserved slug", () => "www", false],
    ["a malformed slug", () => "No%20way", false],
  ])("says whether %s is available", async (_name, slug, available) => {
    const { client } = await createAccount();
    const answer = await client.get(`${PAGES}/check-slug?slug=${slug()}`);
    expect(answer).toMatchObject({ status: 200, body: { available } });
  });

  it("knows the slugs of all accounts, and needs one to judge", async () => {
    const [owner, other] = [await createAccount(), await createAccount()];
    const { slug } = await createPage(owner);
    expect((await other.client.get(`${PAGES}/check-slug?slug=${slug}`)).body).toEqual({ available: false });
    expect((await other.client.get(`${PAGES}/check-slug`)).status).toBe(400);
  });
});

describe("PUT /status-pages/{id}", () => {
  it("keeps what is absent and gives what is null its default", async () => {
    const account = await createAccount();
    const page = await createPage(account, {
      description: "d",
      timezone: "Europe/Berlin",
      is_public: false,
      failure_threshold: 3,
      footer_links: [{ label: "a", url: "https://a.example" }],
    });
    const named = await account.client.put(`${PAGES}/${page.id}`, { name: "New" });
    expect(named.body).toEqual({ ...page, name: "New", updated_at: named.body.updated_at });
    const cleared = await account.client.put(`${PAGES}/${page.id}`, {
      description: null,
      timezone: null,
      is_public: null,
      failure_threshold: null,
      footer_links: null,
    });
    expect(cleared.body).toMatchObject({
      name: "New",
      description: "",
      timezone: "UTC",
      is_public: true,
      failure_threshold: null,
      footer_links: "[]",
    });
    expect((await account.client.get(`${PAGES}/${page.id}`)).body).toEqual(cleared.body);
  });

  it("refuses to clear the name, takes its own slug, and refuses another page's", async () => {
    const account = await createAccount();
    const [page, other] = [await createPage(account), await createPage(account)];
    expect((await account.client.put(`${PAGES}/${page.id}`, { name: null })).status).toBe(400);
    expect((await account.client.put(`${PAGES}/${page.id}`, { slug: page.slug })).status).toBe(200);
    expect((await account.client.put(`${PAGES}/${page.id}`, { slug: other.slug })).status).toBe(409);
    expect((await account.client.get(`${PAGES}/${page.id}`)).body).toMatchObject({ name: page.name, slug: page.slug });
  });

  it("is 404 for outsiders and 400 for what is no id", async () => {
    const [owner, outsider] = [await createAccount(), await createAccount()];
    const page = await createPage(owner);
    const answers = await Promise.all([
      outsider.client.get(`${PAGES}/${page.id}`),
      outsider.client.put(`${PAGES}/${page.id}`, { name: "mine" }),
      outsider.client.delete(`${PAGES}/${page.id}`),
      owner.client.get(`${PAGES}/${newId()}`),
      owner.client.get(`${PAGES}/nonsense`),
    ]);
    expect(answers.map((answer) => answer.status)).toEqual([404, 404, 404, 404, 400]);
    expect((await owner.client.get(`${PAGES}/${page.id}`)).body).toEqual(page);
  });
});
