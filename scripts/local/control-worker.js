/**
 * Stands before the service and does for scripts what they may not do themselves: SQL as one transaction, and the cron.
 * Every request to the service's port comes here, so only the process that knows SECRET is served.
 */
export default {
  async fetch(request, env) {
    if (request.headers.get("authorization") !== env.SECRET) return env.SERVICE.fetch(request);
    try {
      return Response.json(await ACTIONS[new URL(request.url).pathname](await request.json(), env));
    } catch (error) {
      return Response.json(error.message, { status: 500 });
    }
  },
};

const ACTIONS = {
  async "/execute"(statements, { DB }) {
    const results = await DB.batch(statements.map(({ sql, params }) => DB.prepare(sql).bind(...params)));
    return results.map(({ results: rows }) => rows);
  },
  async "/health"(_, { SERVICE }) {
    const { status } = await SERVICE.fetch("http://service/health");
    return status;
  },
  async "/cron"({ cron, scheduledTime }, { SERVICE }) {
    const { outcome } = await SERVICE.scheduled({ cron, scheduledTime: new Date(scheduledTime) });
    return outcome;
  },
};
