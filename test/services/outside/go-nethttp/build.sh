#!/bin/sh
cd "$(dirname "$0")" || exit 1
CGO_ENABLED=0 GOMAXPROCS=1 exec go build -p 1 -trimpath -o payments-server .
