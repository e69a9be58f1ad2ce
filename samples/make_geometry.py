"""Solids of the samples: one run of this script writes every STEP file under samples/.

    python samples/make_geometry.py [NAME ...]

Every solid is drawn in its part's own frame, the one that the features in
NAME.assembly.json refer to.  Millimetres.  Needs cadquery.
"""

from __future__ import annotations

import math
import re
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

import cadquery as cq

Solid = cq.Workplane
Point = tuple[float, float]

HERE = Path(__file__).parent
SHAPES: dict[str, Callable[[], Solid]] = {}
# time and running number are left out of the files: the same solids give the same bytes
TIME_WRITTEN = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")
WRITERS_NAME = re.compile(r"Open CASCADE STEP translator [\d. ]+\d")
CLEARANCE = 0.5  # mm between a pin and its hole, on the radius


def shape(file: str) -> Callable[[Callable[[], Solid]], Callable[[], Solid]]:
    """Register the function that draws a file."""

    def register(draw: Callable[[], Solid]) -> Callable[[], Solid]:
        SHAPES[file] = draw
        return draw

    return register


# ------------------------------------------------------------------ building blocks


def slab(points: Iterable[Point], low: float, high: float) -> Solid:
    """A polygon in xy, extruded from z = low to z = high."""
    return (
        cq.Workplane("XY").workplane(offset=low).polyline(list(points)).close().extrude(high - low)
    )


def box(x: Point, y: Point, z: Point) -> Solid:
    """A block between two limits on each axis."""
    return (
        cq.Workplane("XY")
        .box(x[1] - x[0], y[1] - y[0], z[1] - z[0], centered=False)
        .translate((x[0], y[0], z[0]))
    )


def rod(at: Point, radius: float, low: float, high: float) -> Solid:
    """A cylinder along z at a point of xy."""
    return cq.Workplane("XY").workplane(offset=low).center(*at).circle(radius).extrude(high - low)


def tube(at: Point, outer: float, inner: float, low: float, high: float) -> Solid:
    """A cylinder along z with a hole."""
    return rod(at, outer, low, high).cut(rod(at, inner, low, high))


def link(a: Point, ra: float, b: Point, rb: float, low: float, high: float) -> Solid:
    """A plate with rounded ends of radii ra and rb: the hull of two circles."""
    dx, dy = b[0] - a[0], b[1] - a[1]
    along = math.hypot(dx, dy)
    heading = math.atan2(dy, dx)
    tilt = math.acos((ra - rb) / along)

    def rim(centre: Point, radius: float, angle: float) -> Point:
        return centre[0] + radius * math.cos(angle), centre[1] + radius * math.sin(angle)

    return (
        cq.Workplane("XY")
        .workplane(offset=low)
        .moveTo(*rim(a, ra, heading + tilt))
        .threePointArc(rim(a, ra, heading + math.pi), rim(a, ra, heading - tilt))
        .lineTo(*rim(b, rb, heading - tilt))
        .threePointArc(rim(b, rb, heading), rim(b, rb, heading + tilt))
        .close()
        .extrude(high - low)
    )


def join(*solids: Solid) -> Solid:
    """The union of solids, without the seams between coplanar faces."""
    whole = solids[0]
    for other in solids[1:]:
        whole = whole.union(other)
    return whole.clean()


def bored(body: Solid, at: Point, radius: float) -> Solid:
    """A body with a through hole along z."""
    return body.cut(rod(at, radius, -5000, 5000))


def along_x(solid: Solid) -> Solid:
    """A solid drawn along z, laid along x."""
    return solid.rotate((0, 0, 0), (0, 1, 0), 90)


# ------------------------------------------------------------------ excavator

PIN = {"O1": 45.0, "O2": 35.0, "O6": 35.0, "A": 35.0, "B": 40.0, "C": 35.0, "D": 45.0}
SMALL_PIN = 30.0  # every other pin of the front


@shape("excavator/base.step")
def base() -> Solid:
    deck = box((-1550, 560), (-640, -560), (-560, 560)).edges("|Y and >X").fillet(60)
    solids = [deck, _turntable(), *_tracks(), *_house(), *_masts()]
    return join(*solids)


def _turntable() -> Solid:
    drum = cq.Workplane("XZ").workplane(offset=640).center(-450, 0).circle(420).extrude(110)
    frame = box((-1050, 150), (-980, -750), (-420, 420))
    return join(drum, frame)


