/* The outline of a cut: where a plane goes through the triangles of a part. */
import { Matrix4, Plane } from "three";
import { LineMaterial } from "three/addons/lines/LineMaterial.js";
import { LineSegments2 } from "three/addons/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/addons/lines/LineSegmentsGeometry.js";

const WIDTH = 1.5; // px

/**
 * The line in which a plane cuts triangles: x, y, z of both ends of each piece.
 * A corner in the plane counts as lying on its upper side, so that each triangle has one piece or none.
 */
export function cutOf(corners, triangles, { normal, constant }) {
  const ends = [];
  const above = (k) => normal.x * corners[3 * k] + normal.y * corners[3 * k + 1] + normal.z * corners[3 * k + 2] + constant;
  for (let k = 0; k < triangles.length; k += 3) {
    const heights = [0, 1, 2].map((j) => above(triangles[k + j]));
    for (let j = 0; j < 3; j++) {
      const [h, g] = [heights[j], heights[(j + 1) % 3]];
      if (h >= 0 === g >= 0) continue;
      const [a, b] = [3 * triangles[k + j], 3 * triangles[k + ((j + 1) % 3)]];
      for (let r = 0; r < 3; r++) ends.push(corners[a + r] + (h / (h - g)) * (corners[b + r] - corners[a + r]));
    }
  }
  return ends;
}

/** The outline of a part's cut; `update` draws it anew for a plane of the scene. */
export class Outline extends LineSegments2 {
  constructor(part) {
    super(new LineSegmentsGeometry(), new LineMaterial({ color: 0x080d12, linewidth: WIDTH }));
    this.part = part;
    part.group.add(this); // it goes with the part
    this.frustumCulled = false;
  }

  update(plane) {
    const { faces } = this.part.geometry;
    const own = new Plane().copy(plane).applyMatrix4(new Matrix4().copy(this.part.group.matrix).invert());
    const ends = cutOf(faces.attributes.position.array, faces.index.array, own);
    this.visible = ends.length > 0;
    if (!this.visible) return;
    this.geometry.dispose(); // its buffers have the size of the last cut
    this.geometry = new LineSegmentsGeometry().setPositions(ends);
  }
}
