#!/bin/sh
exec java -XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:CICompilerCount=1 -XX:-UsePerfData -Xmx128m -Dsun.net.httpserver.nodelay=true -cp "$(dirname "$0")/classes" Main "$@"