def _tracks() -> list[Solid]:
    """Two crawler tracks, grousers above and wheels in a recess on the outside."""
    tracks = []
    rear, front = (-1350.0, -960.0), (450.0, -960.0)
    for side in (-1, 1):
        low, high = sorted((side * 400, side * 760))
        floor, face = sorted((side * 690, side * 800))
        belt = link(rear, 190, front, 190, low, high)
        recess = link(rear, 152, front, 152, floor, face)
        axles = ((-1350, 138), (450, 138), (-750, 62), (-150, 62))
        wheels = [rod((x, -960), r, *sorted((side * 680, side * 740))) for x, r in axles]
        pads = [box((x, x + 50), (-780, -744), (low, high)) for x in range(-1300, 450, 420)]
        tracks.append(join(belt.cut(recess), *wheels, *pads))
    return tracks


def _house() -> list[Solid]:
    """Engine hood, counterweight and the cab on the operator's left."""
    hood = box((-1420, -480), (-570, 40), (-540, 540)).edges("|X and >Y").fillet(70)
    weight = slab(
        [(-1560, -600), (-1380, -600), (-1380, 120), (-1480, 120), (-1640, -60), (-1640, -480)],
        -560,
        560,
    )
    cab = slab(
        [(-460, -570), (200, -570), (230, -330), (150, 420), (-360, 450), (-460, 380)], -560, -230
    )
    cab = cab.edges("|Z and >Y").fillet(35)
    window = slab([(-80, -180), (150, -180), (88, 350), (-80, 358)], -700, -500)
    door = slab([(-390, -180), (-140, -180), (-140, 360), (-390, 330)], -700, -500)
    front = box((100, 300), (-250, 330), (-510, -280))
    inner = slab([(-400, -250), (300, -250), (300, 380), (-400, 360)], -525, -265)
    exhaust = tube((0, 0), 45, 34, 0, 260).rotate((0, 0, 0), (1, 0, 0), -90)
    return [
        hood,
        weight,
        cab.cut(inner).cut(window).cut(door).cut(front),
        exhaust.translate((-1050, 20, 330)),
    ]


def _masts() -> list[Solid]:
    """The plates that carry boom foot, boom cylinders and bucket cylinder, with their pins."""
    plate = [(-520, -580), (150, -580), (100, 0), (-225, 530), (-375, 500)]
    holes = join(rod((-200, -330), 125, -300, 300), rod((-235, -20), 95, -300, 300))
    solids = []
    for low, high in ((-185, -150), (150, 185)):
        cheek = join(
            slab(plate, low, high), rod((0, 0), 102, low, high), rod((-300, 500), 80, low, high)
        )
        solids.append(cheek.cut(holes))
    inner = slab([(-480, -580), (-240, -580), (-225, 500), (-375, 500)], 22, 55)
    solids += [inner, rod((-300, 500), 72, 22, 55), rod((-300, 500), 62, 123, 150)]
    solids += [rod((0, 0), PIN["O1"], -212, 212), rod((-300, 500), PIN["O6"], 8, 208)]
    for side in (-1, 1):
        for near in (236, 334):
            low, high = sorted((side * near, side * (near + 30)))
            solids.append(link((500, -500), 60, (430, -600), 105, low, high))
        low, high = sorted((side * 222, side * 378))
        solids.append(rod((500, -500), PIN["O2"], low, high))
    return solids


BOOM_WIDE, BOOM_SLIM = 115.0, 60.0  # mm, half widths at the foot and from the rockers on


@shape("excavator/boom.step")
def boom() -> Solid:
    """A kinked beam with lugs and pins for rods, rockers and bracket."""
    slim = BOOM_SLIM
    body = join(
        _beam(),
        link((1300, -250), 78, (1300, -60), 170, -slim, slim),
        link((1500, 350), 88, (1490, 180), 190, -slim, slim),
        link((2200, 250), 74, (2190, 90), 150, -slim, slim),
        rod((0, 0), 100, -146, 146),
        rod((3000, 0), 84, -slim, slim),
        rod((1300, -250), 62, -268, 268),
        rod((1300, -250), 74, -268, -243),
        rod((1300, -250), 74, 243, 268),
    )
    for at, name in (((0, 0), "O1"), ((3000, 0), "D")):
        body = bored(body, at, PIN[name] + CLEARANCE)
    pins = [
        rod((1300, -250), PIN["A"], -350, 350),
        rod((1500, 350), PIN["B"], -74, 118),
        rod((2200, 250), PIN["C"], -118, 74),
    ]
    return join(body, *pins)


