/* What is measured between two places: points, axes (lines), planes, frames (a point with a direction). */
import { Vector3 } from "three";

const PARALLEL = 1e-6; // sine up to which directions count as parallel

/** The places of two lines (point and direction) that are nearest to each other. */
function nearestOfLines(a, b) {
  const between = b.at.clone().sub(a.at);
  const normal = a.z.clone().cross(b.z);
  const square = normal.lengthSq();
  if (square < PARALLEL ** 2) return [a.at.clone(), foot(b, a.at)];
  const s = between.clone().cross(b.z).dot(normal) / square;
  const t = between.clone().cross(a.z).dot(normal) / square;
  return [a.at.clone().addScaledVector(a.z, s), b.at.clone().addScaledVector(b.z, t)];
}

/** The place of a line or a plane that is nearest to a point. */
function foot(thing, point) {
  const along = point.clone().sub(thing.at).dot(thing.z);
  if (thing.kind === "plane") return point.clone().addScaledVector(thing.z, -along);
  return thing.at.clone().addScaledVector(thing.z, along);
}

const locus = (thing) => (thing.kind === "axis" || thing.kind === "plane" ? thing.kind : "point");

/** The two places between which a distance is taken; null where there is none, as where planes meet. */
function nearest(a, b) {
  const [one, other] = [locus(a), locus(b)];
  if (one === "point") return [a.at.clone(), other === "point" ? b.at.clone() : foot(b, a.at)];
  if (other === "point") return [foot(a, b.at), b.at.clone()];
  if (one === "axis" && other === "axis") return nearestOfLines(a, b);
  const slope = one === other ? new Vector3().crossVectors(a.z, b.z).length() : Math.abs(a.z.dot(b.z));
  if (slope > PARALLEL) return null;
  if (one === "plane" && other === "axis") return [foot(a, b.at), b.at.clone()];
  return [a.at.clone(), foot(b, a.at)];
}

/**
 * Distance (mm) with its two ends, and the angle (degrees, 0 to 180) between directions, that of a
 * plane being its normal; null for what two places do not have.
 */
export function measured(a, b) {
  const ends = nearest(a, b);
  const directed = a.z && b.z;
  const angle = directed ? Math.atan2(new Vector3().crossVectors(a.z, b.z).length(), a.z.dot(b.z)) : null;
  return { ends, distance: ends ? ends[0].distanceTo(ends[1]) : null, angle: directed ? (angle * 180) / Math.PI : null };
}
