/* SPDX-License-Identifier: GPL-2.0-or-later */
"use strict";
(function () {
  const data = JSON.parse(document.getElementById("data").textContent);
  const INK = "#1b1f24", GRID = "#e6eaee";

  /* An element with a text, never with markup: texts come from models. */
  function make(kind, className, text) {
    const element = document.createElement(kind);
    if (className) { element.className = className; }
    if (text !== undefined) { element.textContent = text; }
    return element;
  }

  function shade(share) {
    const at = share * (data.shades.length - 1), i = Math.min(Math.floor(at), data.shades.length - 2);
    const mix = data.shades[i].map((c, k) => Math.round(c + (data.shades[i + 1][k] - c) * (at - i)));
    return "rgb(" + mix.join(",") + ")";
  }

  function short(number) {
    if (number === null || number === undefined) { return "–"; }
    return String(parseFloat(number.toPrecision(6)));
  }

  /* ---- series of a chart: one for each value of the group, in pieces that are lines ---- */

  function columnOf(chart, name) {
    return name === null ? null : chart.columns.find((c) => c.name === name) || null;
  }

  function seriesOf(chart) {
    const group = columnOf(chart, chart.group), segment = columnOf(chart, chart.segment);
    const dots = columnOf(chart, chart.dots);
    const n = columnOf(chart, chart.x).values.length, found = new Map();
    for (let row = 0; row < n; row++) {
      const key = group ? group.values[row] : null;
      if (!found.has(key)) { found.set(key, { key, pieces: [] }); }
      const series = found.get(key), isDot = dots !== null && dots.values[row] !== 0 && dots.values[row] !== null;
      const mark = (segment ? segment.values[row] : 0) + (isDot ? "d" : "");
      let piece = series.pieces[series.pieces.length - 1];
      if (!piece || piece.mark !== mark) {
        piece = { mark, isDot, rows: [] };
        series.pieces.push(piece);
      }
      piece.rows.push(row);
    }
    const list = Array.from(found.values());
    list.forEach((series, i) => {
      series.label = series.key === null ? "" : typeof series.key === "number" ? short(series.key) : series.key;
      series.colour = shade(list.length > 1 ? i / (list.length - 1) * .92 : 0);
      series.isShown = true;
    });
    return list;
  }

  /* ---- drawing ---- */

  function isFaint(chart, piece) {
    const closed = columnOf(chart, chart.closed);
    return closed !== null && closed.values[piece.rows[piece.rows.length - 1]] === 0;
  }

  function isClosed(chart, piece) {
    const closed = columnOf(chart, chart.closed);
    return chart.isLoops && (closed === null || closed.values[piece.rows[piece.rows.length - 1]] === 1);
  }

  function drawPiece(plot, view, chart, piece, colour) {
    const context = plot.ctx, ratio = window.devicePixelRatio || 1;
    const x = columnOf(chart, chart.x).values, y = view.y.values, stable = columnOf(chart, chart.stable);
    const place = (row) => [plot.valToPos(x[row], "x", true), plot.valToPos(y[row], "y", true)];
    const isThere = (row) => x[row] !== null && y[row] !== null && (!view.isLogX || x[row] > 0) &&
      (!view.isLogY || y[row] > 0);
    const isUnstable = (row) => stable !== null && stable.values[row] === 0;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = (isFaint(chart, piece) ? .8 : 1.8) * ratio;
    context.lineJoin = "round";
    if (piece.isDot) {
      piece.rows.filter(isThere).forEach((row) => {
        const [px, py] = place(row);
        context.beginPath();
        context.arc(px, py, 3 * ratio, 0, 2 * Math.PI);
        context.fill();
      });
      return;
    }
    const rows = isClosed(chart, piece) ? piece.rows.concat(piece.rows[0]) : piece.rows;
    for (let i = 0; i + 1 < rows.length;) {
      const isDashed = isUnstable(rows[i]) || isUnstable(rows[i + 1]);
      context.setLineDash(isDashed ? [6 * ratio, 4 * ratio] : []);
      context.beginPath();
      let isDown = false;
      do {
        if (isThere(rows[i]) && isThere(rows[i + 1])) {
          if (!isDown) { context.moveTo(...place(rows[i])); }
          context.lineTo(...place(rows[i + 1]));
          isDown = true;
        } else {
          isDown = false;
        }
        i++;
      } while (i + 1 < rows.length && (isUnstable(rows[i]) || isUnstable(rows[i + 1])) === isDashed);
      context.stroke();
    }
    context.setLineDash([]);
    if (rows.length === 1 && isThere(rows[0])) {
      const [px, py] = place(rows[0]);
      context.beginPath();
      context.arc(px, py, 2.5 * ratio, 0, 2 * Math.PI);
      context.fill();
    }
    (chart.marks && chart.marks.length ? piece.rows : []).filter((row) => chart.marks[row] && isThere(row))
      .forEach((row) => {
        const [px, py] = place(row);
        context.beginPath();
        context.arc(px, py, 3.6 * ratio, 0, 2 * Math.PI);
        context.fillStyle = "#fff";
        context.fill();
        context.lineWidth = 1.6 * ratio;
        context.stroke();
      });
  }

  /* ---- one plot: uPlot has axes, zoom and redrawing; lines may turn back, so they are ours ---- */

  function rangeOf(values, rows, isLog) {
    let low = Infinity, high = -Infinity;
    rows.forEach((row) => {
      const value = values[row];
      if (value !== null && (!isLog || value > 0)) {
        low = Math.min(low, value);
        high = Math.max(high, value);
      }
    });
    if (!(low <= high)) { return isLog ? [.1, 10] : [0, 1]; }
    if (isLog) { return low < high ? [low / 1.08, high * 1.08] : [low / 2, high * 2]; }
    const more = low < high ? .04 * (high - low) : .1 * Math.abs(high) || 1;
    return [low - more, high + more];
  }

  function fullRanges(view) {
    const rows = [];
    view.series.filter((s) => s.isShown).forEach((s) => s.pieces.forEach((p) => rows.push(...p.rows)));
    return { x: rangeOf(view.x.values, rows, view.isLogX), y: rangeOf(view.y.values, rows, view.isLogY) };
  }

  function reset(view) {
    const full = fullRanges(view);
    view.plot.batch(() => {
      view.plot.setScale("x", { min: full.x[0], max: full.x[1] });
      view.plot.setScale("y", { min: full.y[0], max: full.y[1] });
    });
  }

  function labelOf(column, label) {
    return label || (column.unit ? column.name + " (" + column.unit + ")" : column.name);
  }

  /* Of a logarithmic axis: 1, 2, 5 times powers of ten, or round numbers where it is short. */
  function logSplits(low, high) {
    const steps = high / low > 1e3 ? [1] : [1, 2, 5], found = [];
    for (let k = Math.floor(Math.log10(low)); k <= Math.log10(high); k++) {
      steps.forEach((s) => found.push(parseFloat((s + "e" + k))));
    }
    const inside = found.filter((v) => v >= low && v <= high);
    if (inside.length > 2) { return inside; }
    const step = 10 ** Math.floor(Math.log10((high - low) / 2)), round = [];
    const wide = (high - low) / step > 8 ? 2 * step : step;
    for (let v = Math.ceil(low / wide) * wide; v <= high; v += wide) { round.push(v); }
    return round;
  }

  function axisOf(side, label, isLog) {
    const small = isNarrow();
    const own = isLog ? { splits: (plot, i, low, high) => logSplits(low, high), filter: (plot, splits) => splits } : {};
    return { ...own, side, label, stroke: INK, labelSize: 22, size: side === 3 ? (small ? 58 : 70) : 40,
      labelFont: "13px system-ui, sans-serif", font: "12px system-ui, sans-serif",
      grid: { stroke: GRID, width: 1 }, ticks: { stroke: "#b8c0c8", width: 1, size: 5 },
      space: side === 3 ? 40 : (small ? 60 : 80),
      values: (plot, splits) => axisNumbers(splits) };
  }

  function isNarrow() { return window.innerWidth < 600; }

  /* The numbers of an axis are written in one way. */
  function axisNumbers(splits) {
    const largest = Math.max(...splits.map((v) => Math.abs(v))), least = Math.min(...splits.filter((v) => v !== 0)
      .map((v) => Math.abs(v)));
    const isSmall = largest < 1e-3 || largest >= 1e5 || least < 1e-6;
    return splits.map((v) => v === 0 || !isSmall ? String(parseFloat(v.toPrecision(8)))
      : v.toExponential(6).replace(/\.?0+e/, "e").replace("e+", "e"));
  }

  function createPlot(view) {
    if (view.plot) { view.plot.destroy(); }
    const full = fullRanges(view), width = Math.max(view.place.clientWidth, 240);
    const scale = (isLog, range) => ({ time: false, auto: false, distr: isLog ? 3 : 1, min: range[0], max: range[1],
      range: (plot, min, max) => [min, max] });
    const options = { mode: 2, width, height: view.height(width), padding: [12, 14, 0, 0],
      legend: { show: false },
      cursor: { drag: { x: true, y: true, uni: 24, setScale: true }, points: { show: false },
        dataIdx: () => null, bind: { dblclick: () => () => { reset(view); return null; } } },
      scales: { x: scale(view.isLogX, full.x), y: scale(view.isLogY, full.y) },
      axes: [axisOf(2, view.xLabel, view.isLogX), axisOf(3, view.yLabel, view.isLogY)],
      series: [{}].concat(view.series.map((s) => ({ show: s.isShown, facets: [{ scale: "x", auto: false },
        { scale: "y", auto: false }], paths: () => null, points: { show: false } }))),
      hooks: { draw: [(plot) => drawAll(plot, view)], setCursor: [(plot) => point(plot, view)] } };
    const nothing = view.series.map(() => [[], []]);
    view.plot = new uPlot(options, [null].concat(nothing), view.place);
    reset(view);
    view.plot.over.appendChild(view.dot);
    view.plot.over.appendChild(view.tip);
    view.plot.over.addEventListener("mouseleave", () => hide(view));
  }

  function drawAll(plot, view) {
    const context = plot.ctx, box = plot.bbox;
    context.save();
    context.beginPath();
    context.rect(box.left, box.top, box.width, box.height);
    context.clip();
    const shown = view.series.filter((s) => s.isShown);
    [true, false].forEach((isBehind) => shown.forEach((series) => series.pieces.forEach((piece) => {
      if ((isFaint(view.chart, piece)) === isBehind) {
        drawPiece(plot, view, view.chart, piece, series.colour);
      }
    })));
    context.restore();
    context.strokeStyle = "#8b959e";
    context.lineWidth = window.devicePixelRatio || 1;
    context.strokeRect(box.left, box.top, box.width, box.height);
  }

  /* ---- the point under the pointer ---- */

  function hide(view) { view.dot.style.display = view.tip.style.display = "none"; }

  function nearest(plot, view) {
    let best = null, least = 40 * 40;
    view.series.filter((s) => s.isShown).forEach((series) => series.pieces.forEach((piece) => {
      piece.rows.forEach((row) => {
        const x = view.x.values[row], y = view.y.values[row];
        if (x === null || y === null) { return; }
        const px = plot.valToPos(x, "x"), py = plot.valToPos(y, "y");
        const d = (px - plot.cursor.left) ** 2 + (py - plot.cursor.top) ** 2;
        if (d < least) {
          least = d;
          best = { series, row, px, py };
        }
      });
    }));
    return best;
  }

  function point(plot, view) {
    const found = plot.cursor.left >= 0 ? nearest(plot, view) : null;
    if (!found) {
      hide(view);
      return;
    }
    const { dot, tip, chart } = view;
    tip.textContent = "";
    if (found.series.label) {
      tip.appendChild(make("b", "", (chart.groupLabel ? chart.groupLabel + ": " : "") + found.series.label));
    }
    tip.appendChild(make("div", "", view.xLabel + ": " + short(view.x.values[found.row])));
    tip.appendChild(make("div", "", view.yLabel + ": " + short(view.y.values[found.row])));
    if (chart.events && chart.events[found.row]) { tip.appendChild(make("div", "", chart.events[found.row])); }
    dot.style.display = tip.style.display = "block";
    dot.style.color = found.series.colour;
    dot.style.left = found.px + "px";
    dot.style.top = found.py + "px";
    const isRight = found.px > plot.over.clientWidth / 2, isLow = found.py > plot.over.clientHeight / 2;
    tip.style.left = isRight ? "auto" : found.px + 12 + "px";
    tip.style.right = isRight ? plot.over.clientWidth - found.px + 12 + "px" : "auto";
    tip.style.top = isLow ? "auto" : found.py + 12 + "px";
    tip.style.bottom = isLow ? plot.over.clientHeight - found.py + 12 + "px" : "auto";
  }

  /* ---- controls ---- */

  function addBox(controls, text, isOn, change) {
    const label = make("label"), box = make("input");
    box.type = "checkbox";
    box.checked = isOn;
    box.addEventListener("change", () => change(box.checked));
    label.append(box, text);
    controls.appendChild(label);
  }

  function addChoice(controls, view) {
    const label = make("label"), choice = make("select");
    view.chart.columns.filter((c) => c !== view.x && c.values.some((v) => typeof v === "number")).forEach((c) => {
      const option = make("option", "", c.name);
      option.value = c.name;
      option.selected = c === view.y;
      choice.appendChild(option);
    });
    choice.addEventListener("change", () => {
      view.y = columnOf(view.chart, choice.value);
      view.yLabel = labelOf(view.y, view.y.name === view.first ? view.firstLabel : null);
      createPlot(view);
    });
    label.append("Shown", choice);
    if (choice.options.length > 1) { controls.appendChild(label); }
  }

  function addLegend(live, views, chart, series) {
    const legend = make("div", "legend"), boxes = [];
    const update = () => views.forEach((view) => view.plot.redraw(false, false));
    if (series.length < 2) { return; }
    if (chart.groupLabel) { legend.appendChild(make("span", "name", chart.groupLabel)); }
    series.forEach((one) => {
      const label = make("label"), box = make("input"), swatch = make("i");
      box.type = "checkbox";
      box.checked = true;
      box.addEventListener("change", () => {
        one.isShown = box.checked;
        update();
      });
      swatch.style.background = one.colour;
      label.append(box, swatch, one.label);
      legend.appendChild(label);
      boxes.push(box);
    });
    [["all", true], ["none", false]].forEach(([text, isOn]) => {
      const button = make("button", "", text);
      button.type = "button";
      button.addEventListener("click", () => {
        series.forEach((one, i) => { one.isShown = boxes[i].checked = isOn; });
        update();
      });
      legend.appendChild(button);
    });
    live.appendChild(legend);
  }

  function addPlot(live, chart, series, y, label, isLogY) {
    const view = { chart, series, x: columnOf(chart, chart.x), y: columnOf(chart, y), isLogX: chart.isLogX, isLogY,
      first: y, firstLabel: label, dot: make("div", "dot"), tip: make("div", "tip"),
      height: (width) => Math.round(chart.isLoops ? Math.min(Math.max(.62 * width, 300), 520)
        : Math.min(Math.max(.45 * width, 280), chart.second ? 320 : 460)) };
    view.xLabel = labelOf(view.x, chart.xLabel);
    view.yLabel = labelOf(view.y, label);
    const controls = make("div", "controls");
    live.appendChild(controls);
    view.place = make("div", "plot");
    live.appendChild(view.place);
    if (!chart.isLoops) {
      addChoice(controls, view);
      addBox(controls, "log x", view.isLogX, (isOn) => { view.isLogX = isOn; createPlot(view); });
      addBox(controls, "log y", view.isLogY, (isOn) => { view.isLogY = isOn; createPlot(view); });
    }
    const button = make("button", "reset", "Whole range");
    button.type = "button";
    button.addEventListener("click", () => reset(view));
    controls.append(button, make("span", "hint", "Drag to zoom, double-click for the whole range."));
    createPlot(view);
    new ResizeObserver(() => {
      const width = Math.max(view.place.clientWidth, 240);
      if (width !== view.plot.width) { view.plot.setSize({ width, height: view.height(width) }); }
    }).observe(view.place);
    return view;
  }

  function addChart(chart) {
    const figure = document.getElementById("figure-" + chart.figure), live = make("div", "live");
    const series = seriesOf(chart);
    figure.insertBefore(live, figure.querySelector(".still"));
    figure.classList.add("has-live");
    const isTwo = chart.second !== null;
    const views = [addPlot(live, chart, series, chart.y, chart.yLabel, !isTwo && chart.isLogY)];
    if (isTwo) { views.push(addPlot(live, chart, series, chart.second, chart.secondLabel, chart.isLogY)); }
    addLegend(live, views, chart, series);
    return views;
  }

  /* ---- tables are sorted by a click on their heads ---- */

  function valueOf(row, column) {
    const text = row.cells[column].textContent, number = parseFloat(text);
    return row.cells[column].classList.contains("word") || text === "" ? text : number;
  }

  function sortBy(table, column, head) {
    const isUp = head.getAttribute("aria-sort") !== "ascending", body = table.tBodies[0];
    const compare = (a, b) => {
      const u = valueOf(a, column), v = valueOf(b, column);
      if (u === "" || v === "") { return (u === "") - (v === ""); }
      return (isUp ? 1 : -1) * (typeof u === "string" ? u.localeCompare(v) : u - v);
    };
    Array.from(table.tHead.rows[0].cells).forEach((cell) => cell.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", isUp ? "ascending" : "descending");
    Array.from(body.rows).sort(compare).forEach((row) => body.appendChild(row));
  }

  document.querySelectorAll("table.sortable").forEach((table) => {
    Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
      const button = make("button");
      button.type = "button";
      button.append(...head.childNodes);
      button.addEventListener("click", () => sortBy(table, column, head));
      head.appendChild(button);
    });
  });

  /* for tests and for whoever looks into the page by its console */
  window.masing = { charts: data.charts.map(addChart) };
})();
