# The agent alone, as a probe of its own network: docs/agent.md, "In a container".
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN sh scripts/setup.sh \
  && mkdir -p /empty/data \
  && chmod 700 /empty/data

FROM node:24-bookworm-slim
# What pings, and what walks to a target that fails.
RUN apt-get update -q \
  && apt-get install -qy --no-install-recommends iputils-ping mtr-tiny \
  && rm -rf /var/lib/apt/lists/*
COPY --from=build /source/node_modules/.assets/vigil-agent.mjs /opt/vigil-agent/vigil-agent.mjs
COPY --from=build --chown=node:node /empty /
# A new image brings a new program. The allocator gives back what the start needed.
ENV VIGIL_AGENT_DIR=/data VIGIL_AGENT_UPDATES=off MALLOC_ARENA_MAX=1 MALLOC_TRIM_THRESHOLD_=65536
USER node
VOLUME ["/data"]
ENTRYPOINT ["node", "--max-semi-space-size=1", "--optimize-for-size", "/opt/vigil-agent/vigil-agent.mjs"]
CMD ["run"]
