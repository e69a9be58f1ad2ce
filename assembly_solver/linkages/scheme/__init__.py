"""The linkage as data: points, links, slots, actuators; how an assembly becomes one."""
