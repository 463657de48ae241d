#!/usr/bin/env bash
# Compiles the Kotlin client for a desktop JVM: build.sh FOLDER LITERT, where LITERT is the folder of libLiteRt.so. Needs g++, a JDK,
# kotlinc 1.7 or newer and Android's org.json, which is libandroid-json-java on Debian. Then, in FOLDER, ./run MODEL TEXTS.
set -euo pipefail
folder=$1 litert=$2 here=$(cd "$(dirname "$0")" && pwd)
json=${ANDROID_JSON:-/usr/share/java/com.android.json.jar}
java=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
mkdir -p "$folder"
g++ -std=c++17 -Wall -Wextra -Werror -O2 -shared -fPIC -I"$java/include" -I"$java/include/linux" "$here/litert_jni.cpp" \
    -L"$litert" -lLiteRt -Wl,-rpath,"$litert" -o "$folder/liblitert_jni.so"
kotlinc -Werror -cp "$json" "$here/LiteRT.kt" "$here/Main.kt" "$here/../../../export/android/Translator.kt" \
    -include-runtime -d "$folder/translator.jar"
cat > "$folder/run" <<END
#!/bin/sh
exec java -Djava.library.path="$folder" -Dfile.encoding=UTF-8 -cp "$folder/translator.jar:$json" MainKt "\$@"
END
chmod +x "$folder/run"