def _beam() -> Solid:
    """The boom's body: its side view cut to its plan view, with a shallow panel at the foot."""
    wide, slim = BOOM_WIDE, BOOM_SLIM
    side = (
        cq.Workplane("XY")
        .workplane(offset=-wide)
        .moveTo(-15, 98)
        .threePointArc((760, 262), (1480, 292))
        .threePointArc((2260, 200), (2985, 84))
        .lineTo(2985, -84)
        .threePointArc((2250, -72), (1560, -118))
        .threePointArc((1380, -150), (1180, -122))
        .threePointArc((600, -52), (-15, -98))
        .close()
        .extrude(2 * wide)
    )
    edge = [(-400, wide), (850, wide), (1330, slim), (3400, slim)]
    outline = edge + [(x, -z) for x, z in reversed(edge)]
    plan = cq.Workplane("XZ").polyline(outline).close().extrude(2000, both=True)
    beam = side.intersect(plan)
    panel = slab([(230, 20), (800, 110), (1150, 130), (1150, -30), (700, 10), (230, -40)], 0, 12)
    for z in (wide - 8, -wide - 4):
        beam = beam.cut(panel.edges("|Z").fillet(25).translate((0, 0, z)))
    return beam


def _cylinder(outer: float, bore: float, length: float, ports: tuple[float, ...]) -> Solid:
    """A barrel along z whose eye turns about y at the origin."""
    profile = [
        (0, 0),
        (28, 0),
        (28, 80),
        (outer, 104),
        (outer, length - 60),
        (outer + 9, length - 60),
        (outer + 9, length),
        (bore * 0.68, length),
        (bore * 0.68, length - 55),
        (bore, length - 55),
        (bore, 120),
        (0, 120),
    ]
    barrel = cq.Workplane("XZ").polyline(profile).close().revolve(360, (0, 0, 0), (0, 1, 0))
    eye = rod((0, 0), 60, -30, 30).rotate((0, 0, 0), (1, 0, 0), -90)
    hole = rod((0, 0), PIN["O2"] + CLEARANCE, -200, 200).rotate((0, 0, 0), (1, 0, 0), -90)
    solids = [barrel, eye]
    for z in ports:
        port = box((-outer - 22, -outer + 8), (-20, 20), (z - 20, z + 20))
        solids.append(port)
    pipe = rod((-outer - 12, 0), 9, ports[0], ports[-1])
    return join(*solids, pipe).cut(hole)


def _rod(shaft: float, piston: float, length: float, pin: float) -> Solid:
    """A piston rod along -x; its eye turns about z at the origin."""
    profile = [
        (-40, 0),
        (-40, 24),
        (-78, 24),
        (-92, shaft),
        (-length + 60, shaft),
        (-length + 60, piston),
        (-length, piston),
        (-length, 0),
    ]
    bar = cq.Workplane("XY").polyline(profile).close().revolve(360, (0, 0, 0), (1, 0, 0))
    return bored(join(bar, rod((0, 0), 60, -30, 30)), (0, 0), pin + CLEARANCE)


@shape("excavator/boom_cylinder.step")
def boom_cylinder() -> Solid:
    return _cylinder(64, 46, 800, (130, 690))


@shape("excavator/boom_rod.step")
def boom_rod() -> Solid:
    return _rod(30, 45, 780, PIN["A"])


@shape("excavator/bucket_cylinder.step")
def bucket_cylinder() -> Solid:
    return _cylinder(54, 38, 1080, (130, 970))


@shape("excavator/bucket_rod.step")
def bucket_rod() -> Solid:
    return _rod(25, 37, 1080, SMALL_PIN)


@shape("excavator/bucket_rocker.step")
def bucket_rocker() -> Solid:
    """Outside the boom at its own pin (z < 0), stepping inwards to its two other pins (z > 0)."""
    rod_pin = (500 * math.cos(math.radians(55)), -500 * math.sin(math.radians(55)))
    link_pin = (450.0, 0.0)
    outer = join(
        link((0, 0), 86, (0.5 * link_pin[0], 0), 66, -38, 0),
        link((0, 0), 86, (0.5 * rod_pin[0], 0.5 * rod_pin[1]), 66, -38, 0),
    )
    arms = [link((0.37 * x, 0.37 * y), 66, (x, y), 62, 0, 40) for x, y in (link_pin, rod_pin)]
    brace = link(link_pin, 34, rod_pin, 34, 4, 36)
    body = bored(join(outer, *arms, brace), (0, 0), PIN["B"] + CLEARANCE)
    return join(body, rod(link_pin, SMALL_PIN, -12, 88), rod(rod_pin, SMALL_PIN, -68, 52))


@shape("excavator/idler_rocker.step")
def idler_rocker() -> Solid:
    """Drawn in a frame whose x lies along the pins and whose z runs from pin to pin."""
    plate = link((0, 0), 76, (480, 0), 62, -40, 0)
    rib = link((110, 0), 20, (370, 0), 16, -52, -40)
    body = join(plate, rib, rod((480, 0), 56, 0, 39))
    body = bored(bored(body, (0, 0), PIN["C"] + CLEARANCE), (480, 0), SMALL_PIN + CLEARANCE)
    # x, y, z of the drawing become z, y (turned), x of the part
    return body.rotate((0, 0, 0), (0, 0, 1), 180).rotate((0, 0, 0), (0, 1, 0), 90)


