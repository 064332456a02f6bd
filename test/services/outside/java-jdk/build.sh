#!/bin/sh
cd "$(dirname "$0")" && mkdir -p classes && exec javac -J-XX:+UseSerialGC -J-XX:TieredStopAtLevel=1 -J-XX:CICompilerCount=1 --release 17 -d classes src/*.java
