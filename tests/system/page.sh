#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# page.sh PROGRAM: pages for a browser, and what a browser makes of them.
set -u
. "$MASING_SOURCE_ROOT/tests/tap.sh"
begin "$1"
model=$examples/two_mass_damper.yaml
export HOME="$folder"

"$program" study "$model" --vary damper.preload=5,30,100 --quiet -o x.html 2>err
cat >bad.yaml <<'END'
masing: 1
title: "</script><script>document.title='run'</script><img src=x onerror=\"document.title=1\">"
# </pre><script>document.title = 'run'</script>
parameters: {K: 41339}
structure:
  masses: {"<b>m</b>": 1.0, "m2<script>": 1.0}
  springs:
    - {from: ground, to: "<b>m</b>", stiffness: $K}
    - {from: "<b>m</b>", to: "m2<script>", stiffness: 41328}
  damping: {modal_ratio: 0.02}
joints:
  - {name: "</script><i>d", law: jenkins, from: ground, to: "<b>m</b>", stiffness: 4e4,
     slip_force: 15}
loads: [{name: "<u>s", dof: "m2<script>", amplitude: 10}]
frequency: [18, 28]
harmonics: 3
outputs: ["m2<script>"]
END
"$program" frf bad.yaml --quiet -o bad.html 2>err || cat err

# what anybody can see of the text
expect "it allows scripts by their hashes" "$(grep -cE "default-src 'none';.* \
script-src 'sha256-[A-Za-z0-9+/]{43}=' 'sha256-[A-Za-z0-9+/]{43}='\"" x.html)" 1
for page in x bad; do
    expect "$page: three scripts, of which one is data" \
        "$(grep -o '<script' $page.html | wc -l) $(grep -o '</script' $page.html | wc -l)" "3 3"
    report "$page: no address but names" "$(grep -oE '(src|href|url)[=(]["'"'"']?(https?:)?//' \
        $page.html | head -n 3)"
done
expect "still pictures" "$(grep -c '<svg ' x.html)" 2
expect "the peaks" "$(sed -n '/<h2>Peaks/,/<\/section>/p' x.html | grep -c '^<tr>')" 3
report "no markup of the model's" "$(grep -nE '<(b>m|i>d|u>s|img)' bad.html | cut -c 1-80)"
grep -q 'class="warnings"' x.html
expect "warnings" "$?" 0
grep -q 'stiffness: 41339' x.html
expect "the model" "$?" 0

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -z "$browser" ]; then
    echo "# skipped: what a browser makes of it, chromium is not installed"
    finish
fi

# see PAGE OUTPUT: the document as it is once its scripts ran, what they said in PAGE.log
see() {
    timeout 60 "$browser" --headless --no-sandbox --disable-gpu --window-size=1400,1000 \
        --user-data-dir="$folder/profile" --enable-logging=stderr --virtual-time-budget=4000 \
        --dump-dom "file://$folder/$1.html" >"$2" 2>"$1.log"
    grep CONSOLE "$1.log" | grep -v willReadFrequently
}

report "no complaint" "$(see x x.seen)"
expect "both figures are drawn" "$(grep -o 'class="plot"><div class="uplot' x.seen | wc -l)" 2
report "no complaint about hostile names" "$(see bad bad.seen)"
expect "nothing of the model ran" "$(grep -cE '<title>(run|1)' bad.seen)" 0
expect "figures with hostile names are drawn" \
    "$(grep -o 'class="plot"><div class="uplot' bad.seen | wc -l)" 2

# a reader's hands: a page that allows one more script
cat >hands.js <<'END'
const said = [], say = (name, is) => said.push(name + (is ? "" : " NOT"));
try {
  const view = masing.charts[0][0], plot = view.plot, over = plot.over;
  const box = over.getBoundingClientRect();
  const send = (kind, x, y, more) => (kind === "mouseup" ? document : over).dispatchEvent(
    new MouseEvent(kind, { clientX: box.left + x, clientY: box.top + y, bubbles: true,
      button: 0, detail: 1, ...more }));
  const ink = () => {
    const { width, height } = plot.ctx.canvas;
    const bytes = plot.ctx.getImageData(0, 0, width, height).data;
    let n = 0;
    for (let i = 0; i < bytes.length; i += 4) {
      n += bytes[i + 3] && bytes[i] < 90 && bytes[i + 1] < 60;
    }
    return n;
  };
  const later = (f) => new Promise((done) => setTimeout(() => { f(); done(); }, 120));
  const before = ink(), full = [plot.scales.x.min, plot.scales.x.max];
  say("draws", before > 500);
  const legend = document.querySelectorAll(".legend input");
  say("three curves", legend.length === 6);
  (async () => {
    legend[0].click();
    await later(() => say("switches off", ink() < before - 200));
    legend[0].click();
    await later(() => say("switches on", Math.abs(ink() - before) < 50));
    const peak = [plot.valToPos(20.0006, "x"), plot.valToPos(0.00922566, "y")];
    send("mouseenter", ...peak); send("mousemove", ...peak);
    await later(() => say("tells the value", view.tip.style.display === "block" &&
      ["damper.preload (N): 5", "0.00922566", "peak"].every(
        (text) => view.tip.textContent.includes(text))));
    const by = { movementX: 9, movementY: 9 };
    send("mousedown", 200, 40);
    send("mousemove", 320, 180, by);
    send("mouseup", 320, 180, by);
    const wide = () => plot.scales.x.max - plot.scales.x.min;
    await later(() => say("zooms", wide() > 0 && wide() < .3 * (full[1] - full[0])));
    document.querySelector("button.reset").click();
    await later(() => say("shows all again", wide() === full[1] - full[0]));
    document.querySelectorAll(".controls input")[1].click();
    await later(() => say("log axis", view.plot.scales.y.distr === 3 && view.isLogY));
    const choice = document.querySelector(".controls select");
    choice.value = "slip_damper"; choice.dispatchEvent(new Event("change"));
    await later(() => say("other columns", view.yLabel.startsWith("slip_damper")));
    const table = document.querySelector("table.sortable"), head = table.tHead.rows[0].cells[2];
    const column = () => Array.from(table.tBodies[0].rows).map(
      (row) => parseFloat(row.cells[2].textContent));
    head.querySelector("button").click();
    const up = column();
    head.querySelector("button").click();
    say("sorts", up[0] < up[1] && up[1] < up[2] && column()[0] === up[2]);
    document.body.setAttribute("data-said", said.join("; "));
  })().catch((e) => document.body.setAttribute("data-said", said.join("; ") + " " + e));
} catch (e) { document.body.setAttribute("data-said", said.join("; ") + " " + e); }
END
sed '/Content-Security-Policy/d; s#</body>#<script src="hands.js"></script></body>#' \
    x.html >hands.html
report "no complaint in a reader's hands" "$(see hands hands.seen)"
expect "a reader's hands" "$(sed -n 's/.*data-said="\([^"]*\)".*/\1/p' hands.seen)" \
    "draws; three curves; switches off; switches on; tells the value; zooms; shows all again; \
log axis; other columns; sorts"

# the page allows no script but its own two
sed 's#</body>#<script>document.title = "run"</script></body>#' x.html >more.html
see more more.seen >said
expect "another script does not run" \
    "$(grep -c 'Content Security Policy' said) $(grep -c '<title>run' more.seen)" "1 0"
finish
