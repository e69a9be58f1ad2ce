"""A four-bar drawn by its pins: all states at once, circuits, a coupler curve."""

import numpy as np

import assembly_solver as asm

m = asm.Assembly("four-bar")
m.pins(A=(0, 0), B=(0, 30), C=(60, 40), D=(70, 0), P=(30, 60))
m.link("frame", "A D", grounded=True)
m.link("crank", "A B")
m.link("coupler", "B C P")
m.link("rocker", "C D")
m.drive("crank", at="A", angle=(0, 360))

linkage = asm.linkage(m)
print(linkage)
states = linkage.run(crank=np.arange(360), speed={"crank": 360})  # degrees, degrees a second
print(states, states.point("P")[90], states.velocity("P")[90])
for circuit in linkage.circuits():
    print(circuit)
assert states.valid.all()
assert np.allclose(states.point("P")[90], (30, 60), atol=1e-9)  # as drawn
