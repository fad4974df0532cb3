# The whole service in one image: `docker compose up --build`, see docs/one-machine.md.
FROM node:24-bookworm-slim AS build
WORKDIR /source
COPY . .
RUN npm run --silent package \
  && npm install --prefix /opt/vigil --no-audit --no-fund --loglevel=error ./dist/vigil-*.tgz \
  && mkdir -p /empty/data /empty/backups \
  && chmod 700 /empty/data /empty/backups

FROM node:24-bookworm-slim
COPY --from=build /opt/vigil /opt/vigil
COPY --from=build --chown=node:node /empty /
RUN ln -s /opt/vigil/node_modules/.bin/vigil /usr/local/bin/vigil
# The allocator gives back what the start needed.
ENV HOST=0.0.0.0 PORT=8787 STATE_DIR=/data BACKUP_DIR=/backups MALLOC_TRIM_THRESHOLD_=65536
USER node
VOLUME ["/data", "/backups"]
EXPOSE 8787
HEALTHCHECK --interval=30s --timeout=10s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/health`).then((response) => process.exit(response.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--optimize-for-size", "/opt/vigil/node_modules/vigil/scripts/local/launch.js"]
CMD ["serve"]