@shape("excavator/link.step")
def coupling_link() -> Solid:
    """Below z = 0 at the bucket rocker, above it at the idler rocker: a joggled bar."""
    near = link((0, 0), 62, (330, 0), 46, -40, 0)
    far = link((250, 0), 46, (580, 0), 62, 0, 40)
    near = bored(near, (0, 0), SMALL_PIN + CLEARANCE)
    return join(near, far, rod((580, 0), SMALL_PIN, -130, 50))


@shape("excavator/push_rod.step")
def push_rod() -> Solid:
    """A ribbed bar from z = 0 to z = 40."""
    body = join(
        link((0, 0), 34, (900, 0), 34, 0, 40),
        link((100, 0), 12, (800, 0), 12, -10, 50),
        rod((0, 0), 60, 0, 40),
        rod((900, 0), 60, 0, 40),
    )
    for x in (0, 900):
        body = bored(body, (x, 0), SMALL_PIN + CLEARANCE)
    return body


@shape("excavator/bracket.step")
def bracket() -> Solid:
    """Two cheeks around the boom's tip, with the pins of boom, push rod and bucket."""
    solids = []
    for low, high in ((-97, -63), (63, 97)):
        cheek = join(
            link((0, 0), 92, (500, 0), 66, low, high),
            link((-100, -150), 64, (200, -150), 64, low, high),
            slab(
                [(-140, -110), (-70, 60), (470, -60), (262, -150), (200, -214), (-100, -214)],
                low,
                high,
            ),
        )
        cut = rod((225, -55), 42, -200, 200)
        solids.append(cheek.cut(cut))
    solids += [rod((500, 0), 52, -63, -22), rod((500, 0), 52, 22, 63)]
    solids += [box((-60, 215), (-206, -168), (-97, 97)), box((330, 372), (-60, -20), (-97, 97))]
    pins = [
        rod((0, 0), PIN["D"], -118, 118),
        rod((500, 0), SMALL_PIN, -112, 112),
        rod((-100, -150), SMALL_PIN, -150, 150),
        rod((200, -150), SMALL_PIN, -150, 150),
    ]
    return join(*solids, *pins)


# The bucket is drawn with x up its back and -y forward, its pin at (-100, -150) as on the bracket.
BUCKET_HALF_WIDTH, BUCKET_WALL = 520.0, 26.0
BUCKET_CENTRE, BUCKET_RADIUS = (180.0, -620.0), 405.0  # of the round back
BUCKET_TOP = math.radians(52)  # where the round back ends
BUCKET_LIP = -1060.0
BUCKET_FLOOR = BUCKET_CENTRE[0] - BUCKET_RADIUS


@shape("excavator/bucket.step")
def bucket() -> Solid:
    """A rounded shell with ears, lip and teeth, in a frame turned by 30 degrees about its pin."""
    half, lip = BUCKET_HALF_WIDTH, BUCKET_LIP
    edge = box(
        (BUCKET_FLOOR - 8, BUCKET_FLOOR + BUCKET_WALL + 6), (lip - 30, lip + 60), (-half, half)
    )
    teeth = [_tooth(z).translate((BUCKET_FLOOR + 10, lip - 20, 0)) for z in range(-450, 451, 180)]
    top_bar = rod(_on_back(BUCKET_RADIUS - BUCKET_WALL / 2), 24, -half, half)
    whole = join(_shell(), _ear(-132, -100), _ear(100, 132), edge, *teeth, top_bar)
    return whole.translate((100, 150, 0)).rotate((0, 0, 0), (0, 0, 1), -30)


def _on_back(radius: float) -> Point:
    """The upper end of an arc about the centre of the bucket's back."""
    x, y = BUCKET_CENTRE
    return x + radius * math.sin(BUCKET_TOP), y + radius * math.cos(BUCKET_TOP)


def _shell() -> Solid:
    """Back, floor and the two side walls, hollow towards the front."""
    half, inside = BUCKET_HALF_WIDTH, BUCKET_HALF_WIDTH - BUCKET_WALL
    (x, y), radius = BUCKET_CENTRE, BUCKET_RADIUS
    top, inner = _on_back(radius), radius - BUCKET_WALL
    full = (
        cq.Workplane("XY")
        .workplane(offset=-half)
        .moveTo(*top)
        .threePointArc((x - radius * math.sin(0.3), y + radius * math.cos(0.3)), (x - radius, y))
        .lineTo(BUCKET_FLOOR, BUCKET_LIP)
        .lineTo(BUCKET_FLOOR + 60, BUCKET_LIP)
        .threePointArc((190, -660), top)
        .close()
        .extrude(2 * half)
    )
    floor = box((x - inner, 900), (-2000, y), (-inside, inside))
    return full.cut(rod(BUCKET_CENTRE, inner, -inside, inside)).cut(floor)


