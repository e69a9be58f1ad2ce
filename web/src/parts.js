/* The parts: their meshes, their colours, where they stand. */
import {
  BufferAttribute, BufferGeometry, Color, DoubleSide, Group, LineBasicMaterial, LineSegments, Matrix4, Mesh,
  MeshLambertMaterial, Quaternion, Vector3,
} from "three";
import { counts, floats } from "./pack.js";

export const STRIDE = 7; // numbers of a pose: position, quaternion wxyz
const OVER = new Color("#ffb733");
const TOUCHED = new Color("#d91f6b");
const ONE = new Vector3(1, 1, 1);

function geometry(shape) {
  const corners = new BufferAttribute(floats(shape.corners), 3);
  const faces = new BufferGeometry().setAttribute("position", corners);
  faces.setIndex(new BufferAttribute(counts(shape.triangles), 1));
  faces.computeVertexNormals(); // the mean over the triangles of a face, weighted by their area
  const edges = new BufferGeometry().setAttribute("position", corners);
  edges.setIndex(new BufferAttribute(counts(shape.edges), 1));
  faces.computeBoundingBox();
  return { faces, edges };
}

/** A colour of CSS; of what is none, grey. */
function colour(text) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.fillStyle = "#8a939c";
  pen.fillStyle = text;
  return new Color(pen.fillStyle);
}

export class Part {
  constructor(world, number, shapes) {
    Object.assign(this, { number, ...world.data.parts[number], seen: true });
    this.tint = colour(this.colour);
    this.geometry = shapes[this.shape];
    this.home = world.still.slice(number * STRIDE, (number + 1) * STRIDE);
    this.pose = this.home.slice();
    this.offset = new Vector3(); // of an exploded view
    // faces a little back, so that their edges are seen
    const back = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 2 };
    this.material = new MeshLambertMaterial({ side: DoubleSide, ...back });
    this.mesh = new Mesh(this.geometry.faces, this.material);
    this.mesh.userData.part = this;
    this.lines = new LineBasicMaterial({ color: 0x080d12, transparent: true, opacity: 0.65 });
    this.group = new Group().add(this.mesh, new LineSegments(this.geometry.edges, this.lines));
    this.group.matrixAutoUpdate = false;
    this.frame = new Matrix4(); // where it stands, without the offset
  }

  /** Take over the pose. */
  stand() {
    const [x, y, z, qw, qx, qy, qz] = this.pose;
    this.frame.compose(new Vector3(x, y, z), new Quaternion(qx, qy, qz, qw), ONE);
  }

  /** Be drawn where it stands, and as far off as it is exploded. */
  settle() {
    this.group.matrix.copy(this.frame);
    const { elements } = this.group.matrix;
    this.offset.toArray().forEach((x, k) => (elements[12 + k] += x));
    this.group.matrixWorldNeedsUpdate = true;
  }

  /** The box around it where it stands. */
  room() {
    return this.geometry.faces.boundingBox.clone().applyMatrix4(this.frame);
  }

  /** A feature by its number: name, what it is measured as, origin and direction in the part. */
  feature(k) {
    this.numbers ??= floats(this.features.frames);
    const [x, y, z, u, v, w] = this.numbers.subarray(6 * k, 6 * k + 6);
    return { name: this.features.names[k], kind: this.features.kinds[k], at: new Vector3(x, y, z), z: new Vector3(u, v, w) };
  }

  /** Where a place of the part is drawn in the scene. */
  drawn(place) {
    return place.clone().applyMatrix4(this.group.matrix);
  }

  /** A direction of the part in the scene. */
  turned(direction) {
    return direction.clone().transformDirection(this.frame);
  }

  /** Its colour: lit up, in a contact, or `faded` where the motion has no state. */
  paint(lit, touched, faded) {
    const found = this.material.color.copy(touched ? TOUCHED : this.tint).lerp(OVER, lit ? 0.55 : 0);
    if (faded) found.lerp(new Color().setScalar((found.r + found.g + found.b) / 3), 0.6);
    this.group.visible = this.seen;
  }
}

/** The parts of the page, in the scene. */
export function makeParts(world) {
  const shapes = world.data.shapes.map(geometry);
  world.still = floats(world.data.still);
  world.parts = world.data.parts.map((_, number) => new Part(world, number, shapes));
  world.stage.scene.add(...world.parts.map((part) => part.group));
  world.touching = []; // names of parts in a contact that is shown
  const paint = () => {
    for (const part of world.parts)
      part.paint(world.lit(part), world.touching.includes(part.name), Boolean(world.active?.reason));
    world.stage.redraw();
  };
  for (const event of ["hovered", "selected", "shown", "moved"]) world.on(event, paint);
  world.on("moved", () => {
    world.parts.forEach((part) => part.stand());
    world.tell("placing");
    world.parts.forEach((part) => part.settle());
  });
}
