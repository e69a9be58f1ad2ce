"""What people read: tables for the terminal, pages with curves and moving parts, columns."""