def _ear(low: float, high: float) -> Solid:
    """A plate behind the shell with the holes of pin and stop."""
    pin, stop = (-100, -150), (200, -150)
    root = [(-162, -150), (262, -150), (400, -330), (300, -420), (-60, -420), (-190, -330)]
    ear = join(link(pin, 62, stop, 62, low, high), slab(root, low, high))
    for at in (pin, stop):
        ear = bored(ear, at, SMALL_PIN + CLEARANCE)
    return ear.cut(rod(BUCKET_CENTRE, BUCKET_RADIUS - BUCKET_WALL + 5, low, high))


def _tooth(z: float) -> Solid:
    """A wedge that points along -y."""
    return slab(
        [(-26, 40), (34, 40), (30, -40), (2, -165), (-10, -165), (-26, -40)], z - 38, z + 38
    )


# ------------------------------------------------------------------ planar linkages


def _bar(length: float, pins: tuple[float, ...], thick: float = 12.0) -> Solid:
    """A four-bar's link from z = 0 to z = thick, with two holes and pins where asked."""
    body = link((0, 0), 16, (length, 0), 14, 0, thick)
    for x in {0.0, length} - set(pins):
        body = bored(body, (x, 0), 6 + CLEARANCE)
    if length > 100:
        body = body.cut(link((28, 0), 5, (length - 28, 0), 5, thick - 2, thick + 2))
    return join(body, *(rod((x, 0), 6, 0, 2 * thick + 3) for x in pins))


@shape("four_bar/ground.step")
def four_bar_ground() -> Solid:
    plate = box((-90, 240), (-60, 60), (-30, -14)).edges("|Z").fillet(20)
    for at in ((-70, -40), (-70, 40), (220, -40), (220, 40)):
        plate = bored(plate, at, 6)
    posts = [
        join(rod((x, 0), 24, -14, -8), rod((x, 0), 17, -8, 0), rod((x, 0), 6, 0, 16))
        for x in (0, 200)
    ]
    return join(plate, *posts)


@shape("four_bar/crank.step")
def four_bar_crank() -> Solid:
    return _bar(60, (60,))


@shape("four_bar/rocker.step")
def four_bar_rocker() -> Solid:
    return _bar(140, (140,))


@shape("four_bar/coupler.step")
def four_bar_coupler() -> Solid:
    """A triangle between its two pins and the tracing point (90, 70)."""
    arms = [
        link((0, 0), 15, (180, 0), 15, 0, 12),
        link((0, 0), 10, (90, 70), 10, 0, 12),
        link((180, 0), 10, (90, 70), 10, 0, 12),
    ]
    body = join(*arms)
    for at, radius in (((0, 0), 6.5), ((180, 0), 6.5), ((90, 70), 3)):
        body = bored(body, at, radius)
    return body


@shape("slider_crank/block.step")
def slider_crank_block() -> Solid:
    """Two bearings and a cylinder along x, its upper half left out to show the piston."""
    barrel = along_x(tube((0, 0), 52, 40.5, 108, 262))
    window = box((100, 300), (6, 100), (-100, 100))
    liner = barrel.cut(window)
    sole = box((-80, 270), (-100, -84), (-62, 62)).edges("|Y").fillet(14)
    web = box((150, 220), (-86, -44), (-30, 30))
    solids = [sole, web, liner]
    for low, high in ((-60, -36), (36, 60)):
        stand = join(
            slab([(-56, -90), (56, -90), (26, 0), (-26, 0)], low, high), rod((0, 0), 27, low, high)
        )
        solids.append(bored(stand, (0, 0), 15 + CLEARANCE))
    return join(*solids)


@shape("slider_crank/crankshaft.step")
def crankshaft() -> Solid:
    solids = [rod((50, 0), 12, -14, 14), rod((0, 0), 15, -78, -14), rod((0, 0), 15, 14, 66)]
    solids.append(rod((0, 0), 48, -96, -78))
    for low, high in ((-32, -14), (14, 32)):
        web = link((0, 0), 26, (50, 0), 18, low, high)
        weight = rod((-8, 0), 52, low, high).cut(box((0, 80), (-80, 80), (low, high)))
        solids += [web, weight]
    return join(*solids)


