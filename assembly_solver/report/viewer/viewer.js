"use strict";
/* A moving assembly: WebGL 2, no libraries.  Data: see viewer.py. */
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const canvas = document.getElementById("scene");
  const gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
  const $ = (id) => document.getElementById(id);
  if (!gl) {
    $("trouble").hidden = false;
    return;
  }

  // ---------------------------------------------------------------- small vectors and matrices
  const add = (a, b) => [a[0] + b[0], a[1] + b[1], a[2] + b[2]];
  const scaled = (a, s) => [a[0] * s, a[1] * s, a[2] * s];
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
  const unit = (a) => scaled(a, 1 / (Math.hypot(...a) || 1));

  /** Column-major 4 x 4 product. */
  function times(a, b) {
    const out = new Float32Array(16);
    for (let c = 0; c < 4; c++)
      for (let r = 0; r < 4; r++) {
        let sum = 0;
        for (let k = 0; k < 4; k++) sum += a[k * 4 + r] * b[c * 4 + k];
        out[c * 4 + r] = sum;
      }
    return out;
  }

  /** Matrix of position (3) and quaternion wxyz (4). */
  function matrix(p) {
    const [x0, y0, z0, w, x, y, z] = p;
    return new Float32Array([
      1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0,
      2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x), 0,
      2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0,
      x0, y0, z0, 1,
    ]);
  }

  function bytes(text) {
    const raw = atob(text);
    const out = new Uint8Array(raw.length);
    for (let k = 0; k < raw.length; k++) out[k] = raw.charCodeAt(k);
    return out.buffer;
  }

  // ------------------------------------------------------------------------------ the programs
  function program(vertex, fragment) {
    const made = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, "#version 300 es\n" + text);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(made, shader);
    }
    gl.bindAttribLocation(made, 0, "corner");
    gl.bindAttribLocation(made, 1, "normal");
    gl.linkProgram(made);
    if (!gl.getProgramParameter(made, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(made));
    return new Proxy({ made }, { get: (o, name) => (name in o ? o[name] : (o[name] = gl.getUniformLocation(made, name))) });
  }

  const faces = program(
    `uniform mat4 view, model; in vec3 corner, normal; out vec3 n, eye;
     void main() {
       vec4 there = model * vec4(corner, 1.0);
       n = mat3(model) * normal; eye = there.xyz; gl_Position = view * there;
     }`,
    `precision highp float; uniform vec3 colour, from, up, side; uniform float glow, fade; in vec3 n, eye; out vec4 paint;
     void main() {
       vec3 look = normalize(from - eye), m = normalize(n);
       if (dot(m, look) < 0.0) m = -m;
       vec3 key = normalize(0.55 * up + 0.75 * look + 0.45 * side), fill = normalize(look - 0.8 * side);
       float light = 0.44 + 0.13 * dot(m, up) + 0.52 * max(dot(m, key), 0.0) + 0.16 * max(dot(m, fill), 0.0);
       float shine = 0.14 * pow(max(dot(m, normalize(key + look)), 0.0), 40.0);
       vec3 c = mix(colour, vec3(1.0, 0.72, 0.2), 0.45 * glow);
       paint = vec4(mix(c * light + shine, vec3(dot(c, vec3(0.33))), fade), 1.0);
     }`);
  const lines = program(
    `uniform mat4 view, model; in vec3 corner; void main() { gl_Position = view * model * vec4(corner, 1.0); }`,
    `precision highp float; uniform vec4 colour; out vec4 paint; void main() { paint = colour; }`);

  // -------------------------------------------------------------------------------- the shapes
  /** Normals of corners: the mean over the triangles of a face, weighted by their area. */
  function normals(corners, triangles) {
    const out = new Float32Array(corners.length);
    const at = (k) => [corners[3 * k], corners[3 * k + 1], corners[3 * k + 2]];
    for (let t = 0; t < triangles.length; t += 3) {
      const [i, j, k] = [triangles[t], triangles[t + 1], triangles[t + 2]];
      const [a, b, c] = [at(i), at(j), at(k)];
      const n = cross(add(b, scaled(a, -1)), add(c, scaled(a, -1)));
      for (const m of [i, j, k]) for (let r = 0; r < 3; r++) out[3 * m + r] += n[r];
    }
    for (let k = 0; k < out.length; k += 3) {
      const n = unit([out[k], out[k + 1], out[k + 2]]);
      out[k] = n[0]; out[k + 1] = n[1]; out[k + 2] = n[2];
    }
    return out;
  }

  function buffered(kind, values) {
    const buffer = gl.createBuffer();
    gl.bindBuffer(kind, buffer);
    gl.bufferData(kind, values, gl.STATIC_DRAW);
    return buffer;
  }

  const shapes = data.shapes.map((shape) => {
    const corners = new Float32Array(bytes(shape.corners));
    const triangles = new Uint32Array(bytes(shape.triangles));
    const edges = new Uint32Array(bytes(shape.edges));
    const box = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]];
    for (let k = 0; k < corners.length; k++) {
      box[0][k % 3] = Math.min(box[0][k % 3], corners[k]);
      box[1][k % 3] = Math.max(box[1][k % 3], corners[k]);
    }
    const arrays = gl.createVertexArray();
    gl.bindVertexArray(arrays);
    buffered(gl.ARRAY_BUFFER, corners);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    buffered(gl.ARRAY_BUFFER, normals(corners, triangles));
    gl.enableVertexAttribArray(1);
    gl.vertexAttribPointer(1, 3, gl.FLOAT, false, 0, 0);
    const faceBuffer = buffered(gl.ELEMENT_ARRAY_BUFFER, triangles);
    const edgeBuffer = buffered(gl.ELEMENT_ARRAY_BUFFER, edges);
    return { arrays, corners, triangles, faceBuffer, edgeBuffer, faces: triangles.length, edges: edges.length, box };
  });

  /** A CSS colour as three numbers. */
  function rgb(text) {
    const pen = document.createElement("canvas").getContext("2d");
    pen.fillStyle = "#8a939c";
    pen.fillStyle = text;
    const found = pen.fillStyle;
    return [1, 3, 5].map((k) => parseInt(found.slice(k, k + 2), 16) / 255);
  }

  const STRIDE = 7; // numbers of a pose: position, quaternion wxyz
  const stand = new Float32Array(bytes(data.still));
  const parts = data.parts.map((part, p) => ({
    ...part, colour: rgb(part.colour), seen: true, glow: 0, pose: stand.slice(p * STRIDE, (p + 1) * STRIDE),
  }));

  // ------------------------------------------------------------------------------- the motions
  const runs = data.runs.map((run) => {
    const sizes = run.axes.map((axis) => axis.values.length);
    return { ...run, sizes, poses: new Float32Array(bytes(run.poses)), at: run.axes.map((axis) => axis.start) };
  });
  let active = runs[0];

  /** States around a place of a run, with weights: 2 for one axis, 4 for two, ... */
  function corners(run, at) {
    let out = [[0, 1]];
    run.sizes.forEach((size, a) => {
      const k = Math.min(Math.floor(at[a]), size - 1);
      const share = Math.min(at[a] - k, 1);
      const next = [];
      for (const [number, weight] of out) {
        if (share < 1) next.push([number * size + k, weight * (1 - share)]);
        if (share > 0) next.push([number * size + Math.min(k + 1, size - 1), weight * share]);
      }
      out = next;
    });
    return out.filter(([, weight]) => weight > 0);
  }

  const nearest = (around) => around.reduce((a, b) => (b[1] > a[1] ? b : a))[0];

  /** Set the parts' poses; where a neighbouring state is not valid only whole states are shown. */
  function place(run) {
    const around = corners(run, run.at);
    const count = parts.length * STRIDE;
    const valid = (state) => !Number.isNaN(run.poses[state * count]);
    const used = around.every(([state]) => valid(state)) ? around : [[nearest(around), 1]];
    const here = used[0][0];
    run.reason = valid(here) ? "" : run.reasons[run.which[here]];
    if (run.reason) return;
    parts.forEach((part, p) => {
      const pose = part.pose;
      pose.fill(0);
      const first = here * count + p * STRIDE;
      for (const [state, weight] of used) {
        const from = state * count + p * STRIDE;
        let sign = 0;
        for (let k = 3; k < 7; k++) sign += run.poses[first + k] * run.poses[from + k];
        for (let k = 0; k < 3; k++) pose[k] += weight * run.poses[from + k];
        for (let k = 3; k < 7; k++) pose[k] += weight * (sign < 0 ? -1 : 1) * run.poses[from + k];
      }
      const length = Math.hypot(pose[3], pose[4], pose[5], pose[6]);
      for (let k = 3; k < 7; k++) pose[k] /= length;
    });
  }

  // -------------------------------------------------------------------------------- the camera
  const up = unit(data.up);
  const HALF = 0.26; // rad, half of the field of view across the shorter side
  const camera = { target: [0, 0, 0], distance: 4 * data.reach, ...angles(data.from) };
  const [east, north] = base(up);
  let moved = false; // by hand: then the picture is not fitted again

  function base(z) {
    const near = Math.abs(z[2]) > 0.9 ? [1, 0, 0] : Math.abs(z[1]) > 0.9 ? [1, 0, 0] : [0, 0, 1];
    const x = unit(add(near, scaled(z, -dot(near, z))));
    return [x, cross(z, x)];
  }

  function angles(from) {
    const [x, y] = base(up);
    const d = unit(from);
    return { turn: Math.atan2(dot(d, y), dot(d, x)), rise: Math.asin(Math.max(-1, Math.min(1, dot(d, up)))) };
  }

  function eye() {
    const flat = add(scaled(east, Math.cos(camera.turn)), scaled(north, Math.sin(camera.turn)));
    const away = add(scaled(flat, Math.cos(camera.rise)), scaled(up, Math.sin(camera.rise)));
    const right = cross(up, flat);
    return { away, right, above: cross(away, right), from: add(camera.target, scaled(away, camera.distance)) };
  }

  /** Put the camera so far away that the whole motion just fits. */
  function fit() {
    const { right, above, away } = eye();
    const [w, h] = [canvas.clientWidth || 1, canvas.clientHeight || 1];
    const tangent = Math.tan(HALF) / Math.min(w, h);
    let distance = 0.1 * data.reach;
    for (let k = 0; k < 8; k++) {
      const p = [0, 1, 2].map((r) => data.box[(k >> r) & 1][r]);
      const side = Math.max(Math.abs(dot(p, right)) / w, Math.abs(dot(p, above)) / h);
      distance = Math.max(distance, dot(p, away) + side / tangent);
    }
    camera.target = [0, 0, 0];
    camera.distance = 1.06 * distance;
    moved = false;
  }

  function viewMatrix(e, wide) {
    const { right, above, away, from } = e;
    const turn = new Float32Array([
      right[0], above[0], away[0], 0, right[1], above[1], away[1], 0, right[2], above[2], away[2], 0,
      -dot(right, from), -dot(above, from), -dot(away, from), 1,
    ]);
    const apart = Math.hypot(...from); // from the middle of the scene
    const near = Math.max(apart - 1.6 * data.reach, 0.02 * data.reach);
    const far = apart + 2.2 * data.reach;
    const f = 1 / Math.tan(HALF);
    const sight = new Float32Array(16);
    sight[0] = wide < 1 ? f : f / wide;
    sight[5] = wide < 1 ? f * wide : f;
    sight[10] = (far + near) / (near - far);
    sight[11] = -1;
    sight[14] = (2 * far * near) / (near - far);
    return times(sight, turn);
  }

  // ----------------------------------------------------------------------------------- drawing
  const floor = floorLines();

  function floorLines() {
    const step = 10 ** Math.round(Math.log10(data.reach / 4));
    const count = Math.min(14, Math.ceil((1.2 * data.reach) / step));
    const middle = scaled(up, data.low);
    const out = [];
    for (let k = -count; k <= count; k++)
      for (const [a, b] of [[east, north], [north, east]])
        for (const end of [-count, count]) out.push(...add(middle, add(scaled(a, k * step), scaled(b, end * step))));
    const arrays = gl.createVertexArray();
    gl.bindVertexArray(arrays);
    buffered(gl.ARRAY_BUFFER, new Float32Array(out));
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, 3, gl.FLOAT, false, 0, 0);
    return { arrays, count: out.length / 3, step };
  }

  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const still = matrix([0, 0, 0, 1, 0, 0, 0]);
  let asked = false;

  function redraw() {
    if (asked) return;
    asked = true;
    requestAnimationFrame(draw);
  }

  function draw() {
    asked = false;
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [w, h] = [Math.round(canvas.clientWidth * ratio), Math.round(canvas.clientHeight * ratio)];
    if (!w || !h) return;
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height] = [w, h];
    gl.viewport(0, 0, w, h);
    const back = dark.matches ? [0.075, 0.09, 0.11] : [0.93, 0.945, 0.96];
    gl.clearColor(...back, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    const e = eye();
    const view = viewMatrix(e, w / h);
    drawFloor(view);
    drawFaces(view, e);
    drawEdges(view);
    turnAxes(e);
  }

  function drawFloor(view) {
    gl.useProgram(lines.made);
    gl.uniformMatrix4fv(lines.view, false, view);
    gl.uniformMatrix4fv(lines.model, false, still);
    gl.uniform4f(lines.colour, ...(dark.matches ? [0.15, 0.18, 0.21] : [0.84, 0.865, 0.89]), 1);
    gl.bindVertexArray(floor.arrays);
    gl.drawArrays(gl.LINES, 0, floor.count);
  }

  function drawFaces(view, e) {
    gl.useProgram(faces.made);
    gl.uniformMatrix4fv(faces.view, false, view);
    gl.uniform3fv(faces.from, e.from);
    gl.uniform3fv(faces.up, up);
    gl.uniform3fv(faces.side, e.right);
    gl.uniform1f(faces.fade, active && active.reason ? 0.6 : 0);
    gl.enable(gl.POLYGON_OFFSET_FILL); // faces a little back, so that their edges are seen
    gl.polygonOffset(1, 2);
    for (const part of parts) {
      if (!part.seen) continue;
      const shape = shapes[part.shape];
      gl.uniformMatrix4fv(faces.model, false, matrix(part.pose));
      gl.uniform3fv(faces.colour, touching.includes(part.name) ? TOUCHED : part.colour);
      gl.uniform1f(faces.glow, part.glow);
      gl.bindVertexArray(shape.arrays);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, shape.faceBuffer);
      gl.drawElements(gl.TRIANGLES, shape.faces, gl.UNSIGNED_INT, 0);
    }
    gl.disable(gl.POLYGON_OFFSET_FILL);
  }

  function drawEdges(view) {
    gl.useProgram(lines.made);
    gl.uniformMatrix4fv(lines.view, false, view);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    gl.uniform4f(lines.colour, 0.03, 0.05, 0.07, 0.65);
    for (const part of parts) {
      if (!part.seen) continue;
      const shape = shapes[part.shape];
      gl.uniformMatrix4fv(lines.model, false, matrix(part.pose));
      gl.bindVertexArray(shape.arrays);
      gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, shape.edgeBuffer);
      gl.drawElements(gl.LINES, shape.edges, gl.UNSIGNED_INT, 0);
    }
    gl.disable(gl.BLEND);
  }

  /** The three axes in the corner: how the world is turned. */
  function turnAxes(e) {
    ["x", "y", "z"].forEach((name, k) => {
      const d = [0, 0, 0];
      d[k] = 1;
      const [x, y] = [26 * dot(d, e.right), -26 * dot(d, e.above)];
      const line = $("axis-" + name);
      line.setAttribute("x2", x.toFixed(1));
      line.setAttribute("y2", y.toFixed(1));
      const word = $("word-" + name);
      word.setAttribute("x", (1.32 * x).toFixed(1));
      word.setAttribute("y", (1.32 * y + 4).toFixed(1));
    });
  }

  // ---------------------------------------------------------------------- mouse, touch and keys
  const fingers = new Map();

  function pan(dx, dy) {
    const e = eye();
    const size = (2 * camera.distance * Math.tan(HALF)) / Math.min(canvas.clientHeight, canvas.clientWidth);
    camera.target = add(camera.target, add(scaled(e.right, -dx * size), scaled(e.above, dy * size)));
  }

  function zoom(factor) {
    camera.distance = Math.min(Math.max(camera.distance * factor, 0.05 * data.reach), 12 * data.reach);
  }

  function orbit(dx, dy) {
    camera.turn -= 0.008 * dx;
    camera.rise = Math.max(-1.55, Math.min(1.55, camera.rise + 0.008 * dy));
  }

  canvas.addEventListener("pointerdown", (event) => {
    canvas.setPointerCapture(event.pointerId);
    moved = true;
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    canvas.classList.add("held");
  });
  for (const kind of ["pointerup", "pointercancel"])
    canvas.addEventListener(kind, (event) => {
      fingers.delete(event.pointerId);
      if (!fingers.size) canvas.classList.remove("held");
    });
  canvas.addEventListener("pointermove", (event) => {
    const before = fingers.get(event.pointerId);
    if (!before) return;
    const [dx, dy] = [event.clientX - before[0], event.clientY - before[1]];
    if (fingers.size === 2) {
      const [other] = [...fingers].filter(([id]) => id !== event.pointerId).map(([, at]) => at);
      const apart = (at) => Math.hypot(at[0] - other[0], at[1] - other[1]) || 1;
      zoom(apart(before) / apart([event.clientX, event.clientY]));
      pan(dx / 2, dy / 2);
    } else if (event.shiftKey || event.buttons & 6) pan(dx, dy);
    else orbit(dx, dy);
    fingers.set(event.pointerId, [event.clientX, event.clientY]);
    redraw();
  });
  canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  canvas.addEventListener("dblclick", () => reset());
  canvas.addEventListener("wheel", (event) => {
    event.preventDefault();
    moved = true;
    zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) * 0.003));
    redraw();
  }, { passive: false });
  canvas.addEventListener("keydown", (event) => {
    const step = { ArrowLeft: [-12, 0], ArrowRight: [12, 0], ArrowUp: [0, -12], ArrowDown: [0, 12] }[event.key];
    if (step) (event.shiftKey ? pan : orbit)(...step);
    else if (event.key === "+" || event.key === "=") zoom(0.9);
    else if (event.key === "-") zoom(1.1);
    else if (event.key === "0") reset();
    else return;
    event.preventDefault();
    moved = event.key !== "0";
    redraw();
  });

  function reset() {
    look(data.from);
  }

  function look(from) {
    Object.assign(camera, angles(from));
    fit();
    redraw();
  }

  const looks = { front: scaled(north, -1), right: east, top: add(scaled(up, 1), scaled(north, -1e-3)), home: data.from };
  for (const button of document.querySelectorAll("[data-look]"))
    button.addEventListener("click", () => look(looks[button.dataset.look]));

  // ----------------------------------------------------------------------------- the controls
  const TOUCHED = [0.85, 0.12, 0.42]; // of parts in a contact that is shown
  let touching = []; // their names
  const playing = new Map(); // slider -> direction
  let last = 0;
  let ticking = false;

  function told(run, a) {
    const axis = run.axes[a];
    const k = Math.min(Math.floor(run.at[a]), axis.values.length - 1);
    const next = Math.min(k + 1, axis.values.length - 1);
    const value = axis.values[k] + (run.at[a] - k) * (axis.values[next] - axis.values[k]);
    return value.toFixed(axis.digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−") + (axis.unit ? " " + axis.unit : "");
  }

  function show(run, met = []) {
    touching = met;
    if (active !== run) {
      for (const key of playing.keys()) if (key.run !== run) stop(key);
      active = run;
      for (const other of runs) if (other !== run) other.at = other.axes.map((axis) => axis.start);
    }
    place(run);
    for (const control of controls) {
      control.slider.value = control.run.at[control.a];
      control.output.textContent = told(control.run, control.a);
      control.slider.setAttribute("aria-valuetext", control.output.textContent);
    }
    $("reason").textContent = run.reason || "";
    $("reason").hidden = !run.reason;
    redraw();
  }

  function stop(control) {
    playing.delete(control);
    control.button.textContent = "▶";
    control.button.setAttribute("aria-label", "Play " + control.run.axes[control.a].name);
  }

  function play(control) {
    playing.set(control, control.run.at[control.a] >= control.run.sizes[control.a] - 1 ? -1 : 1);
    control.button.textContent = "❚❚";
    control.button.setAttribute("aria-label", "Pause " + control.run.axes[control.a].name);
    if (ticking) return;
    ticking = true;
    last = 0;
    requestAnimationFrame(tick);
  }

  /** One picture of what plays: a range takes 4 seconds at speed 1, then it runs back. */
  function tick(now) {
    ticking = playing.size > 0;
    if (!ticking) return;
    const passed = last ? Math.min(now - last, 100) / 1000 : 0;
    last = now;
    let run = active;
    for (const [control, way] of playing) {
      run = control.run;
      const { a } = control;
      const end = run.sizes[a] - 1;
      const before = run.at[a];
      let there = before + (way * passed * Number($("speed").value) * end) / 4;
      let back = way;
      if (there >= end || there <= 0) {
        back = control.run.axes[a].turns && there >= end ? 1 : there >= end ? -1 : 1;
        there = control.run.axes[a].turns && there >= end ? 0 : Math.max(0, Math.min(end, there));
      }
      run.at[a] = there;
      place(run);
      if (run.reason) {
        run.at[a] = before; // turn back where the motion ends
        back = -way;
        place(run);
      }
      playing.set(control, back);
    }
    show(run);
    requestAnimationFrame(tick);
  }

  const controls = [];
  for (const run of runs)
    run.axes.forEach((axis, a) => {
      const row = $("control").content.cloneNode(true);
      const find = (name) => row.querySelector(name);
      const control = { run, a, slider: find("input"), output: find("output"), button: find("button") };
      find(".what").textContent = axis.name;
      find(".what").title = axis.words;
      Object.assign(control.slider, { min: 0, max: axis.values.length - 1, step: "any", value: axis.start });
      control.slider.setAttribute("aria-label", axis.name);
      for (const mark of axis.marks) {
        const tickMark = document.createElement("i");
        tickMark.style.left = (100 * mark.at) / (axis.values.length - 1) + "%";
        tickMark.title = mark.words;
        find(".marks").append(tickMark);
      }
      control.slider.addEventListener("input", () => {
        stop(control);
        run.at[a] = Number(control.slider.value);
        show(run);
      });
      control.button.addEventListener("click", () => (playing.has(control) ? stop(control) : (show(run), play(control))));
      stop(control);
      $("controls").append(row);
      controls.push(control);
    });
  $("motion").hidden = !controls.length;

  /** What each motion was watched for, and its contacts: pressed, one is shown with its parts marked. */
  for (const run of runs.filter((other) => other.watched)) {
    $("contact").hidden = false;
    const list = $("contact").querySelector("ul");
    const line = (content) => list.appendChild(document.createElement("li")).append(content);
    line(run.axes.map((axis) => axis.name).join(", ") + ": " + run.watched);
    run.axes.forEach((axis, a) => {
      for (const mark of axis.marks.filter((one) => one.parts.length)) {
        const button = document.createElement("button");
        button.type = "button";
        button.textContent = mark.words;
        button.addEventListener("click", () => {
          for (const key of [...playing.keys()]) stop(key);
          run.at[a] = mark.at;
          show(run, mark.parts);
        });
        line(button);
      }
    });
  }

  for (const part of parts) {
    const row = $("part").content.cloneNode(true);
    const box = row.querySelector("input");
    row.querySelector(".chip").style.background = `rgb(${part.colour.map((c) => Math.round(255 * c))})`;
    row.querySelector(".what").textContent = part.name;
    row.querySelector(".held").hidden = !part.grounded;
    box.addEventListener("change", () => ((part.seen = box.checked), redraw()));
    const label = row.querySelector("label");
    for (const [kind, glow] of [["pointerenter", 1], ["pointerleave", 0], ["focusin", 1], ["focusout", 0]])
      label.addEventListener(kind, () => ((part.glow = glow), redraw()));
    $("parts").append(row);
  }

  if (location.hash.startsWith("#at=") && active) {
    active.at = location.hash.slice(4).split(",").map((v, a) => Math.max(0, Math.min(1, Number(v))) * (active.sizes[a] - 1));
    while (active.at.length < active.sizes.length) active.at.push(active.axes[active.at.length].start);
  }
  new ResizeObserver(() => {
    if (!moved) fit();
    redraw();
  }).observe(canvas);
  dark.addEventListener("change", redraw);
  if (active) show(active);
  reset();
})();
