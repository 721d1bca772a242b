#!/usr/bin/env bash
# Installs the packages into a fresh minimal Debian, uses them as a user would, purges them and looks what is left.
#
#   package_test.sh FOLDER_OF_PACKAGES ROOT
#
# ROOT is what debootstrap made (./run package-test does) of the release that the packages were built on; a copy of it is
# used. Needs the rights of root.
set -euo pipefail

# What is mounted here is seen by nobody else, and gone with this process.
[[ ${PACKAGE_TEST_UNSHARED:-} ]] || PACKAGE_TEST_UNSHARED=1 exec unshare --mount "$0" "$@"

packages=$(realpath "$1")
root=$(mktemp -d)
chmod 755 "$root"
trap 'umount "$root/proc" 2>/dev/null || true; rm -rf --one-file-system "$root" "$root".*' EXIT

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# Runs a command in the root, with its own programs.
inside() {
  env -u TMPDIR -u LANGUAGE PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive chroot "$root" "$@"
}

# All files but those that every use of apt changes.
files() {
  (cd "$root" && find . -xdev \( -path ./proc -o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg \
    -o -path ./var/log -o -path ./tmp -o -path ./packages \) -prune -o -print | sort)
}

installed_kb() {
  inside dpkg-query -W -f '${db:Status-Status} ${Installed-Size}\n' | awk '$1 == "installed" { sum += $2 } END { print sum }'
}

cp -a "$2/." "$root"
cp --remove-destination /etc/resolv.conf /etc/hosts "$root/etc/"
mount -t proc proc "$root/proc"
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages"
inside apt-get update -q >/dev/null
deb() { (cd "$root" && ls packages/"$1"_*.deb | sed 's,^,/,'); }

files >"$root.before"
kb_before=$(installed_kb)

echo "== otseq2set"
inside apt-get install -qy --no-install-recommends "$(deb otseq2set)" >/dev/null
kb=$(($(installed_kb) - kb_before))
echo "unpacked, with all that it pulls in: $((kb / 1024)) MB"
((kb <= 150 * 1024)) || fail "more than 150 MB"
inside otseq2set --version
inside test -f /usr/share/man/man1/otseq2set-predict.1.gz || fail "no man page"
said=$(inside otseq2set train --data x --model y 2>&1 || true)
[[ $said == *otseq2set-training* ]] || fail "train does not say what it needs: $said"
said=$(inside otseq2set reproduce --data x --test x --out /packages/none 2>&1 || true)
[[ $said == *otseq2set-training* ]] || fail "reproduce does not say what it needs: $said"

echo "== python3-otseq2set"
inside apt-get install -qy --no-install-recommends "$(deb python3-otseq2set)" >/dev/null
said=$(inside python3 -c 'import otseq2set; otseq2set.train(["a"], [["b"]], "/packages/none")' 2>&1 || true)
[[ $said == *"training is not installed"*otseq2set-training* ]] || fail "train in Python does not say what it needs: $said"

echo "== libotseq2set-dev without training"
inside apt-get install -qy --no-install-recommends "$(deb libotseq2set-dev)" cmake make g++ >/dev/null
inside apt-mark auto cmake make g++ >/dev/null  # to go with the rest
cp -r "$(dirname "$0")/../../examples/embed" "$root/packages/embed"
inside cmake -S /packages/embed -B /packages/embed/build >/dev/null || fail "the example cannot be configured"
inside cmake --build /packages/embed/build >/dev/null || fail "the example cannot be built"

echo "== otseq2set-training"
inside apt-get install -qy --no-install-recommends "$(deb otseq2set-training)" "$(deb libotseq2set-dev)" >/dev/null
python3 -B "$(dirname "$0")/small_corpus.py" >"$root/packages/data.jsonl"
inside otseq2set train --preset paper --data /packages/data.jsonl --model /packages/model --set model.hidden=24 --set model.word_embedding=16 \
  --set model.label_embedding=16 --set model.encoder_layers=1 --set model.max_words=50 --set model.light_conv.kernels=2,3 \
  --set training.epochs=4 --set training.batch=16 --set training.learning_rate=0.01 2>&1 | tail -2
cat >"$root/packages/learn.py" <<'END'
import json, otseq2set
documents = [json.loads(line) for line in open("/packages/data.jsonl")]
model = otseq2set.train([one["text"] for one in documents], [one["labels"] for one in documents], "/packages/learnt",
                        config=json.load(open("/packages/model/config.json"))["config"], progress=False)
print(*[label.name for label in model.predict("a cod")])
END
[[ $(inside python3 /packages/learn.py) == fish ]] || fail "Python has not learnt"
cmp "$root/packages/model/weights.safetensors" "$root/packages/learnt/weights.safetensors" || fail "Python learns other bytes"
rm -f "$root/packages/data.jsonl"

echo "== removal"
inside apt-get purge -qy otseq2set-training libotseq2set-dev >/dev/null
inside apt-get autoremove -qy --purge >/dev/null
[[ $(inside python3 -c 'import otseq2set; print(otseq2set.Model.load("/packages/model").predict("a cod")[0].name)') == fish ]] ||
  fail "Python does not predict without training"
inside apt-get purge -qy python3-otseq2set >/dev/null
echo '{"text":"a cod in the nest"}' >"$root/packages/question.jsonl"
inside otseq2set predict --model /packages/model --data /packages/question.jsonl 2>/dev/null | tee "$root.answer"
grep -q '"label":"fish"' "$root.answer" || fail "no fish in the answer"
inside apt-get remove -qy otseq2set >/dev/null
inside apt-get autoremove -qy >/dev/null
[[ -f $root/etc/default/otseq2set ]] || fail "removal took the configuration"
left=$(comm -13 "$root.before" <(files) | grep otseq2set || true)
[[ $left == ./etc/default/otseq2set ]] || fail "left behind after removal:"$'\n'"$left"
inside apt-get purge -qy otseq2set >/dev/null
inside apt-get autoremove -qy --purge >/dev/null
files >"$root.after"
left=$(comm -13 "$root.before" "$root.after")
others=$(grep -v otseq2set <<<"$left" || true)
[[ $left == "$others" ]] || fail "left behind after purge:"$'\n'"$left"
echo "nothing is left behind${others:+, but by packages that training pulled in:}"
[[ -z $others ]] || echo "$others"