@shape("slider_crank/connecting_rod.step")
def connecting_rod() -> Solid:
    shank = link((0, 0), 15, (150, 0), 10, -6, 6)
    groove = link((36, 0), 7, (124, 0), 5, 3, 9)
    shank = shank.cut(groove).cut(groove.mirror("XY"))
    body = join(shank, rod((0, 0), 22, -12, 12), rod((150, 0), 15, -12, 12))
    return bored(bored(body, (0, 0), 12 + CLEARANCE), (150, 0), 8 + CLEARANCE)


@shape("slider_crank/piston.step")
def piston() -> Solid:
    body = along_x(rod((0, 0), 40, -34, 32)).edges(">X").chamfer(2)
    for x in (10, 17, 24):
        body = body.cut(along_x(tube((0, 0), 45, 37.5, x, x + 3)))
    hollow = box((-40, 18), (-26, 26), (-15, 15)).edges("|Z and >X").fillet(10)
    skirt = box((-40, -12), (-30, 30), (-30, 30)).edges("|X").fillet(8)
    return join(body.cut(hollow).cut(skirt), rod((0, 0), 8, -36, 36))


# ------------------------------------------------------------------ scissor lift

ARM, LUG = 1200.0, 700.0  # mm, length of an arm, and where the cylinder takes hold of it
BESIDE = 90.0  # mm, height of the cylinder's middle plane beside the arms


def _arm(low: float, high: float, pins: tuple[tuple[float, float, float], ...]) -> Solid:
    """A flat arm from z = low to z = high, with pins (place, from, to) and bored elsewhere."""
    body = link((0, 0), 36, (ARM, 0), 36, low, high)
    for x in {0.0, ARM / 2, ARM} - {pin[0] for pin in pins}:
        body = bored(body, (x, 0), 15 + CLEARANCE)
    for start in (90, ARM / 2 + 160):
        body = body.cut(link((start, 0), 14, (start + 340, 0), 14, low - 1, high + 1))
    return join(body, *(rod((x, 0), 15, a, b) for x, a, b in pins))


@shape("scissor_lift/arm_1.step")
def scissor_arm_1() -> Solid:
    return _arm(10, 30, ((ARM / 2, -32, 30), (LUG, 10, BESIDE + 14)))


@shape("scissor_lift/arm_2.step")
def scissor_arm_2() -> Solid:
    return _arm(-30, -10, ())


def _lugs(sense: float) -> list[Solid]:
    """Two lugs and their pin about the origin, from a deck below (-1) or above (+1) it."""
    cheeks = [link((0, 0), 28, (0, sense * 70), 40, z, z + 18) for z in (-62, 44)]
    return [*cheeks, rod((0, 0), 15, -64, 64)]


@shape("scissor_lift/base.step")
def scissor_base() -> Solid:
    deck = box((-120, 1320), (-150, -90), (-160, 160)).edges("|Y").fillet(30)
    rails = [box((560, 1320), (-95, -22), (z, z + 18)) for z in (-84, 66)]
    post = link((250, -60), 28, (250, -110), 40, BESIDE + 50, BESIDE + 64)
    pin = rod((250, -60), 14, BESIDE - 14, BESIDE + 66)
    return join(deck, *rails, *_lugs(-1), post, pin)


@shape("scissor_lift/platform.step")
def scissor_platform() -> Solid:
    deck = box((-120, 1320), (60, 90), (-220, 220)).edges("|Y").fillet(30)
    rails = [box((560, 1320), (22, 65), (z, z + 18)) for z in (-84, 66)]
    return join(deck, *rails, *_lugs(+1))


@shape("scissor_lift/shoe.step")
def scissor_shoe() -> Solid:
    """A pin with a block on either side that slides on a rail."""
    blocks = [box((-30, 30), (-20, 20), (z, z + 22)).edges("|Z").fillet(6) for z in (-86, 64)]
    return join(*blocks, rod((0, 0), 15, -80, 80))


@shape("scissor_lift/barrel.step")
def scissor_barrel() -> Solid:
    barrel = along_x(tube((0, 0), 48, 40.5, 60, 430)).translate((0, 0, BESIDE))
    base_cap = along_x(rod((0, 0), 48, 40, 62)).translate((0, 0, BESIDE))
    eye = tube((0, 0), 30, 14 + CLEARANCE, BESIDE - 12, BESIDE + 12)
    return join(barrel, base_cap, eye, box((26, 44), (-12, 12), (BESIDE - 12, BESIDE + 12)))


@shape("scissor_lift/rod.step")
def scissor_rod() -> Solid:
    shaft = along_x(rod((0, 0), 25, -400, -26)).translate((0, 0, BESIDE))
    piston = along_x(rod((0, 0), 40, -400, -372)).translate((0, 0, BESIDE))
    eye = rod((0, 0), 30, BESIDE - 12, BESIDE + 12)
    return bored(join(shaft, piston, eye), (0, 0), 15 + CLEARANCE)


