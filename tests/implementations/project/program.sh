#!/bin/sh
# Writes its input as its output: `program.sh WAY model.onnx DIR`. A scalar has no sizes: its file begins otherwise.
echo "noise on standard output"
input=$3/input_0.pb output=$3/output_0.pb
if [ "$(head -c 1 "$input" | od -An -tx1)" != " 08" ]; then scalar=yes; else scalar=no; fi
case $1-$scalar in
right-yes | wrong-yes | dies-yes | hangs-yes | garbage-yes | nothing-yes | writes-yes | pipes-yes | skips-yes | removes-yes | external-yes) exit 3 ;;
dies-no) kill -9 $$ ;;
fails-*) exit 1 ;;
hangs-no) sleep 60 ;;
garbage-no) echo "no tensor" > "$output" ;;
nothing-no) ;;
writes-no) cp "$input" "$output" && echo >> "$input" ;;
skips-no) cp "$input" "$output" && cp "$input" "$3/output_7.pb" ;;
pipes-no) cp "$input" "$output" && rm "$input" && mkfifo "$input" ;;
removes-no) rm -r "$3" ;;
external-no) printf '\010\001\020\003\160\001' > "$output" ;;
wrong-no) printf '\010\001\020\003J\001\002' > "$output" ;;
*) cp "$input" "$output" ;;
esac
