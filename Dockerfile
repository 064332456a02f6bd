# Sandbox in a container: docker build -t service-sandbox . && docker run -p 4010:4010 service-sandbox
# Each test key opens a separate account, which is removed after a day without a request. Options of `service-cli mock` after the image name replace the last line.
FROM node:24-bookworm-slim AS build
WORKDIR /build
COPY . .
RUN npm ci && npm run build

FROM node:24-alpine
ENV NODE_ENV=production
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY packages/contract/package.json packages/contract/
COPY packages/sdk/package.json packages/sdk/
COPY packages/webhooks/package.json packages/webhooks/
COPY packages/mock/package.json packages/mock/
COPY packages/probe/package.json packages/probe/
COPY packages/cli/package.json packages/cli/
RUN npm ci --omit=dev --omit=optional --workspace packages/cli && npm cache clean --force
COPY --from=build /build/packages/contract/dist packages/contract/dist
COPY --from=build /build/packages/sdk/dist packages/sdk/dist
COPY --from=build /build/packages/webhooks/dist packages/webhooks/dist
COPY --from=build /build/packages/mock/dist packages/mock/dist
COPY --from=build /build/packages/probe/dist packages/probe/dist
COPY --from=build /build/packages/cli/dist packages/cli/dist
COPY packages/cli/bin packages/cli/bin
USER node
EXPOSE 4010
HEALTHCHECK --interval=2s --timeout=2s --retries=15 CMD ["node", "--eval", "fetch('http://127.0.0.1:4010/_sandbox/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "packages/cli/bin/service-cli.js", "mock", "--host", "0.0.0.0"]
CMD ["--accounts", "open", "--max-accounts", "10000", "--expire", "24h"]
