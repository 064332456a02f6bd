#!/bin/sh
set -e
cd "$(dirname "$0")"
[ -x venv/bin/python ] || python3 -m venv venv
venv/bin/pip install -q "aiohttp==3.14.5"