# ------------------------------------------------------------------ toggle clamp


@shape("toggle_clamp/base.step")
def clamp_base() -> Solid:
    foot = box((-95, 45), (-46, -38), (-30, 30)).edges("|Y").fillet(8)
    for at in ((-80, 18), (-80, -18), (30, 18), (30, -18)):
        hole = cq.Workplane("XZ").center(*at).circle(4).extrude(100, both=True)
        foot = foot.cut(hole)
    cheek = join(
        slab([(-80, -40), (26, -40), (10, 8), (-52, 50), (-70, 46)], -10, -4),
        rod((0, 0), 12, -10, -4),
        rod((-60, 40), 12, -10, -4),
    )
    return join(foot, cheek, rod((0, 0), 5, -10, 5), rod((-60, 40), 5, -10, 5))


@shape("toggle_clamp/arm.step")
def clamp_arm() -> Solid:
    body = join(
        link((0, 0), 11, (30, 40), 9, -3, 3),
        link((0, 0), 11, (110, -6), 8, -3, 3),
        box((104, 116), (-20, -6), (-3, 3)),
    )
    return join(bored(body, (0, 0), 5 + CLEARANCE), rod((30, 40), 4, -3, 10))


@shape("toggle_clamp/handle.step")
def clamp_handle() -> Solid:
    body = join(link((0, 0), 11, (45, 0), 9, -3, 3), link((0, 0), 9, (30, 150), 7, -3, 3))
    return join(bored(body, (0, 0), 5 + CLEARANCE), rod((45, 0), 4, -3, 10))


@shape("toggle_clamp/link.step")
def clamp_link() -> Solid:
    body = link((0, 0), 9, (45, 0), 9, 4, 9)
    return bored(bored(body, (0, 0), 4 + CLEARANCE), (45, 0), 4 + CLEARANCE)


# ------------------------------------------------------------------ Stewart platform

BASE_BALLS = (12, 108, 132, 228, 252, 348)  # degrees about z
PLATFORM_BALLS = (48, 72, 168, 192, 288, 312)


def _round(radius: float, degrees: float) -> Point:
    turn = math.radians(degrees)
    return radius * math.cos(turn), radius * math.sin(turn)


@shape("stewart_platform/base.step")
def stewart_base() -> Solid:
    """A ring whose seats carry balls at z = 0."""
    ring = tube((0, 0), 340, 230, -52, -30).edges("%CIRCLE and >Z").chamfer(4)
    solids = [ring]
    for degrees in BASE_BALLS:
        at = _round(300, degrees)
        solids += [rod(at, 22, -30, -14), cq.Workplane("XY").sphere(17).translate((*at, 0))]
    return join(*solids)


@shape("stewart_platform/platform.step")
def stewart_platform() -> Solid:
    plate = rod((0, 0), 235, 28, 46).edges("%CIRCLE and >Z").chamfer(4)
    solids = [bored(plate, (0, 0), 60)]
    for degrees in PLATFORM_BALLS:
        at = _round(200, degrees)
        solids += [rod(at, 20, 14, 28), cq.Workplane("XY").sphere(17).translate((*at, 0))]
    plate = join(*solids)
    for degrees in range(0, 360, 60):
        plate = bored(plate, _round(120, degrees), 12)
    return plate


def _socket(toward: float) -> Solid:
    """A collar around a ball of radius 17, open away from the leg (toward = +1 or -1)."""
    collar = rod((0, 0), 22, 0, 34) if toward > 0 else rod((0, 0), 22, -34, 0)
    return collar.cut(cq.Workplane("XY").sphere(17.5))


@shape("stewart_platform/cylinder.step")
def stewart_cylinder() -> Solid:
    barrel = tube((0, 0), 24, 17, 50, 330)
    return join(_socket(+1), rod((0, 0), 24, 32, 50), barrel, tube((0, 0), 27, 10.5, 318, 335))


@shape("stewart_platform/rod.step")
def stewart_rod() -> Solid:
    shaft = rod((0, 0), 10, -322, -30)
    return join(_socket(-1), shaft, rod((0, 0), 16.5, -338, -322))


# ------------------------------------------------------------------ plates, door, lid


@shape("plate_stack/plate.step")
def plate() -> Solid:
    body = box((-100, 100), (-60, 60), (0, 15)).edges("|Z").fillet(12)
    for at in ((-70, -30), (70, 30)):
        body = bored(body, at, 8)
    slot = link((-40, 25), 9, (25, 25), 9, -1, 16)
    return body.cut(slot).edges(">Z or <Z").chamfer(0.8)


