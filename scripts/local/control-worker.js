/**
 * Stands before the service and does for scripts what they may not do themselves: SQL as one transaction, the cron, and
 * results of checks that were made before.
 * Every request to the service's port comes here, so only the process that knows SECRET is served.
 */
export default {
  async fetch(request, env) {
    if (request.headers.get("authorization") !== env.SECRET) {
      const answer = env.SERVICE.fetch(withClientAddress(request, env));
      return takesPacked(request) ? compress(answer) : answer;
    }
    try {
      return Response.json(await ACTIONS[new URL(request.url).pathname](await request.json(), env));
    } catch (error) {
      return Response.json(error.message, { status: 500 });
    }
  },
};

/**
 * The service believes the header that Cloudflare writes. Here it says what a proxy wrote into another one, whose last
 * address is the proxy's own finding; without that nobody may write it, and the service takes the connection's address.
 */
function withClientAddress(request, { CLIENT_ADDRESS_HEADER: name }) {
  const claimed = request.headers.get("cf-connecting-ip");
  const found = (name && request.headers.get(name)?.split(",").at(-1).trim()) || null;
  if (claimed === found) return request;
  const headers = new Headers(request.headers);
  if (found === null) headers.delete("cf-connecting-ip");
  else headers.set("cf-connecting-ip", found);
  return new Request(request, { headers });
}

/** Browsers alone ask for HTML and for what it needs, so that nothing else costs more than this look. */
function takesPacked({ headers, url }) {
  const isOfPage = headers.get("accept")?.includes("text/html") || url.includes("/assets/");
  return isOfPage && GZIP.test(headers.get("accept-encoding") ?? "");
}

const GZIP = /\bgzip\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))/;

const PACKED = /^text\/(?:html|css|javascript)\b/;

/**
 * Pages with their scripts and style sheets, as Cloudflare does before a deployed Worker; the length of a page that is not
 * public would tell of secrets in it. Other files are as large as a megabyte, which would hold up all requests, and browsers
 * keep them.
 */
async function compress(answer) {
  const response = await answer;
  const { headers, status, body } = response;
  const isMeant = headers.get("cache-control")?.startsWith("public") && PACKED.test(headers.get("content-type") ?? "");
  if (!isMeant || body === null) return response;
  const changed = new Headers(headers);
  changed.set("Content-Encoding", "gzip");
  changed.append("Vary", "Accept-Encoding");
  const etag = headers.get("etag");
  if (etag?.startsWith('"')) changed.set("ETag", `W/${etag}`);
  return new Response(body, { status, headers: changed });
}

const ACTIONS = {
  async "/execute"(statements, { DB }) {
    const results = await DB.batch(statements.map(({ sql, params }) => DB.prepare(sql).bind(...params)));
    return results.map(({ results: rows }) => rows);
  },
  async "/health"(_, { SERVICE }) {
    const { status } = await SERVICE.fetch("http://service/health");
    return status;
  },
  /** Of an agent, as it would have sent them. */
  async "/results"({ agent_id, results }, { PROBER }) {
    const { added } = await PROBER.getByName(`agent/${agent_id}`).add(results, []);
    return added;
  },
  async "/cron"({ cron, scheduledTime }, { SERVICE }) {
    const { outcome } = await SERVICE.scheduled({ cron, scheduledTime: new Date(scheduledTime) });
    return outcome;
  },
};