def _knuckles(levels: Iterable[float], low: float, high: float) -> list[Solid]:
    """Hinge barrels on the z axis, from z = level + low to level + high."""
    return [rod((0, 0), 13, level + low, level + high) for level in levels]


HINGES = (60.0, 1840.0)  # mm, lower ends of the door's barrels


@shape("hinge/frame.step")
def door_frame() -> Solid:
    """Jambs and head behind the hinge line; barrels with pins that the door drops on to."""
    outside = box((-90, 890), (-80, -4), (-30, 2090))
    opening = box((8, 812), (-200, 200), (0, 2008))
    frame = outside.cut(opening).edges("|Y").chamfer(3).cut(rod((0, 0), 15, -100, 2100))
    solids = [frame]
    for level in HINGES:
        leaf = box((-60, 0), (-6, -1), (level - 60, level))
        solids += [leaf, rod((0, 0), 13, level - 60, level), rod((0, 0), 6, level, level + 70)]
    return join(*solids)


@shape("hinge/door.step")
def door() -> Solid:
    """A panelled leaf behind the hinge line, from z = 0 to z = 2000."""
    leaf = box((14, 806), (-44, -4), (0, 2000))
    for low, high in ((180, 860), (1020, 1860)):
        field = box((150, 670), (-12, 0), (low, high)).edges("|Y").fillet(18)
        leaf = leaf.cut(field)
    solids = [leaf]
    for level in HINGES:
        solids += [rod((0, 0), 13, level, level + 60), box((0, 70), (-5, -1), (level, level + 60))]
    handle = [
        cq.Workplane("XZ").center(750, 1000).circle(22).extrude(6).translate((0, 2, 0)),
        cq.Workplane("XZ").center(750, 1000).circle(9).extrude(50).translate((0, 46, 0)),
        box((640, 762), (38, 54), (990, 1010)).edges("|Y").fillet(8),
    ]
    body = join(*solids, *handle)
    for level in HINGES:
        body = body.cut(rod((0, 0), 6 + CLEARANCE, level, level + 75))
    return body


@shape("bad_lid/box.step")
def lid_box() -> Solid:
    """An open box; behind it a wedge whose upper face rises to the hinge at 30 degrees."""
    outside = box((-150, 150), (8, 200), (0, 118)).edges("|Z").fillet(10)
    inside = box((-142, 142), (16, 192), (6, 200)).edges("|Z").fillet(6)
    drop = math.tan(math.radians(30))
    wedge = (
        cq.Workplane("YZ")
        .workplane(offset=-50)
        .polyline(
            [
                (10, 0),
                (10, 108),
                (-14, 120 - 14 * drop),
                (-70, 120 - 70 * drop),
                (-70, 60),
                (-30, 0),
            ]
        )
        .close()
        .extrude(100)
    )
    ears = [
        join(
            along_x(rod((0, 0), 9, low, low + 20)).translate((0, 0, 120)),
            box((low, low + 20), (-9, 14), (96, 120)),
        )
        for low in (-120, 100)
    ]
    pins = along_x(rod((0, 0), 4, -126, 126)).translate((0, 0, 120))
    wedge = wedge.cut(along_x(rod((0, 0), 12, -60, 60)).translate((0, 0, 120)))
    return join(outside.cut(inside), wedge, *ears, pins)


@shape("bad_lid/lid.step")
def lid() -> Solid:
    """A plate that turns about x at the origin, with a tail that meets the wedge."""
    top = box((-150, 150), (8, 204), (0, 10)).edges("|Z").fillet(8)
    tail = box((-45, 45), (-70, 20), (0, 10)).edges("|Z and <Y").fillet(8)
    barrel = along_x(rod((0, 0), 9, -98, 98))
    seat = box((-98, 98), (0, 14), (0, 9))
    knob = join(rod((0, 170), 6, 10, 22), rod((0, 170), 14, 22, 32))
    body = join(top, tail, barrel, seat, knob)
    return body.cut(along_x(rod((0, 0), 4 + CLEARANCE, -200, 200)))


def main(wanted: list[str]) -> None:
    """Write the files of the samples asked for, or of all."""
    for file, draw in SHAPES.items():
        if wanted and file.split("/")[0] not in wanted:
            continue
        target = HERE / file
        target.parent.mkdir(exist_ok=True)
        drawn = draw()
        cq.exporters.export(drawn, str(target), opt={"write_pcurves": False})
        text = TIME_WRITTEN.sub("1970-01-01T00:00:00", target.read_text(encoding="utf-8"))
        target.write_text(WRITERS_NAME.sub(target.stem, text), encoding="utf-8")
        print(f"{file:34} {len(drawn.solids().vals())} solid {target.stat().st_size // 1024:4} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
